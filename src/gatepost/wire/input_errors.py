"""Error messages for invalid input: every problem at once, each with its field.

Only refused calls come here, so it may be slow: the fast check names just the first problem.
"""

import difflib
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import inspect

from gatepost.wire.credentials import redacted
from gatepost.wire.texts import MEANINGS

Problem = tuple[str, str]

_MOST: Final = 20
_WIDEST: Final = 200


def problems(kind: type, value: Any, fallback: str) -> list[Problem]:
    """The problems of a value that should be a `kind`. Never empty."""
    found = []
    for problem in _check(inspect.type_info(kind), value, ""):
        found.append(problem)
        if len(found) == _MOST:
            break
    return found or [("arguments", fallback)]


def _check(kind: inspect.Type, value: Any, at: str) -> Iterator[Problem]:
    if isinstance(kind, inspect.Metadata):
        yield from _check(kind.type, value, at)
    elif isinstance(kind, inspect.UnionType):
        yield from _check_union(kind, value, at)
    elif isinstance(kind, inspect.StructType):
        yield from _check_struct(kind, value, at)
    elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
        yield from _check_list(kind, value, at)
    elif isinstance(kind, inspect.DictType):
        yield from _check_table(kind, value, at)
    else:
        yield from _check_scalar(kind, value, at)


def _check_scalar(kind: inspect.Type, value: Any, at: str) -> Iterator[Problem]:
    if isinstance(kind, inspect.StrType):
        yield from _check_text(kind, value, at)
    elif isinstance(kind, inspect.IntType):
        yield from _check_number(kind, value, at)
    elif isinstance(kind, inspect.BoolType):
        if not isinstance(value, bool):
            yield at, f"must be true or false, not {_word(value)}"
    elif isinstance(kind, inspect.LiteralType) and (value not in kind.values or isinstance(value, bool)):
        yield at, f"must be one of {', '.join(map(str, kind.values))}; got {_shown(value)}"


def _check_union(kind: inspect.UnionType, value: Any, at: str) -> Iterator[Problem]:
    if value is None and any(isinstance(member, inspect.NoneType) for member in kind.types):
        return
    real = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
    texts = [member for member in real if isinstance(value, str) and _is_text(member)]
    yield from _check((texts or real)[0], value, at)


def _is_text(kind: inspect.Type) -> bool:
    return isinstance(kind.type if isinstance(kind, inspect.Metadata) else kind, inspect.StrType)


def _check_struct(kind: inspect.StructType, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield at or "arguments", f"must be an object, not {_word(value)}"
        return
    known = {field.encode_name: field for field in kind.fields}
    for name, item in value.items():
        where = f"{at}.{name}" if at else str(name)
        if name in known:
            yield from _check(known[name].type, item, where)
        else:
            yield shortened(where), f"is unknown{nearest(str(name), list(known))}"
    for name, field in known.items():
        if field.required and name not in value:
            yield f"{at}.{name}" if at else name, "is required"


def _check_list(kind: inspect.VarTupleType | inspect.ListType, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, list | tuple):
        yield at, f"must be a list, not {_word(value)}"
        return
    if kind.max_length is not None and len(value) > kind.max_length:
        yield at, f"may have at most {kind.max_length} entries; got {len(value)}"
    if kind.min_length is not None and len(value) < kind.min_length:
        yield at, f"must have at least {kind.min_length} entry" if kind.min_length == 1 else "is too short"
    for index, item in enumerate(value):
        yield from _check(kind.item_type, item, f"{at}[{index}]")


def _check_table(kind: inspect.DictType, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield at, f"must be an object, not {_word(value)}"
        return
    if kind.max_length is not None and len(value) > kind.max_length:
        yield at, f"may have at most {kind.max_length} entries; got {len(value)}"
    for name, item in value.items():
        where = shortened(f"{at}.{name}")
        yield from _check(kind.key_type, name, where)
        yield from _check(kind.value_type, item, where)


def _check_text(kind: inspect.StrType, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield at, f"must be a string, not {_word(value)}"
    elif kind.min_length is not None and len(value) < kind.min_length:
        yield at, "must not be empty"
    elif kind.max_length is not None and len(value) > kind.max_length:
        yield at, f"may have at most {kind.max_length:,} characters; got {len(value):,}"
    elif kind.pattern is not None and re.search(kind.pattern, value) is None:
        yield at, f"{MEANINGS.get(kind.pattern, 'has the wrong format')}; got {_shown(value)}"


def _check_number(kind: inspect.IntType, value: Any, at: str) -> Iterator[Problem]:
    if isinstance(value, bool) or not isinstance(value, int):
        yield at, f"must be a whole number, not {_word(value)}"
    elif kind.ge is not None and value < kind.ge:
        yield at, f"must be at least {kind.ge}; got {_shown(value)}"
    elif kind.le is not None and value > kind.le:
        yield at, f"must be at most {kind.le}; got {_shown(value)}"


def nearest(name: str, known: list[str]) -> str:
    """The end of a sentence about an unknown name: the known name that is most like it."""
    for words, cutoff in (("did you mean", 0.6), ("the nearest is", 0.0)):
        if close := difflib.get_close_matches(name[:_WIDEST], known, n=1, cutoff=cutoff):
            return f"; {words} `{close[0]}`{'?' if cutoff else ''}"
    return ""


def _word(value: Any) -> str:
    if value is None:
        return "null"
    for kinds, word in (
        (bool, "a boolean"),
        (str, "a string"),
        (int | float, "a number"),
        (list | tuple, "a list"),
        (dict, "an object"),
    ):
        if isinstance(value, kinds):
            return f"{word} ({_shown(value)})" if kinds is not dict and word != "a list" else word
    return type(value).__name__


def _shown(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > _WIDEST:
        return "a very long number"
    try:
        return shortened(msgspec.json.encode(value).decode())
    except (TypeError, ValueError, OverflowError, RecursionError):
        return "a value that cannot be shown"


def shortened(text: str) -> str:
    """A text that is safe to echo: valid, without credentials and short. Redacts first: a cut credential is not
    recognized.
    """
    text, _ = redacted(text.encode("utf-8", "backslashreplace").decode())
    return text if len(text) <= 80 else text[:77] + "..."
