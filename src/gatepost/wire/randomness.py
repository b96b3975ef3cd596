"""Tell random values from words, patterns, paths and placeholders.

All of it is arithmetic over one value of bounded length.
"""

import re
from collections import Counter
from itertools import pairwise
from math import log2
from typing import Final

_READ: Final = 100
_DISTINCT: Final = 8
_ENTROPY: Final = 2.75
_FEW: Final = 4
_CLIMBS: Final = 0.4
_BY_CHANCE: Final = 4
# These practically never occur in random letters.
_LONG_WORDS: Final = (
    *("example", "placeholder", "changeme", "change-me", "change_me", "redacted", "masked", "sample", "insert"),
    *("replace", "deadbeef", "cafebabe", "xxxxxx", "******", "______", "0000000", "qwerty", "foobar"),
    *("secret", "password"),
)
# These occur in random letters now and then, so they count only together with other signs of words.
_SHORT_WORDS: Final = ("your", "dummy", "fake", "lorem", "todo", "token", "xxxx", "...", "****", "____")
_WRITTEN: Final = 0.3
# The letter pairs that make up three quarters of the pairs in English and in identifiers, but a sixth of random
# pairs.
_LETTERS: Final = (
    "abacadaialamanarasatblcacechckclcoctdedieaecedeeefelemeneperesetexfifogehahehihoiciliminioisitkelale"
    "lilllolymamemompnancndnengninonsntocodomonoporosotoupapeplpoprptrarerirnrorrrsrtsesissstsutatethtito"
    "trtstuulunurusutvave"
)
_PAIRS: Final = frozenset(_LETTERS[at : at + 2] for at in range(0, len(_LETTERS), 2))
_WORDY: Final = 0.4
_SHORT: Final = 4
_LONG_PART: Final = 16
_made = re.compile(r"[!-~]{16,512}")
_base64 = re.compile(r"[A-Za-z0-9+/]{32,}={0,2}")
_date = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_signs = re.compile(r"[^A-Za-z0-9]+")
_plain = re.compile(r"[A-Za-z][a-z]*[0-9]{0,2}|[A-Z]+[0-9]{0,2}|[0-9]*")


def is_random(value: str) -> bool:
    """Whether a value of at least 16 characters is random: an even mix of letters, digits and signs without blanks,
    and no words, pattern, path or placeholder.
    """
    return (
        _made.fullmatch(value) is not None
        and any(letter.isdigit() for letter in value)
        and any(letter.isalpha() for letter in value)
        and len(set(value)) >= _DISTINCT
        and _entropy(value) >= _ENTROPY
        and "..." not in value
        and not is_placeholder(value)
        and _date.search(value) is None
        and not _is_path(value)
        and not _is_phrase(value)
        and _wordiness(value) < _WORDY
    )


def is_placeholder(value: str) -> bool:
    """Whether a value only shows a form: few letters repeated, the alphabet, or a word that says so."""
    value = value[:_READ]
    lowered = value.lower()
    climbing = _climbing(lowered)
    return (
        any(word in lowered for word in _LONG_WORDS)
        or len(set(value)) < _FEW
        or climbing > len(value) * _CLIMBS + _BY_CHANCE
        or (
            any(word in lowered for word in _SHORT_WORDS)
            and max(_wordiness(value), climbing / len(value)) > _WRITTEN
        )
    )


def _entropy(value: str) -> float:
    total = len(value)
    return -sum(count / total * log2(count / total) for count in Counter(value).values())


def _climbing(value: str) -> int:
    """How many letters continue a sequence, as in `abc`, `321` or `aaa`."""
    return sum(abs(ord(one) - ord(other)) <= 1 for one, other in pairwise(value))


def _is_path(value: str) -> bool:
    """Whether slashes, dots or backslashes split it into possible names."""
    if value.startswith(("//", "./", "../", "~/", "\\")) or "://" in value:
        return True
    parts = re.split(r"[/\\.:]", value)
    if value.startswith("/") and (max(map(len, parts)) < _LONG_PART or _base64.fullmatch(value) is None):
        return True
    short = sum(len(part) < _SHORT for part in parts)
    words = sum(len(part) >= _SHORT and _wordiness(part) >= _WORDY for part in parts)
    return len(parts) > 1 and words > 0 and 2 * (words + short) > len(parts)


def _is_phrase(value: str) -> bool:
    """Whether signs split it into words and numbers, as in `test-key-123`."""
    parts = _signs.split(value)
    return (
        len(parts) > 1
        and all(_plain.fullmatch(part) for part in parts)
        and max((_wordiness(part) for part in parts if part.isalnum()), default=0) >= _WORDY
    )


def _wordiness(value: str) -> float:
    """The share of its letter pairs that are typical of words. A word has no capital after a lower-case letter."""
    lowered = value.lower()
    pairs = max(len(value) - 1, 1)
    return sum(lowered[at : at + 2] in _PAIRS and not _rises(value, at) for at in range(pairs)) / pairs


def _rises(value: str, at: int) -> bool:
    return value[at].islower() and value[at + 1].isupper()
