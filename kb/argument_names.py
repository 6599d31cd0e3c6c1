"""The names of arguments, judged before any value: what nobody knows first, and in the same breath what is missing."""

from collections.abc import Iterable, Sequence

from kb.errors import InvalidValue, UnknownArgument
from kb.nearest import nearest

#: Unknown names that one error repeats.
MOST = 5
#: Likeness from which an unknown name counts as meant for one that there is.
MEANT = 0.6


def judge_names(
    given: Iterable[str],
    known: Sequence[str],
    *,
    missing: Sequence[str] = (),
    also: Iterable[str] = (),
    hint: str = "",
    noun: str = "argument",
) -> None:
    """
    given: names as they came.
    known: names that there are.
    missing: those of them that are needed and were not given.
    also: further names that are taken for one of them.
    hint: what to do instead, for whoever left out what is needed, or where nothing is known.
    noun: what the names are called on this face.

    Raises:
        UnknownArgument: names that do not exist, each with the nearest that does; says too what is missing.
        InvalidValue: only something missing.
    """
    taken = (*known, *also)
    unknown = [name[:80] for name in given if name not in taken]
    needed = f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} required" if missing else ""
    step = hint if missing or not known else ""
    if unknown:
        there = f"is no {noun}" if len(unknown) == 1 else f"are no {noun}s"
        raise UnknownArgument(
            f"There {there} {_listed(unknown[:MOST])}{needed and ', and '}{needed}.",
            field=unknown[0],
            allowed=tuple(known),
            nearest=tuple(dict.fromkeys(near for name in unknown[:MOST] for near in _meant(name, taken, missing))),
            next_step=step,
        )
    if missing:
        raise InvalidValue(f"{needed}.", field=missing[0], next_step=step)


def _meant(name: str, known: Sequence[str], missing: Sequence[str]) -> tuple[str, ...]:
    """The nearest name, and before it one that is missing where that is near too."""
    return (*nearest(name, missing, limit=1, floor=MEANT), *nearest(name, known, limit=1, floor=MEANT))


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
