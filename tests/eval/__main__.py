"""`make eval`: print how well the search answers, per set and method, and fail where a figure dropped.

`--all` adds the figures over all cases, `--record` writes the guarded figures anew.
"""

import json
import sys
from pathlib import Path

from kb.build import build
from kb.settings import Settings
from tests.eval.methods import store_of
from tests.eval.run import Report, evaluate, frozen

RECORDED = Path(__file__).resolve().parent / "recorded.json"
#: Figures are means over hundreds of questions; a smaller move is rounding of the model on another machine.
NOISE = 0.005


def show(title: str, report: Report) -> None:
    print(f"\n{title}")
    print(f"{'':14}{'method':10}{'asked':>6}{'nDCG@10':>9}{'recall@5':>10}{'MRR':>7}")
    for name, by_method in report.by_set.items():
        for method, f in by_method.items():
            print(f"{name:14}{method:10}{f.asked:6}{f.ndcg:9.3f}{f.recall:10.3f}{f.mrr:7.3f}")
        print(f"{name:14}refused though answerable: {report.refused_wrongly[name]:.1%}")
    print(f"none: right {report.none_right:.1%}, answered as strong {report.none_strong:.1%}")
    print(f"parity of the two languages: {report.parity:.3f}")
    print(f"vocabulary: first {report.vocab_first:.3f}, among three {report.vocab_third:.3f}")


def gate(report: Report) -> int:
    """1 when a figure is lower than the recorded one by more than noise; `--record` writes them anew."""
    figures = report.flat()
    if "--record" in sys.argv:
        RECORDED.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        return 0
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    dropped = {name: (was, figures[name]) for name, was in recorded.items() if figures[name] < was - NOISE}
    for name, (was, now) in dropped.items():
        print(f"dropped: {name} from {was} to {now}")
    return 1 if dropped else 0


def main() -> None:
    settings = Settings()
    build(settings)
    store = store_of(settings)
    report = evaluate(store, settings, frozen())
    show("Frozen list of cases (grades not pooled)", report)
    if "--all" in sys.argv:
        show(f"All {len(store.cases)} cases", evaluate(store, settings))
    sys.exit(gate(report))


if __name__ == "__main__":
    main()
