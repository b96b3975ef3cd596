"""What an operation is: a command, a reply, a handler and its words, each written once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_type_hints

from msgspec import UNSET, Struct

from gatepost.engine.reader import Reader
from gatepost.operations.fields import RequestId, Revision, Workspace

R = TypeVar("R")

Toolset = Literal["core", "tasks", "todo", "taskdoc", "workspace", "files", "files-read"]
ALL: Final = "all"
TOOLSETS: Final[tuple[str, ...]] = (*get_args(Toolset), ALL)


class Command(Struct, Generic[R], frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something asked in a workspace, answered by an `R`."""

    workspace: Workspace


class Repeatable(Command[R], frozen=True, kw_only=True):
    """Something asked that changes state, and can be sent twice without harm."""

    request_id: RequestId | None = None


class Write(Repeatable[R], frozen=True, kw_only=True):
    """Something asked that changes state, if it is still the state the caller knows."""

    expected_revision: Revision | None = None


class Operation(Struct, frozen=True):
    """One thing that can be asked."""

    name: str
    about: str
    command: type[Command[Any]]
    reply: type
    handler: Callable[[Any, Any], Any]
    writes: bool
    destructive: bool
    toolsets: tuple[str, ...]
    clearable: frozenset[str]
    files: bool = False
    """Works on files, outside of the store and its transactions."""
    judged_later: frozenset[str] = frozenset()
    """Fields whose texts the handler searches for secrets itself. All others are searched when the call is read."""

    def changed(self, reply: Mapping[str, Any]) -> bool:
        """Whether this reply says that the call changed something."""
        return self.writes and "error" not in reply and reply.get("changed", True)


def operation(
    name: str, *toolsets: Toolset, destructive: bool = False, judged_later: Sequence[str] = ()
) -> Callable[[Callable[..., Any]], Operation]:
    """Make a handler an operation. One that takes a `Reader` cannot write. Without tool sets it is for programs.

    The first paragraph of its docstring is the description that callers see.
    """

    def made(handler: Callable[..., Any]) -> Operation:
        hints = get_type_hints(handler)
        place, command, _ = hints.values()
        return Operation(
            name=name,
            about=" ".join((handler.__doc__ or "").partition("\n\n")[0].split()),
            command=command,
            reply=_reply(command),
            handler=handler,
            writes=place is not Reader,
            destructive=destructive,
            toolsets=(*toolsets, ALL) if toolsets else (),
            clearable=_clearable(command),
            judged_later=frozenset(judged_later),
        )

    return made


def _reply(command: type[Command[Any]]) -> type:
    """The `R` that a command says it is answered by."""
    reply: type = get_args(vars(command)["__orig_bases__"][0])[0]
    return reply


def _clearable(command: type[Command[Any]]) -> frozenset[str]:
    """Fields in which null says "clear this": those that can tell null from absent."""
    named = zip(reversed(command.__struct_encode_fields__), reversed(command.__struct_defaults__), strict=False)
    return frozenset(name for name, default in named if default is UNSET)
