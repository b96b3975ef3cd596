"""The operations as tools for the MCP dispatcher, for one request."""

from functools import cache
from typing import Any, Final

from msgspec.structs import replace

from gatepost import __version__
from gatepost.domain.claims import Holder
from gatepost.domain.slow_calls import is_slow
from gatepost.engine.caller import Caller, agent_name
from gatepost.engine.engine import Engine
from gatepost.operations import answer
from gatepost.operations.catalog import BY_NAME
from gatepost.operations.tools import listing
from gatepost.surfaces.http.mcp_sessions import McpSession
from gatepost.surfaces.http.request_record import ACTOR, RequestRecord
from gatepost.surfaces.mcp import check_progress, elicitation
from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.completion import WorkspaceCompletions
from gatepost.surfaces.mcp.exchange import Exchange, asks_user
from gatepost.surfaces.mcp.messages import UnknownName
from gatepost.surfaces.mcp.prompts import WorkspacePrompts
from gatepost.surfaces.mcp.resources import WorkspaceResources
from gatepost.surfaces.mcp.tool_sets import chosen, has_packages, instructions

_WRITE_LISTS: Final = frozenset({"todo_write", "tasks_batch"})
_CLAIM: Final = frozenset({"tasks_claim", "tasks_radar", "tasks_batch"})


class HttpTools:
    """A tool set without file tools. The set decides what is listed; every other operation can be called too."""

    name = "gatepost"
    version = __version__

    def __init__(
        self,
        engine: Engine,
        toolset: str,
        record: RequestRecord,
        session: McpSession | None,
        *,
        bound: str | None,
        default: str | None,
    ) -> None:
        self._engine = engine
        self._toolset = toolset
        self._record = record
        self._bound = bound
        self._default = bound or default
        self._session = session

    @property
    def instructions(self) -> str:
        """The instructions for this set, in this project."""
        packages = self._engine.packages
        known = packages is not None and has_packages(packages.folder)
        return _instructions(self._toolset, self._default, has_packages=known)

    def tools(self) -> list[dict[str, object]]:
        """The tools of the set, in the registry's order."""
        return _listed(self._toolset, self._bound, self._default)

    def is_slow(self, name: str, arguments: dict[str, object]) -> bool:
        """Whether a call may take minutes."""
        return is_slow(name, arguments)

    def converse(self, name: str, arguments: dict[str, object], exchange: Exchange) -> CallToolResult:
        """Answer a call to any operation but those on files. Its client hears about checks while they run, and puts
        questions to its user.
        """
        talks = is_slow(name, arguments) or asks_user(name, arguments)
        return self.call(name, arguments, exchange.client, exchange if talks else None)

    def call(
        self, name: str, arguments: dict[str, object], caller: str | None, exchange: Exchange | None = None
    ) -> CallToolResult:
        """Answer a call to any operation but those on files."""
        operation = BY_NAME.get(name)
        if operation is None or operation.files:
            raise UnknownName(name)
        who = self._caller(caller)
        if exchange is None:
            answered = answer.answer(self._engine, name, arguments, who)
        elif asks_user(name, arguments):
            answered = elicitation.answered(self._engine, arguments, who, exchange)
        else:
            answered = check_progress.answered(self._engine, name, arguments, who, exchange)
        if answered.refusal is not None:
            self._record.outcome = answered.refusal.code
        elif self._session is not None:
            workspace = str(arguments.get("workspace", self._default))
            if name in _WRITE_LISTS:
                self._session.uses(workspace)
            if name in _CLAIM and self._record.holder is None:  # a holder with its own name outlives the session
                self._session.holds(workspace, who)
        return CallToolResult(answered.text, refused=answered.refusal is not None)

    def resources(self, client: str | None) -> WorkspaceResources:
        """The resources."""
        return WorkspaceResources(self._engine, self._caller(client))

    def prompts(self, client: str | None) -> WorkspacePrompts:
        """The prompts."""
        names = _names(self._toolset)
        return WorkspacePrompts(self._default, lambda tool, arguments: self.call(tool, arguments, client), names)

    def completions(self, client: str | None) -> WorkspaceCompletions:
        """Suggestions for the arguments of prompts and URIs."""
        return WorkspaceCompletions(self._engine, self._caller(client), self.prompts(client))

    def _caller(self, client: str | None) -> Caller:
        """The caller. Without a session all connections look the same, so they share the list `main`."""
        if self._record.actor == ACTOR:
            self._record.actor = agent_name(client, None if self._session is None else self._session.name)
        who = answer.caller(
            self._record.actor,
            self._bound,
            files=frozenset(),
            tools=_names(self._toolset),
            default=self._default,
        )
        if self._session is None:
            return replace(who, connection=self._record.holder)
        # No process: the server's own says nothing about an agent elsewhere.
        holder = self._record.holder or Holder(self._session.name)
        return replace(who, session=self._session.name, process=self._session.process, connection=holder)


@cache
def _listed(toolset: str, bound: str | None, default: str | None) -> list[dict[str, Any]]:
    found = chosen(_listing(), toolset, bound=bound, default=default)
    return [tool for tool in found if not BY_NAME[tool["name"]].files]


@cache
def _names(toolset: str) -> frozenset[str]:
    return frozenset(tool["name"] for tool in _listed(toolset, None, None))


@cache
def _instructions(toolset: str, default: str | None, *, has_packages: bool) -> str:
    knows = default is not None
    return instructions(_listing(), _names(toolset), knows_workspace=knows, has_packages=has_packages)


@cache
def _listing() -> dict[str, Any]:
    return listing()
