"""Answers one call, for every surface: a name and arguments in, a reply or a refusal out, as JSON.

What only some calls need (batches, taskdocs, the search for credentials) is imported by those calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct, structs

from gatepost.domain.names import WORKSPACE
from gatepost.domain.refusals import InvalidInput, Refusal, Suggestion, UnknownTool, WorkspaceMismatch
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.arguments import ParsedCall, counted, parse
from gatepost.operations.catalog import BY_NAME
from gatepost.operations.registry import Operation
from gatepost.views.budget import DEFAULT, View, fitted
from gatepost.wire import json_output
from gatepost.wire.credential_length import LEAST_WORD

if TYPE_CHECKING:
    from gatepost.files.protocol import Filesystem
    from gatepost.operations.batch import BatchExecutor

_BATCH: Final = "tasks_batch"
_LONGEST_ACTOR: Final = 80
_LONGEST_READ: Final = 1_000
_workspace = re.compile(WORKSPACE)


def caller(
    actor: str,
    bound: str | None = None,
    *,
    session: str = Caller._field_defaults["session"],
    process: str | None = None,
    files: frozenset[str] | None = None,
) -> Caller:
    """A caller whose name came from outside. The name is cut to one short, printable line without credentials."""
    plain = _without_credentials(actor.strip())
    name = "".join(letter if letter.isprintable() else "?" for letter in plain[:_LONGEST_ACTOR])
    return Caller(name.encode("utf-8", "replace").decode() or "unknown", bound, session, process, files)


def _without_credentials(name: str) -> str:
    if len(name) < LEAST_WORD:
        return name
    from gatepost.wire.credentials import redacted

    return redacted(name[:_LONGEST_READ])[0]


class Answer(Struct, frozen=True):
    """A reply as compact JSON, or a refusal as that."""

    text: str
    refusal: Refusal | None = None


def answer(engine: Engine, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
    """Answer one call. Refusals are answers; faults are raised."""
    try:
        operation = offered(name, caller)
        return Answer(_run(engine, operation, parse(operation, arguments, engine.secrets), caller))
    except Refusal as refusal:
        refusal.suggestion = _completed(refusal.suggestion, caller.bound or arguments.get("workspace"), caller)
        return Answer(json_output.refusal(refusal), refusal)


def _completed(suggestion: Suggestion | None, workspace: Any, caller: Caller) -> Suggestion | None:
    """A suggestion with the workspace it is for; none if it would be refused."""
    if suggestion is None or not isinstance(workspace, str) or not _workspace.match(workspace):
        return None
    if not _is_offered(suggestion.tool, caller):
        return None
    return Suggestion(suggestion.tool, {"workspace": workspace, **suggestion.arguments})


def find(name: str) -> Operation:
    """An operation by its name."""
    operation = BY_NAME.get(name)
    if operation is None:
        from difflib import get_close_matches

        shown = _without_credentials(name)[:80].encode("utf-8", "backslashreplace").decode()
        close = get_close_matches(shown, BY_NAME, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise UnknownTool(
            f"There is no operation {shown}.{hint}",
            f"The operations are: {', '.join(BY_NAME)}.",
        )
    return operation


def offered(name: str, caller: Caller) -> Operation:
    """An operation by its name, if the caller may use it."""
    operation = find(name)
    if not _is_offered(name, caller):
        raise UnknownTool(
            f"{name} is not available here: file tools are off by default.",
            f"Use your own file tools, or start the server with --tools core,files (or core,{name}).",
        )
    return operation


def _is_offered(name: str, caller: Caller) -> bool:
    """Only file tools must be asked for."""
    return caller.files is None or name in caller.files or not BY_NAME[name].files


def _executor(engine: Engine, caller: Caller, workspace: str, packages: frozenset[str]) -> BatchExecutor:
    from gatepost.operations.batch import BatchExecutor

    return BatchExecutor(
        find=lambda name: offered(name, caller),
        together=lambda change: engine.write(_BATCH, workspace, caller, change, packages),
        alone=lambda name, arguments: answer(engine, name, arguments, caller).text,
        files=engine.files,
        secrets=engine.secrets,
    )


def _run(engine: Engine, operation: Operation, call: ParsedCall, caller: Caller) -> str:
    command: Any = call.command
    if caller.bound is not None and command.workspace != caller.bound:
        raise WorkspaceMismatch(command.workspace, caller.bound)
    handler = operation.handler
    packages: frozenset[str] = frozenset()
    if names := _taskdoc_names(operation, command):
        from gatepost.operations.taskdoc_packages import foreseen, settle

        settle(engine, command.workspace, caller)
        packages = foreseen(engine, command.workspace, names)
    if operation.name == _BATCH:
        reply = handler(_executor(engine, caller, command.workspace, packages), command)
    elif operation.files:
        reply = handler(_files(engine, operation), command)
    elif operation.writes:
        reply = engine.write(
            operation.name, command.workspace, caller, lambda draft: handler(draft, command), packages
        )
    else:
        reply = engine.read(command.workspace, caller, lambda reader: handler(reader, command))
    reply = counted(reply, call.redacted)
    if isinstance(reply, View):
        return fitted(reply)
    return _outcome(reply, operation, command) if operation.writes else json_output.text(reply)


def _outcome(reply: object, operation: Operation, command: Any) -> str:
    """The reply of a write as JSON, shortened if it is too long."""
    text = json_output.text(reply)
    if len(text) <= DEFAULT:
        return text
    from gatepost.views.write_budget import bounded

    tools = [BY_NAME.get(call.tool) for call in command.operations] if operation.name == _BATCH else []
    readings = [number for number, tool in enumerate(tools) if tool is not None and not tool.writes]
    return json_output.text(bounded(msgspec.json.decode(text), command.workspace, readings))


def _taskdoc_names(operation: Operation, command: Any) -> list[object]:
    """The taskdoc that each call names, of the calls that change taskdocs."""
    if operation.name == _BATCH:
        return [_name(call.arguments) for call in command.operations if _changes_taskdocs(BY_NAME.get(call.tool))]
    return [_name(structs.asdict(command))] if _changes_taskdocs(operation) else []


def _name(arguments: Mapping[str, object]) -> object:
    return arguments.get("taskdoc", arguments.get("name"))


def _changes_taskdocs(operation: Operation | None) -> bool:
    if operation is None or not operation.writes or "taskdoc" not in operation.toolsets:
        return False
    return not {"taskdoc", "name"}.isdisjoint(operation.command.__struct_fields__)


def _files(engine: Engine, operation: Operation) -> Filesystem:
    if operation.writes and not engine.lasting:
        raise InvalidInput([("tool", f"{operation.name} cannot be rehearsed because files have no transactions")])
    return engine.files()
