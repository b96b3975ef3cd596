"""The purpose of a command, by its name."""

import re
from typing import Final

from gatepost.digest.findings import Purpose
from gatepost.digest.knowledge import KNOWN

_BY_NAME: Final = {name: purpose for purpose, names in KNOWN.exact.items() for name in names.split()}
_MEANING: Final = {
    word: purpose
    for names in (KNOWN.exact, KNOWN.words)
    for purpose, listed in names.items()
    for word in listed.split()
    if "-" not in word and word != "all"
}
_NEUTRAL: Final = frozenset(KNOWN.neutral.split())

_word = re.compile(r"[a-z]+\d*[a-z]*|\d+", re.ASCII)
_hump = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of_name(name: str) -> Purpose:
    """The purpose of an exact name, else of the first word that has a meaning.

    `check` counts only if no other word has one. A word for something apart, such as `docs`, decides alone.
    """
    if is_exact(name):
        return _BY_NAME[name.lower()]
    found = [_MEANING[word] for word in _words(name) if word in _MEANING]
    if not found or Purpose.OTHER in found:
        return Purpose.OTHER
    telling = [purpose for purpose in found if purpose is not Purpose.CHECK]
    return (telling or found)[0]


def is_exact(name: str) -> bool:
    """Whether a name states a purpose and nothing else."""
    return name.lower() in _BY_NAME


def exactness(name: str, purpose: Purpose) -> tuple[int, int]:
    """How exactly a name states its purpose, as a sort key: `test` before `test-all` before `test-legacy`."""
    names = KNOWN.exact.get(purpose, "").split()
    if name.lower() in names:
        return 0, names.index(name.lower())
    plain = all(_MEANING.get(word) is purpose or word in _NEUTRAL for word in _words(name))
    return (1, 0) if plain else (2, 0)


def _words(name: str) -> list[str]:
    return _word.findall(_hump.sub("-", name).lower())
