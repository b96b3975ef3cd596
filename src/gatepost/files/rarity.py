"""Beginning within a word: `re` stops at every first letter of a pattern, and at a rare one less often."""

from typing import Final

from gatepost.files.expressions import Parsed, name_of, parsed

_COMMON: Final = frozenset(" etaoinsr")
"""Each of these is one in thirty characters or more, in prose and in code."""


def begun_rarely(pattern: str) -> str:
    r"""A pattern that is found in the same lines, from a rarer letter of its first word on if there is one.

    `return\s` becomes `urn(?<=return)\s`.
    """
    tree = parsed(pattern)
    if tree is None:
        return pattern
    word = _first_word(pattern, tree)
    place = next((place for place, sign in enumerate(word[:-1]) if sign not in _COMMON), 0)
    if not place:
        return pattern
    turned = f"{word[place:]}(?<={word}){pattern[len(word) :]}"
    # The parser takes out what alternatives have in common: `ab1|ab2` is not `ab` and then the rest of the text.
    untouched = _behind(parsed(turned), len(word) - place + 1) == _behind(tree, len(word))
    return turned if untouched else pattern


def _first_word(pattern: str, tree: Parsed) -> str:
    """The signs that a pattern begins with, as far as each means itself and is written as itself."""
    word = ""
    for (code, value), sign in zip(tree, pattern, strict=False):
        if name_of(code) != "LITERAL" or chr(value) != sign or not (sign.isalnum() or sign in " _"):
            break
        word += sign
    return word


def _behind(tree: Parsed, place: int) -> str:
    return repr(list(tree)[place:])
