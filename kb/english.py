"""Words of English that nobody need know here; the only importer of pyspellchecker, of which the list is."""

from importlib import metadata

#: Words of the field that no list of English has and that are a slip away from another word of it.
JARGON = frozenset(
    (
        "adamw apns csrc dimms failback failbacks fsync fsyncs healthz hana iostat journald kakao livez macos mssql "
        "naver neuronx nodejs podman readyz regex softirq softirqs timedout umount umounts webrtc"
    ).split()
)


def version() -> str:
    """Of the list."""
    return f"{metadata.version('pyspellchecker')} {len(JARGON)}"


def words() -> frozenset[str]:
    """Some 130,000 of them in lower case, as they are used in films and books, with many a name. Read in 0.3 s."""
    from spellchecker import SpellChecker

    return JARGON.union(word for word in SpellChecker(language="en").word_frequency.words() if word.isalpha())
