"""What all replies have in common.

Every reply is a frozen struct. A field that is left out when it says nothing has a default, mostly `None`. A field
that a budget may cut has a default made by `cuttable`: it is always sent, and a reply without it can still be
decoded.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")

if TYPE_CHECKING:
    JsonValue: TypeAlias = str | int | float | bool | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None
    JsonObject: TypeAlias = Mapping[str, JsonValue]
else:
    JsonValue, JsonObject = Any, dict[str, Any]  # msgspec knows no type that contains itself

MOST_CHARS: Final = 16_000
"""The length of a reply whose caller asks for no other."""


def cuttable(default: T) -> T:
    """The default of a field that a budget may cut. A default from a factory is always encoded."""
    made: T = msgspec.field(default_factory=lambda: default)
    return made


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A piece of a reply. None refers back to itself, so the garbage collector need not look at them."""


class Budget(Part, frozen=True, kw_only=True):
    """How long the reply may be, how long it is, and how much of what was left out."""

    max_chars: int
    used_chars: int
    truncated: bool
    omitted: dict[str, int] | None = None


class SuggestedCall(Part, frozen=True, kw_only=True):
    """A call to make. `supply` names the arguments that only the caller can fill in, such as a confirmation.
    `target` is the plan or task that the call is about, if naming it is left to the caller."""

    tool: str
    arguments: JsonObject
    supply: tuple[str, ...] | None = None
    target: str | None = None
    because: str | None = None


class Reply(Part, frozen=True, kw_only=True):
    """The reply of a read."""

    budget: Budget | None = None


class PastMoment(Part, frozen=True, kw_only=True):
    """A moment in the past: the last `seq` that counts, and when it was written. 0 is before the first call."""

    seq: int
    at: str | None = None


class TargetReply(Reply, frozen=True, kw_only=True):
    """The reply of a read about a plan, a task or the whole workspace.

    If the workspace does not exist, `workspaces` are the most similar ones that do, and `next` is the same read of
    the first of them. `at` is the moment that the reply is about, if it was asked for; `next` is left out then,
    because nothing can be done there.
    """

    at: PastMoment | None = None
    workspaces: tuple[str, ...] | None = None
    next: SuggestedCall | None = None


class WriteReply(Reply, frozen=True, kw_only=True):
    """The reply of a write. `changed` is sent only where it is false: the call was accepted, and everything was
    already so. `redacted` counts the credentials that were replaced in what was stored.

    Where the reply was too long, `budget` says what was left out and `next` is the call that shows it.
    """

    changed: bool = True
    redacted: int | None = None
    next: SuggestedCall | None = None
