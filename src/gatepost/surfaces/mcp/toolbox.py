"""The operations as tools for the MCP dispatcher.

An agent starts one server for itself and one for each subagent, so a start must be cheap: the tool list comes from
a generated file, and the engine is loaded with the first call, or in the idle time after the list was sent.
"""

from __future__ import annotations

import json
import os
from _thread import allocate_lock  # threading itself costs more to import

from gatepost import __version__
from gatepost.domain.people import seems_person
from gatepost.surfaces.mcp import stdio
from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.exchange import asks_user
from gatepost.surfaces.mcp.messages import UnknownName
from gatepost.surfaces.mcp.tool_sets import chosen, has_packages, instructions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gatepost.engine.caller import Caller
    from gatepost.engine.engine import Engine
    from gatepost.engine.package_mirror import PackageMirror
    from gatepost.settings import Settings
    from gatepost.surfaces.mcp.completion import WorkspaceCompletions
    from gatepost.surfaces.mcp.exchange import Exchange
    from gatepost.surfaces.mcp.prompts import WorkspacePrompts
    from gatepost.surfaces.mcp.resources import WorkspaceResources

LISTING = os.path.join(os.path.dirname(__file__), "tools.json")

_SESSION_TOOLS = ("todo_read", "todo_write", "tasks_batch")
_SWEEP_EVERY = 60.0


