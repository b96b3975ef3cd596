"""MCP resources: what a client can show or @-mention. Loaded on first use."""

import json
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, Protocol

from gatepost.domain import places, terms
from gatepost.domain.names import WORKSPACE
from gatepost.domain.refusals import Refusal, WorkspaceMismatch
from gatepost.domain.roots import ACTIVE, TODO
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.reader import Reader
from gatepost.operations import answer, questions, todo_stream, unadopted_packages
from gatepost.surfaces.mcp import addresses, changes, refusal_errors
from gatepost.surfaces.mcp.addresses import (
    INBOX,
    KINDS,
    QUESTION,
    RADAR,
    RESOURCE_KINDS,
    TASK,
    TASKDOC,
    ResourceTarget,
)
from gatepost.surfaces.mcp.messages import INVALID_PARAMS, McpRequest, RpcError, UnknownName
from gatepost.wire import json_output

PAGE: Final = 100
NOT_FOUND_IN_LEGACY: Final = -32002

_OPEN_TASKS: Final = ((terms.kind("task"),), (terms.status(ACTIVE), terms.status(TODO)))
_TASKS: Final = (places.TASK, chr(ord(places.TASK) + 1))

_workspace = re.compile(WORKSPACE)


class Resources(Protocol):
    """The resources of a server."""

    def page(self, cursor: str | None) -> tuple[list[dict[str, object]], str | None]:
        """Some resources, in a fixed order, and the cursor for more. `UnknownName` for an unknown cursor."""

    def templates(self) -> list[dict[str, object]]:
        """The URI templates."""

    def read(self, uri: str) -> dict[str, object]:
        """The contents at a URI. `UnknownName` says why there are none."""

    def watch(self, uri: str) -> tuple[str, int]:
        """The workspace whose log reports changes of a URI, and its last `seq`. `UnknownName` says why
        there is none.
        """

    def changed(self, workspace: str, after: int, uris: Collection[str]) -> tuple[int, list[str]]:
        """The last `seq` of a log, and which of these URIs of its workspace changed since `after`."""

    def wait(self, workspace: str, after: int, seconds: float) -> None:
        """Return as soon as a log may have grown, or when the time is up."""


def members(resources: Resources, request: McpRequest, *, modern: bool) -> dict[str, object]:
    """The members of the result of any of the three methods."""
    if request.method == "resources/read":
        return _contents(resources, request.text("uri"), modern=modern)
    cursor = request.params.get("cursor")
    if request.method == "resources/list" and (cursor is None or isinstance(cursor, str)):
        return _listed(resources, cursor)
    if cursor is not None:
        raise _unknown_cursor(cursor)
    return {"resourceTemplates": resources.templates()}


def _contents(resources: Resources, uri: str, *, modern: bool) -> dict[str, object]:
    try:
        return {"contents": [resources.read(uri)]}
    except UnknownName as error:
        code = INVALID_PARAMS if modern else NOT_FOUND_IN_LEGACY
        raise RpcError(code, f"resource not found: {error}", {"uri": uri[: addresses.LONGEST]}) from error


def _listed(resources: Resources, cursor: str | None) -> dict[str, object]:
    try:
        page, next_cursor = resources.page(cursor)
    except UnknownName as error:
        raise _unknown_cursor(cursor) from error
    return {"resources": page} if next_cursor is None else {"resources": page, "nextCursor": next_cursor}


def _unknown_cursor(cursor: object) -> RpcError:
    return RpcError(INVALID_PARAMS, f"unknown cursor {str(cursor)[:80]!r}: send nextCursor unchanged")


