"""Answers one call, for every surface: a name and arguments in, a reply or a refusal out, as JSON.

What only some calls need (batches, taskdocs, the search for credentials) is imported by those calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct, structs

from gatepost.domain.names import WORKSPACE
from gatepost.domain.people import not_a_person
from gatepost.domain.refusals import InvalidInput, Refusal, Suggestion, UnknownTool, WorkspaceMismatch
from gatepost.engine.caller import DEFAULT_SESSION, Caller
from gatepost.engine.engine import Engine
from gatepost.operations.arguments import ParsedCall, counted, parse
from gatepost.operations.catalog import BY_NAME
from gatepost.operations.registry import Operation
from gatepost.replies.reply import MOST_CHARS
from gatepost.wire import json_output
from gatepost.wire.credential_length import LEAST_WORD

if TYPE_CHECKING:
    from gatepost.engine.draft import Draft
    from gatepost.engine.idempotency import RepeatableRequest
    from gatepost.engine.reader import Reader
    from gatepost.files.protocol import Filesystem
    from gatepost.operations.batch import BatchExecutor

_BATCH: Final = "tasks_batch"
_CHECK: Final = "tasks_check"
_LONGEST_ACTOR: Final = 80
_LONGEST_READ: Final = 1_000
_workspace = re.compile(WORKSPACE)


def caller(
    actor: str,
    bound: str | None = None,
    *,
    kind: str | None = None,
    session: str = DEFAULT_SESSION,
    process: str | None = None,
    files: frozenset[str] | None = None,
    tools: frozenset[str] | None = None,
    default: str | None = None,
) -> Caller:
    """A caller whose name came from outside. The name is cut to one short, printable line without credentials.

    A `kind` says that the caller is not a person: it is put before a name that looks like a person's.
    """
    plain = _without_credentials(actor.strip())
    name = "".join(letter if letter.isprintable() else "?" for letter in plain[:_LONGEST_ACTOR])
    known = name.encode("utf-8", "replace").decode() or "unknown"
    known = known if kind is None else not_a_person(known, kind)
    return Caller(known, bound, session, process, files, tools, default)


def _without_credentials(name: str) -> str:
    if len(name) < LEAST_WORD:
        return name
    from gatepost.wire.credentials import redacted

    return redacted(name[:_LONGEST_READ])[0]


class CallResult(Struct, frozen=True):
    """A reply as compact JSON, or a refusal as that."""

    text: str
    refusal: Refusal | None = None


def answer(
    engine: Engine,
    name: str,
    arguments: Mapping[str, Any],
    caller: Caller,
    handler: Callable[[Any, Any], Any] | None = None,
    request_id: str | None = None,
) -> CallResult:
    """Answer one call. Refusals are answers; faults are raised.

    `handler` replaces the operation's own. `request_id` replaces that of the arguments, if the operation takes one.
    """
    if engine.tracer is None:
        return _answered(engine, name, arguments, caller, handler, request_id)
    from gatepost.spans import TracedCall

    def run() -> tuple[CallResult, str]:
        result = _answered(engine, name, arguments, caller, handler, request_id)
        return result, "ok" if result.refusal is None else result.refusal.code

    workspace = arguments.get("workspace", caller.workspace)
    named = workspace if isinstance(workspace, str) and _workspace.match(workspace) else None
    return engine.tracer.traced(TracedCall(name if name in BY_NAME else "unknown", named), run)


def _answered(
    engine: Engine,
    name: str,
    arguments: Mapping[str, Any],
    caller: Caller,
    handler: Callable[[Any, Any], Any] | None,
    request_id: str | None,
) -> CallResult:
    if caller.workspace is not None and "workspace" not in arguments:
        arguments = {"workspace": caller.workspace, **arguments}
    try:
        operation = offered(name, caller)
        operation = operation if handler is None else structs.replace(operation, handler=handler)
        call = parse(operation, arguments, engine.secrets)
        return CallResult(_run(engine, operation, call, caller, arguments, request_id))
    except Refusal as refusal:
        workspace = caller.bound or arguments.get("workspace")
        refusal.suggestion = suggestible(refusal.suggestion, workspace, caller)
        return CallResult(json_output.refusal(refusal), refusal)


def suggestible(suggestion: Suggestion | None, workspace: Any, caller: Caller) -> Suggestion | None:
    """A suggestion as it can be named to this caller, with the workspace it is for; none if it would be refused."""
    if suggestion is None or not isinstance(workspace, str) or not _workspace.match(workspace):
        return None
    found = caller.offer.nearest(suggestion.tool, {"workspace": workspace, **suggestion.arguments})
    return found if found is None or _is_offered(found.tool, caller) else None


def find(name: str, tools: Collection[str] | None = None) -> Operation:
    """An operation by its name. If there is none, the refusal names the nearest of `tools`."""
    operation = BY_NAME.get(name)
    if operation is None:
        from gatepost.wire.input_errors import shortened
        from gatepost.wire.near_names import nearest_lines

        known = BY_NAME if tools is None else [tool for tool in BY_NAME if tool in tools]
        lines = nearest_lines(name, known, lambda tool: BY_NAME[tool].about)
        raise UnknownTool(f"There is no operation {shortened(name)}.", f"The nearest are: {lines}")
    return operation


def offered(name: str, caller: Caller) -> Operation:
    """An operation by its name, if the caller may use it."""
    operation = find(name, caller.tools)
    if not _is_offered(name, caller):
        raise UnknownTool(
            f"{name} is not available here: file tools are off by default.",
            "Use your own file tools, or ask the user to start the server with --tools core,files.",
        )
    return operation


def _is_offered(name: str, caller: Caller) -> bool:
    """Only file tools must be asked for."""
    return caller.files is None or name in caller.files or not BY_NAME[name].files


def _run(
    engine: Engine,
    operation: Operation,
    call: ParsedCall,
    caller: Caller,
    arguments: Mapping[str, Any],
    request_id: str | None,
) -> str:
    """The text of the reply. A call that was answered before gets the same one again."""
    command: Any = call.command
    if caller.bound is not None and command.workspace != caller.bound:
        raise WorkspaceMismatch(command.workspace, caller.bound)
    if request_id is None or not hasattr(command, "request_id"):
        request_id = getattr(command, "request_id", None)
    if request_id is None:
        return _text(_reply(engine, operation, command, caller), operation, call, caller)
    from gatepost.operations.repeated_calls import answered_once, request

    asked = request(request_id, operation.name, arguments, lambda reply: _text(reply, operation, call, caller))
    in_parts = bool(_runs_checks(operation, command) or _taskdoc_names(operation, command)) or (
        operation.name == _BATCH and not command.atomic
    )
    return answered_once(
        engine,
        command.workspace,
        asked,
        lambda: _reply(engine, operation, command, caller, asked),
        in_parts=in_parts,
    )


def _reply(
    engine: Engine, operation: Operation, command: Any, caller: Caller, request: RepeatableRequest | None = None
) -> Any:
    handler = operation.handler
    packages: frozenset[str] = frozenset()
    if names := _taskdoc_names(operation, command):
        from gatepost.operations.taskdoc_packages import foreseen, settle

        settle(engine, command.workspace, caller)
        packages = foreseen(engine, command.workspace, names)
    if operation.name == _BATCH:
        return handler(_executor(engine, caller, command, packages, request), command)
    if _runs_checks(operation, command):
        return _with_checks(engine, operation, command, caller, request)
    if operation.files:
        return handler(_files(engine, operation), command)
    first = partial(_read_first, operation.name, command)
    if operation.writes:
        aged = _aged(engine, command)
        holds = engine.leases.may_hold((command.workspace, caller.holder_name))
        return engine.write(
            operation.name,
            command.workspace,
            caller,
            lambda draft: _goes_on(draft, command, lambda: handler(draft, command), aged),
            packages,
            request,
            partial(first, holds=holds),
        )
    if getattr(command, "claim", False):
        _claim_first(engine, operation, command, caller)
        command = structs.replace(command, claim=False)
    return engine.read(command.workspace, caller, lambda reader: handler(reader, command), first)


def _claim_first(engine: Engine, operation: Operation, command: Any, caller: Caller) -> None:
    from gatepost.operations.radar import claim_first

    first = partial(_read_first, "tasks_claim", command)
    engine.write(operation.name, command.workspace, caller, lambda draft: claim_first(draft, command), first=first)


def _read_first(tool: str, command: Any, reader: Reader, *, holds: bool = False) -> None:
    """Read what the call begins with. Only a store behind a network asks for that."""
    from gatepost.operations.first_reads import first_reads

    first_reads(tool, command, reader, holds=holds)


def _text(reply: Any, operation: Operation, call: ParsedCall, caller: Caller) -> str:
    """A reply as the caller receives it."""
    reply = counted(reply, call.redacted)
    if operation.writes and not operation.files:  # such a reply is no view
        return _outcome(reply, operation, call.command, caller)
    text = _fitted(reply)
    if text is not None:
        return text
    return _outcome(reply, operation, call.command, caller) if operation.writes else json_output.text(reply)


def _fitted(reply: object) -> str | None:
    """A view as JSON, within its budget; None for other replies."""
    from gatepost.views.budget import View, fitted

    return fitted(reply) if isinstance(reply, View) else None


def _runs_checks(operation: Operation, command: Any) -> bool:
    return operation.name == _CHECK or getattr(command, "run_checks", False) is True


def _executor(
    engine: Engine, caller: Caller, command: Any, packages: frozenset[str], request: RepeatableRequest | None
) -> BatchExecutor:
    from gatepost.operations.batch import BatchExecutor

    workspace, aged = command.workspace, _aged(engine, command)
    return BatchExecutor(
        find=lambda name: offered(name, caller),
        together=lambda change: engine.write(
            _BATCH,
            workspace,
            caller,
            lambda draft: _goes_on(draft, None, lambda: change(draft), aged),
            packages,
            request,
        ),
        alone=lambda index, name, arguments: (
            answer(
                engine,
                name,
                arguments,
                caller,
                request_id=None if request is None else request.part(index),
            ).text
        ),
        files=engine.files,
        secrets=engine.secrets,
        suggestible=lambda suggestion: suggestible(suggestion, workspace, caller),
    )


def _with_checks(
    engine: Engine, operation: Operation, command: Any, caller: Caller, request: RepeatableRequest | None
) -> Any:
    """The reply of a call that runs commands between a read and a write."""
    if not engine.lasting:
        raise InvalidInput([("tool", f"{operation.name} cannot be rehearsed because it runs commands")])
    from gatepost.operations.checks import CheckExecutor, close_with_checks

    workspace, aged = command.workspace, _aged(engine, command)

    def settled(draft: Draft, change: Callable[[Draft], Any]) -> Any:
        """What the checks gave is stored first: the step that they proved is no longer stale."""
        reply = change(draft)
        aged(draft)
        return reply

    def write(
        tool: str, asked: Any, change: Callable[[Draft], Any], request: RepeatableRequest | None = None
    ) -> Any:
        return engine.write(
            tool,
            workspace,
            caller,
            lambda draft: _goes_on(draft, asked, lambda: settled(draft, change)),
            request=request,
        )

    executor = CheckExecutor(
        checks=engine.checks,
        read=lambda ask: engine.read(workspace, caller, ask),
        record=write,
        write=partial(write, request=request),
        secrets=engine.secrets,
    )
    return (
        operation.handler(executor, command) if operation.name == _CHECK else close_with_checks(executor, command)
    )


def _aged(engine: Engine, command: Any) -> Callable[[Draft], None]:
    """Reopens the steps with stale proofs in the tasks that a call names, where their policy says so."""
    calls = getattr(command, "operations", None)
    named = [structs.asdict(command)] if calls is None else [call.arguments for call in calls]
    tasks = [] if engine.checks is None else [call["task"] for call in named if isinstance(call.get("task"), str)]
    if not tasks:
        return lambda _: None
    from gatepost.operations.stale_steps import StaleSteps

    return StaleSteps(dict.fromkeys(tasks)).reopen


def _goes_on(
    draft: Draft, command: Any, change: Callable[[], Any], first: Callable[[Draft], None] | None = None
) -> Any:
    from gatepost.operations.way_on import with_way_on

    if first is not None:
        first(draft)
    return with_way_on(draft, command, change)


def _outcome(reply: object, operation: Operation, command: Any, caller: Caller) -> str:
    """The reply of a write as JSON, shortened if it is too long."""
    text = json_output.text(reply)
    if len(text) <= MOST_CHARS:
        return text
    from gatepost.views.write_budget import bounded

    tools = [BY_NAME.get(call.tool) for call in command.operations] if operation.name == _BATCH else []
    readings = [number for number, tool in enumerate(tools) if tool is not None and not tool.writes]
    return json_output.text(bounded(msgspec.json.decode(text), command.workspace, caller.offer, readings))


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
