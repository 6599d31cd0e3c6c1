"""Which check reads which log, where all of them were asked.

A kernel log says nothing to a check of training logs, and that is no reason to doubt anything: the check was not given
its log. A file that no check recognises, on the other hand, is unknown, and stays so.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from kb.checks.card import CheckCard, SourceName
from kb.checks.contract import Outcome, Unknown


def sort_out(
    outcomes: Mapping[str, Outcome], cards: Mapping[str, CheckCard]
) -> tuple[dict[str, Outcome], tuple[str, ...]]:
    """The outcomes without what is foreign but recognised by others, and the checks whose log was not given.

    Where nothing is recognised at all, the checks of kernel logs are left to say so.
    """
    logs = {check: outcome for check, outcome in outcomes.items() if cards[check].kind is SourceName.logs}
    understood = _understood(logs.values())
    kept, absent = dict(outcomes), []
    for check, outcome in logs.items():
        foreign = [remark for remark in outcome.unknown if remark.foreign]
        if foreign and len(foreign) == len(outcome.unknown) and not outcome.looked_at and not outcome.findings:
            if understood or "kernel" not in cards[check].needs.logs:
                del kept[check]
                absent.append(check)
        elif foreign:
            kept[check] = replace(outcome, unknown=tuple(r for r in outcome.unknown if not _known(r, understood)))
    return kept, tuple(sorted(absent))


def _understood(outcomes: Collection[Outcome]) -> set[str]:
    """Files that at least one check recognised as its own: it judged something, and does not call them foreign."""
    everything = {name for outcome in outcomes for remark in outcome.unknown for name in _files(remark)}
    out: set[str] = set()
    for outcome in outcomes:
        if outcome.looked_at or outcome.findings:
            out |= everything - {name for remark in outcome.unknown for name in _files(remark)}
    return out


def _files(remark: Unknown) -> set[str]:
    return {place["file"] for place in remark.where if remark.foreign and "file" in place}


def _known(remark: Unknown, understood: set[str]) -> bool:
    """Foreign to this check, and every file of it is somebody else's; one with more files than it names is not."""
    return remark.foreign and remark.count == len(remark.where) and _files(remark) <= understood
