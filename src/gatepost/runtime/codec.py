"""Values as JSON and back: each with the name of its type, read strictly, and only written if it can be read."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from gatepost.domain.refusals import ToolValidationError

Types = Iterable[type] | Mapping[str, type]
"""Types by their class names, or by names of your own: those stay when a class is renamed or two have one name."""

_PLAIN: Final[tuple[type, ...]] = (
    *(object, type(None), bool, int, float, str, bytes, tuple, list, dict, set, frozenset),
    *(datetime, date, time, timedelta, Decimal, UUID),
)
_encode: Final = msgspec.json.Encoder().encode


class EncodedValue(NamedTuple):
    """A value as it is written: the name of its type, and plain JSON."""

    type: str
    data: Any


class CodecError(ToolValidationError):
    """A value cannot be written as JSON, or what was written cannot be read as a value."""


class Codec:
    """Names for types, and the way of their values to JSON and back."""

    __slots__ = ("_kinds", "_names")

    def __init__(self, types: Types = ()) -> None:
        self._kinds: Final[dict[str, type]] = {}
        self._names: Final[dict[type, str]] = {}
        for kind in _PLAIN:
            self._add(kind.__name__, kind)
        named = types.items() if isinstance(types, Mapping) else [(_class_name(kind), kind) for kind in types]
        for name, kind in named:
            self._add(name, kind)

    def learn(self, kind: type) -> None:
        """Know a type by its class name, if it has no name yet."""
        if kind not in self._names:
            self._add(kind.__name__, kind)

    def name(self, kind: type) -> str:
        """What a type is called."""
        self.learn(kind)
        return self._names[kind]

    def kind(self, name: str) -> type:
        """The type that is called so."""
        found = self._kinds.get(name)
        if found is None:
            raise CodecError(
                f"Nothing is known of the type {name!r}.", f"Give the class that is called {name} among the types."
            )
        return found

    def write(self, value: object) -> EncodedValue:
        """A value as plain JSON. Refused if reading it would not give the same again."""
        kind = type(value)
        name = self.name(kind)
        try:
            data = _plain(kind, value)
            again = _made(kind, data)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise _unwritable(name, str(error)) from error
        # What has no equality of its own is the same if it would be written the same.
        if (again != value) if kind.__eq__ is not object.__eq__ else (_plain(kind, again) != data):
            raise _unwritable(name, "it would come back with other contents")
        return EncodedValue(name, data)

    def read(self, written: EncodedValue) -> Any:
        """The value again. A field that its type no longer has is refused, not dropped."""
        kind = self.kind(written.type)
        try:
            value = _made(kind, written.data)
            lost = _lost(written.data, _plain(kind, value), written.type)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise CodecError(
                f"What was written as {written.type} does not fit the class: {error}",
                f"Let {written.type} have its earlier fields, with defaults for new ones.",
            ) from error
        if lost is not None:
            raise CodecError(
                f"What was written as {written.type} has a field that the class does not know: {lost}",
                f"Let {written.type} keep the field: reading would drop what it holds.",
            )
        return value

    def _add(self, name: str, kind: type) -> None:
        if not isinstance(kind, type):
            raise TypeError(
                f"{kind!r} is no class: give the classes of the values, or a dict from names to classes"
            )
        known = self._kinds.setdefault(name, kind)
        if known is not kind:
            raise CodecError(
                f"Two types are called {name}: {_whole(known)} and {_whole(kind)}.",
                "Give the types as a dict from names of your own to classes.",
            )
        self._names.setdefault(kind, name)


def _class_name(kind: object) -> str:
    if not isinstance(kind, type):
        raise TypeError(f"{kind!r} is no class: give the classes of the values, or a dict from names to classes")
    return kind.__name__


def _plain(kind: type, value: Any) -> Any:
    if _is_model(kind):
        return value.model_dump(mode="json", by_alias=False)
    return msgspec.json.decode(_encode(value))


def _made(kind: type, data: Any) -> Any:
    if kind is object:
        raise TypeError("a bare object holds nothing")
    if _is_model(kind):
        read = kind.model_validate_json  # type: ignore[attr-defined]  # a Pydantic model
        return read(_encode(data), strict=False, by_alias=False, by_name=True)
    # From JSON, where a date is a text and a key of a dict is one too.
    return msgspec.json.decode(_encode(data), type=kind)


def _is_model(kind: type) -> bool:
    return hasattr(kind, "__pydantic_core_schema__") and hasattr(kind, "model_validate_json")


def _lost(before: Any, after: Any, where: str) -> str | None:
    """Where something that was written is not in what was read from it."""
    if isinstance(before, dict):
        if not isinstance(after, dict):
            return where
        for name, held in before.items():
            if name not in after:
                return f"{where}.{name}"
            found = _lost(held, after[name], f"{where}.{name}")
            if found is not None:
                return found
    elif isinstance(before, list) and isinstance(after, list):
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            found = _lost(one, other, f"{where}[{place}]")
            if found is not None:
                return found
    return None


def _unwritable(name: str, why: str) -> CodecError:
    return CodecError(
        f"A {name} cannot be written as JSON: {why}",
        "Use a dataclass, a msgspec.Struct, a named tuple or a Pydantic model whose fields have plain types.",
    )


def _whole(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
