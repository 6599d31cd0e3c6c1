"""Every rule that files have to fulfil, judged at once.

`kb validate` prints the findings, `kb build` refuses where one of them is an error.
"""

from collections.abc import Iterator

from kb import case_file, yaml_text
from kb.checks.catalogue import Catalogue
from kb.corpus import CaseFile, Corpus
from kb.errors import UnreadableFile
from kb.validate import claims, dates, examples, identity, modes, phrasing, prose, relations, replays, terms
from kb.validate.replays import unread as unread_checks
from kb.validate.rules import RULES, Finding, Level, Rule, at

__all__ = ["RULES", "Finding", "Level", "Rule", "findings", "unread_checks"]


def findings(corpus: Corpus, catalogue: Catalogue | None, *, layout: bool = True) -> list[Finding]:
    """Everything that is wrong, sorted by path and line.

    Without a catalogue the rules about checks, and `unlinked`, are left out. `layout=False` leaves out how the
    files are laid out (`format`, `trailing-space`: warnings only), which takes longer than all the rest.
    """
    found = [*_unread(corpus), *identity.findings(corpus), *terms.findings(corpus), *examples.findings(corpus)]
    for case in corpus.cases:
        found += [*prose.findings(case), *phrasing.findings(case, corpus.vocabulary)]
        found += [*claims.findings(case), *dates.findings(case)]
        found += _layout(case) if layout else ()
    found += relations.findings(corpus)
    if catalogue is not None:
        found += [*replays.findings(corpus, catalogue), *modes.findings(corpus, catalogue)]
    return sorted(found)


def _unread(corpus: Corpus) -> Iterator[Finding]:
    for file in corpus.unread:
        for fault in file.faults:
            message = f"{fault.message.rstrip('.')}."
            yield Finding(file.path, fault.line, fault.field, "schema", message, "Mend the file.")


def _layout(case: CaseFile) -> Iterator[Finding]:
    try:
        text = yaml_text.read_text(case.path)
    except UnreadableFile as error:
        yield at(case, (), "schema", str(error), "Read the files again.")
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line != line.rstrip():
            yield Finding(case.path, number, "(line)", "trailing-space", "The line ends with blanks.", "Run `kb fmt`.")
    if case_file.dumps(case.incident) != text:
        yield at(case, (), "format", "The layout is not the canonical one.", "Run `kb fmt`.")
