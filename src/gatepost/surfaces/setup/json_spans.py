"""JSON with comments, read with the place of every value in the text."""

import json
import re
from typing import Any, Final, NamedTuple

_BLANK: Final = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEEPEST: Final = 100


class CannotMerge(Exception):
    """A file cannot be edited without risk. The message says why, as the end of a sentence about the file."""


class JsonEntry(NamedTuple):
    """A member of an object or an item of an array: from its key, or its value, to the end of its value."""

    key: str | None
    start: int
    value: "Span"


class Span(NamedTuple):
    """A value and its place in the text. `entries` are those of an object or array."""

    start: int
    end: int
    value: Any
    entries: tuple[JsonEntry, ...] = ()

    def member(self, key: str) -> JsonEntry | None:
        """The member with a key: the last one, as readers of JSON take it."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)


def read(text: str) -> Span:
    """The only value of a text. Raises `CannotMerge`."""
    found = _value(text, blank(text, 0), 0)
    if blank(text, found.end) != len(text):
        raise _misfit(text, found.end)
    return found


def blank(text: str, at: int) -> int:
    """Where white space and comments end."""
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _value(text: str, at: int, depth: int) -> Span:
    if depth > _DEEPEST:
        raise CannotMerge("is nested too deeply")
    sign = text[at : at + 1]
    if sign in ("{", "["):
        return _container(text, at, depth)
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise _misfit(text, at)
    try:
        return Span(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _misfit(text, at) from None


def _container(text: str, start: int, depth: int) -> Span:
    is_object = text[start] == "{"
    end = "}" if is_object else "]"
    entries: list[JsonEntry] = []
    at = blank(text, start + 1)
    while text[at : at + 1] != end:
        entry = _entry(text, at, depth, is_object=is_object)
        entries.append(entry)
        at = blank(text, entry.value.end)
        if text[at : at + 1] == ",":
            at = blank(text, at + 1)
        elif text[at : at + 1] != end:
            raise _misfit(text, at)
    if is_object:
        return Span(start, at + 1, {entry.key: entry.value.value for entry in entries}, tuple(entries))
    return Span(start, at + 1, [entry.value.value for entry in entries], tuple(entries))


def _entry(text: str, at: int, depth: int, *, is_object: bool) -> JsonEntry:
    if not is_object:
        return JsonEntry(None, at, _value(text, at, depth + 1))
    key = _STRING.match(text, at)
    if key is None:
        raise _misfit(text, at)
    colon = blank(text, key.end())
    if text[colon : colon + 1] != ":":
        raise _misfit(text, colon)
    try:
        name = json.loads(key[0])
    except ValueError:
        raise _misfit(text, at) from None
    return JsonEntry(name, at, _value(text, blank(text, colon + 1), depth + 1))


def _misfit(text: str, at: int) -> CannotMerge:
    return CannotMerge(f"is not JSON that can be edited (line {text.count(chr(10), 0, at) + 1})")
