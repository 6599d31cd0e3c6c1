"""Marks that mailers, search engines and networks hang on addresses: no question of ours, and no reason to refuse."""

import re

_MARK = re.compile(
    r"utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_ga|_gl|ref_src"
)


def is_mark(name: str) -> bool:
    """Whether an argument of an address is such a mark."""
    return _MARK.fullmatch(name.lower()) is not None
