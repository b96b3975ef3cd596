"""MCP resources: what a client can show or @-mention. Loaded when the first of their methods is asked for.

    gatepost://taskdoc/{workspace}/{name}    the effective taskdoc, as recall_mind gives it
    gatepost://radar/{workspace}             the radar, as tasks_radar gives it

The workspace is one segment, percent-encoded (`acme%2Frepo`), as the templates expand. Its slashes may also stand
as they are: no taskdoc's name has one, so the last segment is always the name. It does not take the place of a
host, because clients may lower-case a host, and some refuse `%2F` in it.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

from gatepost.domain import places, terms
from gatepost.domain.refusals import FORBIDDEN, INVALID, UNKNOWN
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations import answer
from gatepost.operations.taskdoc_packages import settle
from gatepost.surfaces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, Request, RpcError

PAGE: Final = 100
NOT_FOUND_IN_LEGACY: Final = -32002

MARKDOWN: Final = "text/markdown"
JSON: Final = "application/json"
_OF_TASKDOC: Final = "Goals, constraints and progress of a task, as they are now."
_OF_RADAR: Final = "What to do now: the step, why, what proves it, what comes next, what blocks."
_TEMPLATES: Final[list[dict[str, object]]] = [
    {
        "uriTemplate": "gatepost://taskdoc/{workspace}/{name}",
        "name": "taskdoc",
        "title": "A taskdoc",
        "description": _OF_TASKDOC,
        "mimeType": MARKDOWN,
    },
    {
        "uriTemplate": "gatepost://radar/{workspace}",
        "name": "radar",
        "title": "The radar of a workspace",
        "description": _OF_RADAR,
        "mimeType": JSON,
    },
]

_uri = re.compile(r"gatepost://(?:radar/(?P<watched>[^?#]+)|taskdoc/(?P<workspace>[^?#]+)/(?P<name>[^/?#]+))")


class Resources(Protocol):
    """What a server lets be read by its address."""

    def page(self, cursor: str | None) -> tuple[list[dict[str, object]], str | None]:
        """Some resources, always in the same order, and the cursor for more; `LookupError` for a foreign cursor."""

    def templates(self) -> list[dict[str, object]]:
        """The forms that addresses have."""

    def read(self, uri: str) -> dict[str, object]:
        """The contents at an address; a plain `LookupError` says why there are none."""


def members(resources: Resources, request: Request, *, modern: bool) -> dict[str, object]:
    """The members of the result of any of the three methods."""
    if request.method == "resources/read":
        return _contents(resources, request.params.get("uri"), modern=modern)
    cursor = request.params.get("cursor")
    if request.method == "resources/list" and (cursor is None or isinstance(cursor, str)):
        return _listed(resources, cursor)
    if cursor is not None:
        raise _foreign(cursor)
    return {"resourceTemplates": resources.templates()}


def _contents(resources: Resources, uri: object, *, modern: bool) -> dict[str, object]:
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "resources/read needs uri, a string")
    try:
        return {"contents": [resources.read(uri)]}
    except LookupError as error:
        if type(error) is not LookupError:  # a KeyError or IndexError is a bug, not an unknown address
            raise
        code = INVALID_PARAMS if modern else NOT_FOUND_IN_LEGACY
        raise RpcError(code, f"resource not found: {error}", {"uri": uri}) from error


def _listed(resources: Resources, cursor: str | None) -> dict[str, object]:
    try:
        page, following = resources.page(cursor)
    except LookupError as error:
        if type(error) is not LookupError:
            raise
        raise _foreign(cursor) from error
    return {"resources": page} if following is None else {"resources": page, "nextCursor": following}


def _foreign(cursor: object) -> RpcError:
    return RpcError(INVALID_PARAMS, f"unknown cursor {str(cursor)[:80]!r}: send nextCursor as it was given")


class _Target(NamedTuple):
    """A workspace's radar, or one of its taskdocs. The radar sorts first."""

    workspace: str
    taskdoc: str = ""

    @property
    def uri(self) -> str:
        workspace = quote(self.workspace, safe="")
        if not self.taskdoc:
            return f"gatepost://radar/{workspace}"
        return f"gatepost://taskdoc/{workspace}/{quote(self.taskdoc, safe='')}"

    @classmethod
    def at(cls, uri: str) -> "_Target":
        match = _uri.fullmatch(uri)
        if match is None:
            forms = " and ".join(str(template["uriTemplate"]) for template in _TEMPLATES)
            raise LookupError(f"addresses are {forms}")
        return cls(unquote(match["watched"] or match["workspace"]), unquote(match["name"] or ""))