class GatepostTools:
    """A tool set of the registry, on one store."""

    name = "gatepost"
    version = __version__

    def __init__(self, settings: Settings, tools: str, *, output_schemas: bool) -> None:
        self._settings = settings
        # A person's name in the environment is for the person's own commands, not for the agents started there.
        self._actor = None if seems_person(settings.actor or "") else settings.actor
        self._engine: Engine | None = None
        self._mirror: PackageMirror | None = None
        self._opening = allocate_lock()
        listing = _listing(output_schemas=output_schemas)
        self._tools = chosen(listing, tools, bound=settings.bound, default=settings.workspace)
        self._listed = frozenset(str(tool["name"]) for tool in self._tools)
        self._structured = output_schemas
        self.instructions = instructions(
            listing,
            self._listed,
            knows_workspace=settings.workspace is not None,
            has_packages=has_packages(settings.root),
        )
        # The set only decides what is listed and named. All operations can be called, but file tools must be
        # requested: a server may write files only where somebody asked for it.
        self._names = {entry["tool"]["name"] for entry in listing["tools"]}
        self._session = f"mcp-{os.urandom(4).hex()}"
        self._swept: dict[str, float] = {}
        self._process: str | None = None

    def tools(self) -> list[dict[str, object]]:
        """The tools of this set, in the registry's order."""
        return self._tools

    def is_slow(self, name: str, arguments: dict[str, object]) -> bool:
        """Whether a call may take minutes."""
        from gatepost.domain.slow_calls import is_slow

        return is_slow(name, arguments)

    def converse(self, name: str, arguments: dict[str, object], exchange: Exchange) -> CallToolResult:
        """Answer a call to any operation. The client hears about checks while they run, and puts questions to its
        user.
        """
        talks = self.is_slow(name, arguments) or asks_user(name, arguments)
        return self.call(name, arguments, exchange.client, exchange if talks else None)

    def call(
        self, name: str, arguments: dict[str, object], caller: str | None, exchange: Exchange | None = None
    ) -> CallToolResult:
        """Answer a call to any operation."""
        if name not in self._names:
            raise UnknownName(name)
        from gatepost.domain.refusals import Refusal
        from gatepost.operations import answer
        from gatepost.wire import json_output

        if name in _SESSION_TOOLS:
            self._sweep(arguments.get("workspace", self._settings.workspace))
        try:
            engine = self.engine()
        except Refusal as refusal:  # nobody trusts the store yet, which may have changed at the next call
            return CallToolResult(json_output.refusal(refusal), refused=True, structured=self._structured)
        if exchange is None:
            answered = answer.answer(engine, name, arguments, self._caller(caller))
        elif asks_user(name, arguments):
            from gatepost.surfaces.mcp import elicitation

            answered = elicitation.answered(engine, arguments, self._caller(caller), exchange)
        else:
            from gatepost.surfaces.mcp import check_progress

            answered = check_progress.answered(engine, name, arguments, self._caller(caller), exchange)
        return CallToolResult(answered.text, refused=answered.refusal is not None, structured=self._structured)

    def resources(self, client: str | None) -> WorkspaceResources:
        """The resources, whatever the tool set."""
        from gatepost.surfaces.mcp.resources import WorkspaceResources

        return WorkspaceResources(self.engine(), self._caller(client))

    def prompts(self, client: str | None) -> WorkspacePrompts:
        """The prompts, whatever the tool set."""
        from gatepost.surfaces.mcp.prompts import WorkspacePrompts

        return WorkspacePrompts(
            self._settings.workspace,
            lambda tool, arguments: self.call(tool, arguments, client),
            self._listed,
        )

    def completions(self, client: str | None) -> WorkspaceCompletions:
        """Suggestions for the arguments of prompts and URIs."""
        from gatepost.surfaces.mcp.completion import WorkspaceCompletions

        return WorkspaceCompletions(self.engine(), self._caller(client), self.prompts(client))

    def close(self) -> None:
        """End the client's session."""
        if self._engine is not None:
            if self._swept:
                self._clear_lists(self._engine)
            if self._mirror is not None:
                self._mirror.stop()
            self._engine.close()

    def _clear_lists(self, engine: Engine) -> None:
        """Clear the client's lists. Only those who used lists load what that takes."""
        from contextlib import suppress

        from gatepost.domain.refusals import Refusal
        from gatepost.operations import sessions

        for workspace in self._swept:
            with suppress(Refusal):  # busy: the next user of lists clears ours
                sessions.end(engine, workspace, self._caller(None))

    def _caller(self, client: str | None) -> Caller:
        from gatepost.engine import processes
        from gatepost.engine.caller import AGENT, agent_name
        from gatepost.operations import answer

        if self._process is None:
            self._process = processes.this()
        return answer.caller(
            self._actor or agent_name(client, self._session),
            self._settings.bound,
            kind=AGENT,
            session=self._session,
            process=self._process,
            files=frozenset(name for name in self._listed if name.startswith("file_")),
            tools=self._listed,
            default=self._settings.workspace,
        )

    def _sweep(self, workspace: object) -> None:
        """Clear the lists of sessions whose process was killed."""
        import re
        from contextlib import suppress
        from time import monotonic

        from gatepost.domain.names import WORKSPACE
        from gatepost.domain.refusals import Refusal
        from gatepost.operations import sessions

        now = monotonic()
        bound = self._settings.bound
        if not isinstance(workspace, str) or not re.match(WORKSPACE, workspace) or bound not in (None, workspace):
            return
        if now - self._swept.get(workspace, -_SWEEP_EVERY) >= _SWEEP_EVERY:
            self._swept[workspace] = now
            with suppress(Refusal):  # busy: the next caller does it
                sessions.sweep(self.engine(), workspace)

    def engine(self) -> Engine:
        """The engine, opened on first use."""
        with self._opening:
            if self._engine is None:
                from gatepost import wiring

                settings = self._settings
                self._engine = wiring.engine(
                    settings.store,
                    settings.synchronous,
                    settings.home,
                    secrets=settings.secrets,
                    tracked=settings.tracked,
                    policy=settings.policy,
                    notify=settings.notify,
                    workspace=settings.own_workspace,
                )
                if self._engine.own_workspace is not None:
                    from gatepost.engine.package_mirror import mirrored

                    self._mirror = mirrored(self._engine)
            return self._engine

    def warm_up(self) -> None:
        """Load what the first call will need, while nobody waits. Does not open the store."""
        import gatepost.operations.answer
        import gatepost.storage.sqlite.store  # noqa: F401


def run(settings: Settings, *, tools: str, output_schemas: bool) -> int:
    """Serve MCP on stdio until the client disconnects."""
    toolbox = GatepostTools(settings, tools, output_schemas=output_schemas)
    try:
        return stdio.serve(toolbox, idle=toolbox.warm_up)
    finally:
        toolbox.close()


def _listing(*, output_schemas: bool) -> dict[str, Any]:
    if output_schemas:
        from gatepost.operations.tools import listing

        return listing(outputs=True)
    with open(LISTING, encoding="utf-8") as file:
        read: dict[str, Any] = json.load(file)
    return read