class WorkspaceResources:
    """The resources of the bound workspace, or else of all known workspaces."""

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._engine: Final = engine
        self._caller: Final = caller

    def page(self, cursor: str | None) -> tuple[list[dict[str, object]], str | None]:
        """By workspace: radar, inbox, open tasks, taskdocs, todo lists. A cursor stays valid while others write."""
        after = None if cursor is None else ResourceTarget.at(cursor)
        found = list(islice(self._targets(after), PAGE + 1))
        return [_shown(target) for target in found[:PAGE]], found[PAGE - 1].uri if len(found) > PAGE else None

    def templates(self) -> list[dict[str, object]]:
        """All URI templates, also for workspaces that nobody has written to yet."""
        return [
            {
                "uriTemplate": addresses.template(kind),
                "name": kind,
                "title": form.title,
                "description": form.description,
                "mimeType": form.media_type,
            }
            for kind, form in RESOURCE_KINDS.items()
        ]

    def read(self, uri: str) -> dict[str, object]:
        """The current answer of the operation with the same name."""
        target = ResourceTarget.at(uri)
        return {"uri": uri, "mimeType": RESOURCE_KINDS[target.kind].media_type, "text": self._text(target)}

    def watch(self, uri: str) -> tuple[str, int]:
        """Also for resources that do not exist yet."""
        target = self._allowed(ResourceTarget.at(uri))
        with self._engine.store.reading(target.workspace) as snapshot:
            return target.workspace, snapshot.head().seq

    def changed(self, workspace: str, after: int, uris: Collection[str]) -> tuple[int, list[str]]:
        """According to the events since then."""
        wanted = {uri: ResourceTarget.at(uri) for uri in uris}
        seq, found = changes.changed(self._engine, workspace, after, set(wanted.values()), self._caller)
        return seq, [uri for uri, target in wanted.items() if target in found]

    def wait(self, workspace: str, after: int, seconds: float) -> None:
        """According to the store."""
        self._engine.store.wait(workspace, after, seconds)

    def _text(self, target: ResourceTarget) -> str:
        workspace, kind, name = target
        if kind == RADAR:
            return self._answer("tasks_radar", workspace=workspace)
        if kind == INBOX:
            return self._answer("tasks_inbox", workspace=workspace)
        if kind == TASK:
            return self._answer("tasks_resume", workspace=workspace, task=name)
        if kind == TASKDOC:
            recalled = self._answer("recall_mind", workspace=workspace, taskdoc=name)
            return str(json.loads(recalled)["content"])
        return self._read(self._allowed(target))

    def _read(self, target: ResourceTarget) -> str:
        """What no operation answers: a todo list as the stream has it, one question."""

        def ask(reader: Reader) -> str:
            if target.kind == QUESTION:
                return json_output.text(questions.state(reader, target.name))
            return json_output.text(todo_stream.snapshot(reader, target.name))

        try:
            return self._engine.read(target.workspace, self._caller, ask)
        except Refusal as refusal:
            raise _unreadable(refusal) from None

    def _allowed(self, target: ResourceTarget) -> ResourceTarget:
        """Refuse invalid workspaces, and any but the bound one, like the operations do."""
        bound = self._caller.bound
        if not _workspace.match(target.workspace):
            raise UnknownName(f"{target.workspace[:128]!r} is not a valid workspace")
        if bound not in (None, target.workspace):
            raise UnknownName(WorkspaceMismatch(target.workspace, str(bound)).message)
        return target

    def _answer(self, tool: str, **arguments: str) -> str:
        answered = answer.answer(self._engine, tool, arguments, self._caller)
        if answered.refusal is None:
            return answered.text
        raise _unreadable(answered.refusal)

    def _targets(self, after: ResourceTarget | None) -> Iterator[ResourceTarget]:
        """Every resource after another one, looked up lazily."""
        for workspace in self._workspaces():
            if after is None or workspace > after.workspace:
                yield ResourceTarget(workspace)
                yield ResourceTarget(workspace, INBOX)
                yield from self._named(workspace, KINDS.index(TASK), "")
            elif workspace == after.workspace:
                if after.kind == RADAR:
                    yield ResourceTarget(workspace, INBOX)
                yield from self._named(workspace, max(KINDS.index(after.kind), KINDS.index(TASK)), after.name)

    def _named(self, workspace: str, first: int, after: str) -> Iterator[ResourceTarget]:
        for kind in KINDS[first : KINDS.index(QUESTION)]:
            for name in self._names(workspace, kind, after):
                yield ResourceTarget(workspace, kind, name)
            after = ""

    def _workspaces(self) -> list[str]:
        bound = self._caller.bound
        return sorted(self._engine.store.workspaces()) if bound is None else [bound]

    def _names(self, workspace: str, kind: str, after: str) -> list[str]:
        found = self._engine.read_each([workspace], self._caller, lambda reader: _named(reader, kind, after))
        return found[0] if found else []


def _named(reader: Reader, kind: str, after: str) -> list[str]:
    """The next names of a kind, in order: open tasks, taskdocs, sessions with a todo list."""
    if kind == TASK:
        place = places.of_id(after) if after else None
        if after and place is None:
            raise UnknownName(f"{after[:80]!r} is not a task's id")
        first = f"{place}\x00" if place else _TASKS[0]
        found = reader.postings(_OPEN_TASKS, first, _TASKS[1], PAGE + 1)
        return [places.root_id(place) for place in found]
    if kind == TASKDOC:
        return _taskdocs(reader, after)
    first, end = places.all_named(places.SESSION)
    first = f"{places.named(places.SESSION, after)}\x00" if after else first
    return [places.name_of(document.place) for document in reader.span(first, end, PAGE + 1)]


def _taskdocs(reader: Reader, after: str) -> list[str]:
    """The store's taskdocs, followed by packages that it does not know yet."""
    unknown = [package.name for package in unadopted_packages.all_of(reader)]
    if after in unknown:
        return [name for name in unknown if name > after]
    first, end = places.all_named(places.TASKDOC)
    key = (reader.taskdoc_key(after) or after) if after else None
    first = first if key is None else f"{places.named(places.TASKDOC, key)}\x00"
    found = reader.postings(((terms.TASKDOC,),), first, end, PAGE + 1)
    return [*(reader.called(places.name_of(place)) for place in found), *unknown]


def _unreadable(refusal: Refusal) -> Exception:
    error = refusal_errors.rpc_error(refusal)
    return UnknownName(error.message) if refusal.family in refusal_errors.ASKED_AMISS else error


def _shown(target: ResourceTarget) -> dict[str, object]:
    workspace, kind, name = target
    form = RESOURCE_KINDS[kind]
    short = f"{kind} {name}" if name else kind
    long = f"{kind.capitalize()} {name} of {workspace}" if name else f"{kind.capitalize()} of {workspace}"
    words = {"name": f"{workspace} {short}", "title": long, "description": form.description}
    return {"uri": target.uri, **words, "mimeType": form.media_type}
