"""Snapshots: a session's state at one time, to restore here or in another process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from gatepost.domain.value import prepared
from gatepost.runtime.codec import Codec, CodecError, EncodedValue, Types
from gatepost.runtime.slice_values import ValueRange

VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """A session's state at one time (`at`, in UTC), for `Session.restore`. It never changes."""

    session_id: str
    at: datetime
    runs: Mapping[type, ValueRange[object]] = field(repr=False)

    def to_json(self, types: Types = ()) -> str:
        """The snapshot as JSON for `from_json`. The same state gives the same text.

        Types are named after their classes. Give `{"note": Note}` for names that survive a renamed class. A value
        that could not be read back unchanged raises `ToolValidationError`.
        """
        return self.written(Codec(types))

    @classmethod
    def from_json(cls, text: str, types: Types = ()) -> "Snapshot":
        """Read a snapshot, given the types of its values and slices.

        Unknown types, fields and versions raise `ToolValidationError` with what is missing.
        """
        return cls.read(text, Codec(types))

    def written(self, codec: Codec) -> str:
        """Like `to_json`, with a codec."""
        slices = {
            codec.name(kind): [codec.write(value) for value in run.values(0)] for kind, run in self.runs.items()
        }
        whole = _Whole(
            version=VERSION,
            session_id=self.session_id,
            at=self.at,
            slices={name: slices[name] for name in sorted(slices) if slices[name]},
        )
        return msgspec.json.encode(whole).decode()

    @classmethod
    def read(cls, text: str, codec: Codec) -> "Snapshot":
        """Like `from_json`, with a codec."""
        whole = _read(text)
        runs = {
            codec.kind(name): _run([codec.read(written) for written in values])
            for name, values in whole.slices.items()
        }
        return cls(session_id=whole.session_id, at=whole.at, runs=runs)


class _Whole(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="session_snapshot"):
    """A snapshot's JSON."""

    version: Literal[1]
    session_id: str
    at: datetime
    slices: dict[str, list[EncodedValue]]


class _Version(msgspec.Struct, frozen=True):
    version: Any = None


def _read(text: str) -> _Whole:
    try:
        version = msgspec.json.decode(text, type=prepared(_Version)).version
        if isinstance(version, int) and version > VERSION:
            raise CodecError(
                f"The snapshot has version {version}. This Gatepost reads version {VERSION}.",
                "Use the Gatepost version that wrote it, or a later one.",
            )
        return msgspec.json.decode(text, type=prepared(_Whole))
    except (msgspec.MsgspecError, UnicodeEncodeError, TypeError) as error:
        raise CodecError(
            f"This is not a session snapshot: {error}", "Give the text that Snapshot.to_json() returned."
        ) from None


def _run(values: list[object]) -> ValueRange[object]:
    return ValueRange(values, len(values))
