// Progressive enhancement only: everything works without this file.
"use strict";

// 1. Graph: pointing at a value or a case lights up what hangs together with it. data-c holds the
//    cases behind a node or band; in large graphs (data-graph="values") it holds node ids instead.
for (const graph of document.querySelectorAll("[data-graph]")) {
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
}

// 2. Code blocks: a copy button exists only where copying works.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("[data-copy]")) {
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
  }
}

// 3. A long text is sent in the body: addresses have a limit, and servers and histories keep them.
const ask = document.getElementById("ask");
if (ask) {
  ask.addEventListener("submit", () => {
    const bytes = new TextEncoder().encode(ask.elements.symptoms.value).length;
    ask.method = bytes > 1500 ? "post" : "get";
  });
}
