"""Values to JSON and back. Decoding is strict, and only what can be decoded is encoded."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from gatepost.domain.refusals import ToolValidationError
from gatepost.domain.value import prepared

Types = Iterable[type] | Mapping[str, type]
"""Types by class name, or by names of your own, which survive the renaming of a class."""

_PLAIN: Final[tuple[type, ...]] = (
    *(object, type(None), bool, int, float, str, bytes, tuple, list, dict, set, frozenset),
    *(datetime, date, time, timedelta, Decimal, UUID),
)
_encode: Final = msgspec.json.Encoder().encode


class EncodedValue(NamedTuple):
    """An encoded value: the name of its type, and plain JSON."""

    type: str
    data: Any


class CodecError(ToolValidationError):
    """A value cannot be encoded as JSON, or JSON cannot be decoded to a value."""


class Codec:
    """Encodes and decodes values of the types that it knows by name."""

    __slots__ = ("_kinds", "_names")

    def __init__(self, types: Types = ()) -> None:
        self._kinds: Final[dict[str, type]] = {}
        self._names: Final[dict[type, str]] = {}
        for kind in _PLAIN:
            self._add(kind.__name__, kind)
        named = (
            types.items()
            if isinstance(types, Mapping)
            else [(getattr(kind, "__name__", ""), kind) for kind in types]
        )
        for name, kind in named:
            self._add(name, kind)

    def learn(self, kind: type) -> None:
        """Register a type under its class name, unless it has a name."""
        if kind not in self._names:
            self._add(kind.__name__, kind)

    def name(self, kind: type) -> str:
        """The name of a type."""
        self.learn(kind)
        return self._names[kind]

    def kind(self, name: str) -> type:
        """The type with this name."""
        found = self._kinds.get(name)
        if found is None:
            raise CodecError(f"The type {name!r} is unknown.", f"Add the class named {name} to `types`.")
        return found

    def write(self, value: object) -> EncodedValue:
        """Encode a value. Refused if decoding would not give an equal value."""
        kind = type(value)
        name = self.name(kind)
        try:
            data = _plain(kind, value)
            again = _made(kind, data)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise _unwritable(name, str(error)) from error
        # Values without their own equality are equal if they encode to the same JSON.
        if (again != value) if kind.__eq__ is not object.__eq__ else (_plain(kind, again) != data):
            raise _unwritable(name, "decoding it gives a different value")
        return EncodedValue(name, data)

    def read(self, written: EncodedValue) -> Any:
        """Decode a value. A field that its type no longer has is refused, not dropped."""
        kind = self.kind(written.type)
        try:
            value = _made(kind, written.data)
            lost = _lost(written.data, _plain(kind, value), written.type)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise CodecError(
                f"Stored data of type {written.type} does not match the class: {error}",
                f"Keep the earlier fields of {written.type}, and give new fields a default.",
            ) from error
        if lost is not None:
            raise CodecError(
                f"Stored data of type {written.type} has a field that the class lacks: {lost}",
                f"Keep the field in {written.type}. Without it, its stored value would be lost.",
            )
        return value

    def _add(self, name: str, kind: type) -> None:
        if not isinstance(kind, type):
            raise TypeError(
                f"{kind!r} is not a class: give the classes of the values, or a dict from names to classes"
            )
        known = self._kinds.setdefault(name, kind)
        if known is not kind:
            raise CodecError(
                f"Two types have the name {name}: {_whole(known)} and {_whole(kind)}.",
                "Give `types` as a dict from names that you choose to classes.",
            )
        self._names.setdefault(kind, name)


def _plain(kind: type, value: Any) -> Any:
    if _is_model(kind):
        return value.model_dump(mode="json", by_alias=False)
    return msgspec.json.decode(_encode(value))


def _made(kind: type, data: Any) -> Any:
    if kind is object:
        raise TypeError("a bare object has no contents")
    if _is_model(kind):
        read = kind.model_validate_json  # type: ignore[attr-defined]  # a Pydantic model
        return read(_encode(data), strict=False, by_alias=False, by_name=True)
    # Decode from JSON, in which dates and dict keys are strings.
    return msgspec.json.decode(_encode(data), type=prepared(kind))


def _is_model(kind: type) -> bool:
    return hasattr(kind, "__pydantic_core_schema__") and hasattr(kind, "model_validate_json")


def _lost(before: Any, after: Any, where: str) -> str | None:
    """The path of the first encoded item that is missing after decoding."""
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
        f"A {name} cannot be encoded as JSON: {why}",
        "Use a dataclass, a msgspec.Struct, a named tuple or a Pydantic model whose fields have plain types.",
    )


def _whole(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
