"""Plain values from any input: each function returns `None` for what it cannot use, and never raises.

The input may be any object, also one that lies about its class or fails in a comparison. So types are checked with
`type(...)`, methods of the built-in class are called, and mappings are copied with only their plain text keys
before a key is looked up.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

Record: TypeAlias = Mapping[str, object]
Scalar: TypeAlias = str | int | float | bool

NOTHING: Final[Record] = {}

# Converting larger numbers to text may fail. No real revision comes near this.
_LARGEST: Final = 2**63


def record(value: object) -> Record | None:
    """A mapping's entries with text keys."""
    if not issubclass(type(value), dict):
        return None
    # Copied first, in one operation: another thread may be adding keys.
    entries = list(dict.items(cast("dict[object, object]", value)))
    return {key: held for key, held in entries if type(key) is str}


def row(value: object) -> Sequence[object] | None:
    """The entries of a list or tuple."""
    kind = type(value)
    if issubclass(kind, list):
        return list.copy(cast("list[object]", value))
    if issubclass(kind, tuple):
        return tuple.__getitem__(cast("tuple[object, ...]", value), slice(None))
    return None


def text(value: object) -> str | None:
    """A text, unchanged."""
    return str.__str__(cast("str", value)) if issubclass(type(value), str) else None


def filled(value: object) -> str | None:
    """A text that is not blank."""
    found = text(value)
    return found if found and not found.isspace() else None


def whole(value: object) -> int | None:
    """A whole number. `12.0` is one, since JSON does not distinguish them. `true` is not."""
    kind = type(value)
    if kind is float and float.is_integer(cast("float", value)):
        number = int(cast("float", value))
    elif issubclass(kind, int) and kind is not bool:
        number = int.__index__(cast("int", value))
    else:
        return None
    return number if -_LARGEST < number < _LARGEST else None


def name(value: object) -> str | None:
    """A valid name of an item or a scope: text that is not blank, or a whole number as text."""
    number = whole(value)
    return filled(value) if number is None else str(number)


def scalar(value: object) -> Scalar | None:
    """A text, number or boolean."""
    if type(value) is bool or type(value) is float:
        return value
    return text(value) if issubclass(type(value), str) else whole(value)