class WorkspaceResources:
    """The radars and taskdocs of the one workspace that the caller is bound to, else of all that are known."""

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._engine: Final = engine
        self._caller: Final = caller

    def page(self, cursor: str | None) -> tuple[list[dict[str, object]], str | None]:
        """By workspace, the radar before the taskdocs. A cursor holds whatever others write meanwhile."""
        after = None if cursor is None else _Target.at(cursor)
        found = list(islice(self._targets(after), PAGE + 1))
        return [_shown(target) for target in found[:PAGE]], found[PAGE - 1].uri if len(found) > PAGE else None

    def templates(self) -> list[dict[str, object]]:
        """Both forms of an address, also of workspaces that nobody has written to yet."""
        return _TEMPLATES

    def read(self, uri: str) -> dict[str, object]:
        """What the operation of the same name answers at this moment."""
        target = _Target.at(uri)
        if not target.taskdoc:
            return {"uri": uri, "mimeType": JSON, "text": self._answer("tasks_radar", workspace=target.workspace)}
        recalled = self._answer("recall_mind", workspace=target.workspace, taskdoc=target.taskdoc)
        return {"uri": uri, "mimeType": MARKDOWN, "text": json.loads(recalled)["content"]}

    def _answer(self, tool: str, **arguments: str) -> str:
        answered = answer.answer(self._engine, tool, arguments, self._caller)
        refusal = answered.refusal
        if refusal is None:
            return answered.text
        if refusal.family in (INVALID, UNKNOWN, FORBIDDEN):
            raise LookupError(refusal.message)
        raise RpcError(INTERNAL_ERROR, refusal.message, json.loads(answered.text)["error"])

    def _targets(self, after: _Target | None) -> Iterator[_Target]:
        """Every resource there is behind another one; only as much is looked up as is taken."""
        for workspace in self._workspaces():
            if after is None or workspace > after.workspace:
                yield _Target(workspace)
                yield from self._taskdocs(workspace, "")
            elif workspace == after.workspace:
                yield from self._taskdocs(workspace, after.taskdoc)

    def _workspaces(self) -> list[str]:
        bound = self._caller.bound
        if bound is None:
            return sorted(self._engine.store.workspaces())
        # Packages that came with a checkout are this workspace's. Among several, nobody could tell whose.
        settle(self._engine, bound, self._caller)
        return [bound]

    def _taskdocs(self, workspace: str, after: str) -> Iterator[_Target]:
        first, end = places.all_named(places.TASKDOC)
        behind = f"{places.named(places.TASKDOC, after)}\x00" if after else first
        found = self._engine.read(
            workspace,
            self._caller,
            lambda reader: reader.postings(((terms.TASKDOC,),), behind, end, PAGE + 1),
        )
        return (_Target(workspace, places.name_of(place)) for place in found)


def _shown(target: _Target) -> dict[str, object]:
    workspace, taskdoc = target
    if not taskdoc:
        words = {"name": f"{workspace} radar", "title": f"Radar of {workspace}"}
        return {"uri": target.uri, **words, "description": _OF_RADAR, "mimeType": JSON}
    words = {"name": f"{workspace} taskdoc {taskdoc}", "title": f"Taskdoc {taskdoc} of {workspace}"}
    return {"uri": target.uri, **words, "description": _OF_TASKDOC, "mimeType": MARKDOWN}
