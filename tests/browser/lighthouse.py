"""`make lighthouse`: Lighthouse on the pages that people come to; fails where a score is below 95.

Its own program because these pages take a minute or so: too long for every run of the tests.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from kb.settings import Settings
from tests.browser.conftest import CHROMIUM
from tests.serving import served
from tests.tools import node

PACKAGE = Path(node.__file__).parent / "lighthouse" / "package.json"
PAGES = (
    "/ko/",
    "/en/?symptoms=GPU+has+fallen+off+the+bus",
    "/ko/incidents/IL-0335",
    "/en/checks/gpu/xid_fatal_counted",
)
CATEGORIES = ("accessibility", "best-practices", "seo")
#: Pages of a search ask not to be indexed, and Lighthouse counts that as a fault of theirs.
KEPT_OUT = "is-crawlable"
LEAST = 0.95


def main() -> int:
    os.environ["CHROME_PATH"] = CHROMIUM
    worst = 1.0
    with served(Settings()) as address, tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            scores, faults = judged(f"{address}{page}", Path(folder))
            worst = min(worst, *scores.values())
            print(page, *(f"{name} {score:.2f}" for name, score in scores.items()), *(f"\n  {f}" for f in faults))
    return 0 if worst >= LEAST else 1


def judged(url: str, folder: Path) -> tuple[dict[str, float], list[str]]:
    """The score of each category, and what took from it.

    Raises:
        RuntimeError: Lighthouse gave no report.
    """
    cli = node.modules(PACKAGE) / "lighthouse" / "cli" / "index.js"
    skipped = [f"--skip-audits={KEPT_OUT}"] if "?symptoms=" in url else []
    done = node.run(
        str(cli), url, "--quiet", "--output=json", "--output-path=report.json",
        f"--only-categories={','.join(CATEGORIES)}", "--preset=desktop",
        "--throttling-method=provided", "--disable-full-page-screenshot",
        "--chrome-flags=--headless=new --no-sandbox", *skipped,
        folder=folder,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"Lighthouse gave no report on {url}: {done.stderr[-2000:]}")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    audits = report["audits"]
    faults = [
        f"{name}: {ref['id']}: {audits[ref['id']]['title']}"
        for name in CATEGORIES
        for ref in report["categories"][name]["auditRefs"]
        if audits[ref["id"]]["score"] not in (1, None)
    ]
    return {name: float(report["categories"][name]["score"]) for name in CATEGORIES}, faults


if __name__ == "__main__":
    sys.exit(main())
