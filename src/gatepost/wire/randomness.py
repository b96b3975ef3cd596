"""Random or written: telling what a generator made from words, patterns, paths and placeholders.

All of it is arithmetic over one value of bounded length.
"""

import re
from collections import Counter
from itertools import pairwise
from math import log2
from typing import Final

_LONGEST: Final = 512
_LEAST: Final = 16
_READ: Final = 100
_DISTINCT: Final = 8
_ENTROPY: Final = 3.0
_FEW: Final = 4
_CLIMBS: Final = 0.4
_PLACEHOLDERS: Final = (
    *(
        "example",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "your",
        "dummy",
        "fake",
        "redacted",
        "masked",
    ),
    *("sample", "insert", "replace", "deadbeef", "cafebabe", "xxxx", "...", "****", "____", "0000000", "qwerty"),
    *("lorem", "foobar", "todo", "secret", "password", "token"),
)
# The pairs of letters that three quarters of all pairs in English and in identifiers are; of random pairs, a sixth.
_LETTERS: Final = (
    "abacadaialamanarasatblcacechckclcoctdedieaecedeeefelemeneperesetexfifogehahehihoiciliminioisitkelale"
    "lilllolymamemompnancndnengninonsntocodomonoporosotoupapeplpoprptrarerirnrorrrsrtsesissstsutatethtito"
    "trtstuulunurusutvave"
)
_PAIRS: Final = frozenset(_LETTERS[at : at + 2] for at in range(0, len(_LETTERS), 2))
_WORDY: Final = 0.4
_SHORT: Final = 4
_date = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


def is_random(value: str) -> bool:
    """Whether a value of at least 16 characters was made by chance: of letters and digits, evenly, and no words,
    pattern, path or placeholder."""
    return (
        _LEAST <= len(value) <= _LONGEST
        and any(letter.isdigit() for letter in value)
        and any(letter.isalpha() for letter in value)
        and len(set(value)) >= _DISTINCT
        and _entropy(value) >= _ENTROPY
        and not is_placeholder(value)
        and _date.search(value) is None
        and not _is_path(value)
        and _wordiness(value) < _WORDY
    )


def is_placeholder(value: str) -> bool:
    """Whether a value only shows a form: a few letters again and again, the alphabet, or a word that says so."""
    value = value[:_READ]  # in thousands of random letters any short word may occur
    lowered = value.lower()
    return (
        any(word in lowered for word in _PLACEHOLDERS)
        or len(set(value)) < _FEW
        or _climbing(lowered) > len(value) * _CLIMBS
    )


def _entropy(value: str) -> float:
    total = len(value)
    return -sum(count / total * log2(count / total) for count in Counter(value).values())


def _climbing(value: str) -> int:
    """How many letters follow the one before, as in `abc`, `321` or `aaa`."""
    return sum(abs(ord(one) - ord(other)) <= 1 for one, other in pairwise(value))


def _is_path(value: str) -> bool:
    """Whether slashes, dots or backslashes part it into what could be names."""
    if value.startswith(("/", "./", "../", "~/", "\\")) or "://" in value:
        return True
    parts = re.split(r"[/\\.:]", value)
    words = sum(_wordiness(part) >= _WORDY for part in parts)
    short = sum(len(part) < _SHORT for part in parts)
    return len(parts) > 1 and words > 0 and 2 * (words + short) > len(parts)


def _wordiness(value: str) -> float:
    """How much of it could be words: the share of its pairs that are pairs of letters as words have them."""
    lowered = value.lower()
    pairs = max(len(value) - 1, 1)
    return sum(lowered[at : at + 2] in _PAIRS for at in range(pairs)) / pairs
