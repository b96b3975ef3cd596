"""Regular expressions taken apart: what the standard library parses a pattern to, and words that no match can lack.

The parser is no public interface. Whatever is not known here is passed over, which costs speed and nothing else.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

try:
    from re import _compiler, _parser  # type: ignore[attr-defined]  # not public, so typeshed does not know them
except ImportError:  # pragma: no cover - another Python than the ones we know
    _compiler = _parser = None

PARSER: Final[Any] = _parser
COMPILER: Final[Any] = _compiler
"""Both or neither are there; what `parsed` gives can be compiled."""

Parsed = Any
"""A parsed pattern, as the standard library makes it: a sequence of opcodes and their values."""

LEAVES: Final = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "AT", "GROUPREF", "FAILURE"}
"""Items that hold no patterns."""

_MOST_WORDS: Final = 8
_LONG_ENOUGH: Final = 4


class Words(NamedTuple):
    """Texts of which every match holds at least one; none are known if it is empty.

    Where case makes no difference they are in lower case.
    """

    texts: tuple[str, ...]
    others: tuple[tuple[str, ...], ...]
    """Further choices of texts: of each of them, too, every match holds at least one."""
    any_case: bool
    enough: bool
    """Whether to hold one is all that a match needs."""


def parsed(pattern: str) -> Parsed | None:
    """What a valid pattern is parsed to; none if this Python does not show it."""
    return None if PARSER is None else PARSER.parse(pattern)


def words(pattern: str) -> Words:
    """What to look for first: it is found much faster than a match."""
    tree = parsed(pattern)
    if tree is None:
        return Words((), (), any_case=False, enough=False)
    names = [name for name, _ in items(tree)]
    any_case = ignores_case(tree)
    needs = dict.fromkeys(_needs(tree, any_case=any_case))
    texts = max(needs, key=_worth, default=())
    others = tuple(need for need in needs if need != texts)
    enough = texts != () and not any_case and set(names) == {"LITERAL"} and len(texts[0]) == len(names)
    return Words(texts, others, any_case=any_case, enough=enough)


def ignores_case(tree: Parsed) -> bool:
    """Whether case makes no difference to a pattern, or to a part of it."""
    local = any(name == "SUBPATTERN" and value[1] & re.IGNORECASE for name, value in items(tree))
    return local or bool(tree.state.flags & re.IGNORECASE)


def items(tree: Parsed) -> Iterator[tuple[str, Any]]:
    """Every item of a pattern, all the way down."""
    for code, value in tree:
        name = name_of(code)
        yield name, value
        for inner in parts(name, value):
            yield from items(inner)


def name_of(code: object) -> str:
    """An opcode's name, such as `MAX_REPEAT`."""
    return str(getattr(code, "name", code))


def parts(name: str, value: Any) -> Iterator[Parsed]:
    """The patterns that an item is made of."""
    match name:
        case "BRANCH":
            yield from value[1]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            yield value[2]
        case "SUBPATTERN":
            yield value[3]
        case "ATOMIC_GROUP":
            yield value
        case "ASSERT" | "ASSERT_NOT":
            yield value[1]
        case "GROUPREF_EXISTS":
            yield from (inner for inner in value[1:] if inner is not None)


def _needs(tree: Parsed, *, any_case: bool) -> Iterator[tuple[str, ...]]:
    """Choices of texts; of each choice, every match of a sequence holds one text."""
    run = ""
    for code, value in tree:
        name = name_of(code)
        if name == "LITERAL" and _findable(chr(value), any_case=any_case):
            run += chr(value).lower() if any_case else chr(value)
            continue
        if run:
            yield (run,)
        run = ""
        yield from _needs_of(name, value, any_case=any_case)
    if run:
        yield (run,)


def _needs_of(name: str, value: Any, *, any_case: bool) -> Iterator[tuple[str, ...]]:
    match name:
        case "SUBPATTERN" | "ATOMIC_GROUP":
            (inner,) = parts(name, value)
            yield from _needs(inner, any_case=any_case)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" if value[0] > 0:
            yield from _needs(value[2], any_case=any_case)
        case "BRANCH":
            choices = [max(_needs(inner, any_case=any_case), key=_worth, default=()) for inner in value[1]]
            texts = tuple(dict.fromkeys(text for choice in choices for text in choice))
            if all(choices) and len(texts) <= _MOST_WORDS:
                yield texts


def _findable(sign: str, *, any_case: bool) -> bool:
    """No line holds a line feed. But for case, some letters beyond ASCII are ASCII ones too, as the long s is."""
    return sign != "\n" and (sign.isascii() or not any_case)


def _worth(texts: tuple[str, ...]) -> tuple[int, int, int]:
    """Short ones stand everywhere; beyond that, one that is found often costs less than two to look for."""
    shortest = min(map(len, texts), default=0)
    return min(shortest, _LONG_ENOUGH), -len(texts), shortest
