"""Words of English that nobody need know here; the only importer of pyspellchecker, whose word list this is."""

from importlib import metadata


def version() -> str:
    """Of the list."""
    return metadata.version("pyspellchecker")


def words() -> frozenset[str]:
    """Some 130,000 of them in lower case, as they are used in films and books, with many a name. Read in 0.3 s."""
    from spellchecker import SpellChecker

    return frozenset(word for word in SpellChecker(language="en").word_frequency.words() if word.isalpha())
