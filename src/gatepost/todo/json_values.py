"""Plain values out of whatever was given: each reading answers `None` for what it cannot use, and never raises.

What is given may be anything, also an object that lies about its class or fails when it is compared. So types are
asked of `type(...)`, methods are those of the built-in class, and mappings are copied down to their plain text keys
before a key is looked up.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

Record: TypeAlias = Mapping[str, object]
Scalar: TypeAlias = str | int | float | bool

NOTHING: Final[Record] = {}

# Beyond this, turning a number into text may itself fail; no honest revision comes near it.
_LARGEST: Final = 2**63


def record(value: object) -> Record | None:
    """A mapping's entries under text keys."""
    if not issubclass(type(value), dict):
        return None
    # Listed first, in one go: another thread may be adding keys.
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
    """A text, as it stands."""
    return str.__str__(cast("str", value)) if issubclass(type(value), str) else None


def filled(value: object) -> str | None:
    """A text that is not blank."""
    found = text(value)
    return found if found and not found.isspace() else None


def whole(value: object) -> int | None:
    """A whole number; `12.0` is one, as JSON does not tell the two apart. `true` is none."""
    kind = type(value)
    if kind is float and float.is_integer(cast("float", value)):
        number = int(cast("float", value))
    elif issubclass(kind, int) and kind is not bool:
        number = int.__index__(cast("int", value))
    else:
        return None
    return number if -_LARGEST < number < _LARGEST else None


def name(value: object) -> str | None:
    """What may name an item or a scope: a text that is not blank, or a whole number as text."""
    number = whole(value)
    return filled(value) if number is None else str(number)


def scalar(value: object) -> Scalar | None:
    """A text, number or truth value."""
    if type(value) is bool or type(value) is float:
        return value
    return text(value) if issubclass(type(value), str) else whole(value)
