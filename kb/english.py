"""Words of English that nobody need know here; the only importer of pyspellchecker, whose word list this is."""

from functools import lru_cache
from importlib import metadata


def version() -> str:
    """Of the list."""
    return metadata.version("pyspellchecker")


@lru_cache(maxsize=1)
def words() -> frozenset[str]:
    """Some 160,000 of them in lower case, as they are used in films and books: few names, no jargon. Read in 0.3 s."""
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(language="en").word_frequency.words())
