// Progressive enhancement only: everything works without this file.
"use strict";

// 1. Graph: pointing at a value or a case lights up what hangs together with it. data-c holds the
//    cases behind a node or band; in large graphs (data-graph="values") it holds node ids instead.
const lightUp = (graph) => {
  const byCase = graph.dataset.graph === "cases";
  const read = (el) => ({ el, ids: el.dataset.c.split(" "), width: el.getAttribute("stroke-width") });
  const bands = [...graph.querySelectorAll("path[data-c]")].map(read);
  const nodes = [...graph.querySelectorAll("li [data-c]")].map(read);
  const light = (ids) => {
    const wanted = new Set(ids);
    const reached = new Set(ids);
    graph.toggleAttribute("data-lit", wanted.size > 0);
    for (const { el, ids, width } of bands) {
      const shared = ids.filter((id) => wanted.has(id)).length;
      el.toggleAttribute("data-on", shared > 0);
      if (shared && !byCase) ids.forEach((id) => reached.add(id));
      if (width && byCase) el.setAttribute("stroke-width", shared ? Math.max(1.4, (width * shared) / ids.length) : width);
    }
    for (const { el, ids } of nodes) el.toggleAttribute("data-on", ids.some((id) => reached.has(id)));
  };
  const over = (event) => light(event.target.closest("li [data-c]")?.dataset.c.split(" "));
  graph.addEventListener("pointerover", over);
  graph.addEventListener("focusin", over);
  graph.addEventListener("pointerleave", () => light());
  graph.addEventListener("focusout", () => light());
  graph.addEventListener("keydown", (event) => { if (event.key === "Escape") light(); });
};

// 2. Code blocks: a copy button exists only where copying works.
const copyable = (block) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = block.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent);
    button.textContent = block.dataset.done;
    setTimeout(() => { button.textContent = block.dataset.copy; }, 1600);
  });
  block.append(button);
};

const enliven = (root) => {
  root.querySelectorAll("[data-graph]").forEach(lightUp);
  if (navigator.clipboard) root.querySelectorAll("[data-copy]").forEach(copyable);
};
enliven(document);

// 3. A long text is sent in the body: addresses have a limit, and servers and histories keep them.
document.addEventListener("submit", (event) => {
  if (event.target.id !== "ask" || event.submitter?.formMethod === "post") return;
  const bytes = new TextEncoder().encode(event.target.elements.symptoms.value).length;
  event.target.method = bytes > 1500 ? "post" : "get";
  if (event.target.method !== "get") return;
  event.preventDefault();
  const query = [...new FormData(event.target)].filter(([, value]) => value.trim());
  turn(`${event.target.action}?${new URLSearchParams(query)}`, true);
});

// 4. From one list to another without loading the frame again: the address, the title, the back button and the
//    focus behave as if it had been loaded. Whatever goes wrong, the browser follows the link itself.
const isList = (url) => url.origin === location.origin && /^\/(en|ko)\/$/.test(url.pathname) && url.pathname === location.pathname;
const said = document.createElement("p");
said.className = "vh";
said.setAttribute("role", "status");
document.body.append(said);
let latest = 0;
let shown = location.search;
const turn = async (address, push, from) => {
  const mine = ++latest;
  const facet = from?.closest(".facet, .g ul") && from.querySelector("span")?.textContent;
  let fresh;
  try {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.status);
    fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    location.assign(address);
    return;
  }
  if (mine !== latest) return;
  if (push) history.pushState(null, "", address);
  shown = location.search;
  document.title = fresh.title;
  for (const part of ["main", ".lang"]) document.querySelector(part).replaceWith(fresh.querySelector(part));
  enliven(document.querySelector("main"));
  said.textContent = fresh.title;
  if (!push) return;
  const again = facet && [...document.querySelectorAll(".facet a")].find((a) => a.querySelector("span")?.textContent === facet);
  const beside = again && matchMedia("(min-width:70.01rem)").matches;
  const target = again || document.getElementById("main");
  if (target.id === "main") target.tabIndex = -1;
  target.focus({ preventScroll: true });
  if (!beside) scrollTo(0, 0);
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("main a[href]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (!document.getElementById("ask") || !isList(url) || url.hash || document.querySelector("#keep")) return;
  event.preventDefault();
  turn(url.href, true, link);
});
addEventListener("popstate", () => {
  if (document.getElementById("ask") && location.search !== shown) turn(location.href, false);
});
