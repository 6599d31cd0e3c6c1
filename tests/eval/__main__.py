"""`make eval`: print how well the search answers, per set and method, and fail where a figure dropped.

`--whole` (what `kb eval` prints) adds the kinds of questions and the figures at 45, 200 and all cases; `--record`
writes the guarded figures anew; `--pool` prints the pairs of the first ten that nobody has judged yet.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

from kb.build import build
from kb.library.store import Store
from kb.settings import Settings
from tests.eval import sets
from tests.eval.methods import store_of
from tests.eval.run import SIZES, Figures, Report, evaluate, first_of, frozen, unjudged

RECORDED = Path(__file__).resolve().parent / "recorded.json"
#: Figures are means over hundreds of questions; a smaller move is rounding of the model on another machine.
NOISE = 0.005
#: Shares of questions move by a whole question at a time.
NOISE_OF_SHARES = 0.014


def show(title: str, report: Report, *, kinds: bool) -> None:
    print(f"\n{title}")
    print(f"{'':38}{'method':9}{'asked':>6}{'nDCG@10':>9}{'recall@5':>10}{'of 3':>7}{'MRR':>7}")
    for (name, kind), by_method in report.by_kind.items():
        if kind and not kinds:
            continue
        _rows(f"{name} {kind}".rstrip(), by_method)
        if not kind:
            print(f"{name:38}refused though answerable: {report.refused_wrongly[name]:.1%}")
    for name, by_method in report.with_slips.items():
        _rows(f"{name}, one slip each", by_method)
    print(f"none: right {report.none_right:.1%}, answered as strong {report.none_strong:.1%}")
    print(f"none, fields not named: right {report.fresh_right:.1%}, answered as strong {report.fresh_strong:.1%}")
    for name, shares in report.decided.items():
        said = f"right {shares.right:.1%}, answered as strong {shares.strong:.1%}"
        print(f"everyday and short questions, {name}: {said}; refused though answerable {shares.refused:.1%}")
    print(f"parity of the two languages: {report.parity:.3f}")
    print(f"vocabulary: first {report.vocab_first:.3f}, among three {report.vocab_third:.3f}")


def _rows(what: str, by_method: Mapping[str, Figures]) -> None:
    for method, f in by_method.items():
        print(f"{what:38}{method:9}{f.asked:6}{f.ndcg:9.3f}{f.recall:10.3f}{f.exact:7.3f}{f.mrr:7.3f}")


def gate(report: Report) -> int:
    """1 when a figure is lower than the recorded one by more than noise; `--record` writes them anew."""
    figures = report.flat()
    if "--record" in sys.argv:
        RECORDED.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        return 0
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    if recorded.keys() != figures.keys():
        print(f"recorded and measured are not the same figures: {sorted(recorded.keys() ^ figures.keys())}")
        return 1
    noise = {name: NOISE if name.endswith(("ndcg", "recall", "slips")) else NOISE_OF_SHARES for name in recorded}
    dropped = {name: (was, figures[name]) for name, was in recorded.items() if figures[name] < was - noise[name]}
    for name, (was, now) in dropped.items():
        print(f"dropped: {name} from {was} to {now}")
    return 1 if dropped else 0


def pool(store: Store, settings: Settings) -> None:
    """What is left to judge, in an order that tells nothing about who found it."""
    for question, case_ids in unjudged(store, settings).items():
        left = sorted(case_ids)
        Random(question).shuffle(left)
        for case_id in left:
            print(question, case_id, store.cases[case_id].incident.slug)


def main() -> None:
    settings = Settings()
    build(settings)
    store = store_of(settings)
    if "--pool" in sys.argv:
        pool(store, settings)
        return
    whole = "--whole" in sys.argv
    report = evaluate(store, settings, frozen())
    show("Frozen list of cases", report, kinds=whole)
    if whole:
        for size in SIZES:
            few = evaluate(store, settings, first_of(store, size))
            show(f"{min(size, len(store.cases))} cases", few, kinds=False)
        judged = len(sets.wrong())
        print(f"\nGrades are pooled for {judged} questions; `python -m tests.eval --pool` prints what is left.")
    sys.exit(gate(report))


if __name__ == "__main__":
    main()
