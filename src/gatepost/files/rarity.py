"""Beginning within a word: `re` stops at every first letter of a pattern, and at a rare one less often."""

from itertools import takewhile
from typing import Any, Final

from gatepost.files.expressions import PARSER, Parsed, items, name_of

COMMON: Final = frozenset(" etaoinsr")
"""Each of these is one in thirty characters or more, in prose and in code."""


def begun_rarely(tree: Parsed) -> list[tuple[Any, Any]]:
    r"""The items of a pattern that is found in the same lines, from a rarer letter of its first word on.

    `return\s` becomes `urn(?<=return)\s`, and `\bself` `lf(?<=\bself)`. What stands before the word has no width.
    """
    whole = list(tree)
    before = list(takewhile(_is_glance, whole))
    word = list(takewhile(lambda item: name_of(item[0]) == "LITERAL", whole[len(before) :]))
    signs = [chr(value) for _, value in word]
    place = next((place for place, sign in enumerate(signs[:-1]) if sign not in COMMON), 0)
    if not word or not (before or place):
        return whole
    looked_back = PARSER.SubPattern(tree.state, before + word)
    behind = whole[len(before) + len(word) :]
    return [*word[place:], (PARSER.ASSERT, (-1, looked_back)), *behind]


def _is_glance(item: tuple[Any, Any]) -> bool:
    """Whether an item of a pattern has no width and remembers nothing."""
    name, value = name_of(item[0]), item[1]
    if name == "AT":
        return name_of(value) == "AT_BOUNDARY"
    return name in ("ASSERT", "ASSERT_NOT") and all(inner != "SUBPATTERN" for inner, _ in items(value[1]))
