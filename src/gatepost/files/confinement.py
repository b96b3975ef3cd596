"""Expressions confined to lines: in a whole text at once, they find what they would find line by line."""

import re
from typing import Any, Final, NamedTuple, cast

from gatepost.files.expressions import COMPILER, PARSER, Parsed, ignores_case, name_of, parsed, parts
from gatepost.files.rarity import begun_rarely

_FEED: Final = ord("\n")
_FIRST: Final = 1
_OPPOSITES: Final = {
    "CATEGORY_SPACE": "CATEGORY_NOT_SPACE",
    "CATEGORY_NOT_WORD": "CATEGORY_WORD",
    "CATEGORY_NOT_DIGIT": "CATEGORY_DIGIT",
}
"""The kinds of characters that a line feed is of, and their opposites."""
_ANCHORS: Final = {
    "AT_BEGINNING": "AT_BEGINNING",
    "AT_BEGINNING_STRING": "AT_BEGINNING",
    "AT_END": "AT_END",
    "AT_END_STRING": "AT_END",
    "AT_BOUNDARY": "AT_BOUNDARY",
}
"""Those whose meaning within a line can be had. Not `\\B`: it does not hold in an empty text, but does in an empty
line of a longer one."""
_GROUPS: Final = {
    *("BRANCH", "MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"),
    *("ATOMIC_GROUP", "ASSERT", "ASSERT_NOT", "GROUPREF_EXISTS"),
}


class Sweep(NamedTuple):
    """An expression that goes through a whole text, and matches once in each line that the original is found in.

    The text has to end with a line feed, and where the expression is anchored also to begin with one, which is no
    part of it.
    """

    pattern: re.Pattern[str]
    """Its first group is a line, from the match to the end."""
    anchored: bool
    """Whether a match begins with the line feed before its line; otherwise it ends with the one behind it."""
    ready: bool
    """Whether `re` skips to where a match can begin. If not, it tries at every character, which takes its time."""


def sweep(pattern: str) -> Sweep | None:
    """The sweep of a valid pattern; none if that cannot be had.

    It is the same expression, but unable to see or cross the end of a line.
    """
    tree = parsed(pattern)
    if tree is None:
        return None
    try:
        _confine(tree)
    except _Unknown:
        return None
    _make_room(tree)
    tree.state.groupwidths.insert(_FIRST, (0, 0))
    # Where case makes no difference, `re` skips to no sign.
    skips = not ignores_case(tree)
    items = begun_rarely(tree) if skips else list(tree)
    anchored = items[:1] == [(PARSER.AT, PARSER.AT_BEGINNING)]
    if anchored:
        del items[0]
    skips = skips and items != [] and name_of(items[0][0]) == "LITERAL"
    feed = (PARSER.LITERAL, _FEED)
    rest = PARSER.SubPattern(tree.state, [(PARSER.NOT_LITERAL, _FEED)])
    items.append((PARSER.MAX_REPEAT, (0, PARSER.MAXREPEAT, rest)))
    line = (PARSER.SUBPATTERN, (_FIRST, 0, 0, PARSER.SubPattern(tree.state, items)))
    # The anchor as a sign to be read, for `re` does not skip to a place; and behind the last one is no line.
    ahead = (PARSER.ASSERT, (1, PARSER.SubPattern(tree.state, [feed])))
    whole = PARSER.SubPattern(tree.state, [feed, line, ahead] if anchored else [line, feed])
    found = cast("re.Pattern[str]", COMPILER.compile(whole, re.MULTILINE))
    return Sweep(found, anchored=anchored, ready=skips)


def _make_room(tree: Parsed) -> None:
    """Count all groups one up. For `re` forgets a group that it tried in vain if those around it come before it."""
    for place, (code, value) in enumerate(tree):
        name = name_of(code)
        if name == "GROUPREF":
            tree[place] = code, value + 1
        elif name == "GROUPREF_EXISTS" or (name == "SUBPATTERN" and value[0] is not None):
            tree[place] = code, (value[0] + 1, *value[1:])
        for inner in parts(name, value):
            _make_room(inner)


class _Unknown(Exception):
    """Something in a pattern that cannot be confined."""


def _confine(tree: Parsed) -> None:
    for place, (code, value) in enumerate(tree):
        tree[place] = _confined(tree, name_of(code), code, value)


def _confined(tree: Parsed, name: str, code: object, value: Any) -> tuple[object, Any]:
    """One item of a pattern, without line feeds in what it can match."""
    match name:
        case "LITERAL" if value != _FEED:
            return code, value
        case "ANY":
            return PARSER.NOT_LITERAL, _FEED
        case "NOT_LITERAL":
            return PARSER.IN, [(PARSER.NEGATE, None), (PARSER.LITERAL, value), (PARSER.LITERAL, _FEED)]
        case "IN":
            return _confined_set(tree, value)
        case "AT" if name_of(value) in _ANCHORS:
            return code, getattr(PARSER, _ANCHORS[name_of(value)])
        case "GROUPREF":
            return code, value
        case "SUBPATTERN":
            group, added, removed, inner = value
            _confine(inner)
            return code, (group, added, removed & ~re.MULTILINE, inner)
        case _ if name in _GROUPS:
            for inner in parts(name, value):
                _confine(inner)
            return code, value
    raise _Unknown(name)


def _confined_set(tree: Parsed, members: list[tuple[object, Any]]) -> tuple[object, Any]:
    first = name_of(members[0][0])
    if first == "NEGATE":
        return PARSER.IN, [*members, (PARSER.LITERAL, _FEED)]
    if not any(_has_feed(name_of(code), value) for code, value in members):
        return PARSER.IN, members
    if len(members) == 1 and first == "CATEGORY":
        opposite = getattr(PARSER, _OPPOSITES[name_of(members[0][1])])
        return PARSER.IN, [(PARSER.NEGATE, None), (PARSER.CATEGORY, opposite), (PARSER.LITERAL, _FEED)]
    feed = PARSER.SubPattern(tree.state, [(PARSER.LITERAL, _FEED)])
    inner = PARSER.SubPattern(tree.state, [(PARSER.ASSERT_NOT, (1, feed)), (PARSER.IN, members)])
    return PARSER.SUBPATTERN, (None, 0, 0, inner)


def _has_feed(name: str, value: Any) -> bool:
    match name:
        case "LITERAL":
            return bool(value == _FEED)
        case "RANGE":
            return bool(value[0] <= _FEED <= value[1])
        case "CATEGORY":
            return name_of(value) in _OPPOSITES
        case _:
            raise _Unknown(name)
