"""MCP completion: suggested values for the arguments of prompts and URIs. Loaded on first use."""

from collections.abc import Iterable
from typing import Final, Protocol

from gatepost.domain import places, terms
from gatepost.domain.roots import ACTIVE, TODO
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.reader import Reader
from gatepost.surfaces.mcp import addresses
from gatepost.surfaces.mcp.messages import INVALID_PARAMS, McpRequest, RpcError, UnknownName, short
from gatepost.surfaces.mcp.prompts import WorkspacePrompts

MOST: Final = 100
"""As the protocol requires."""
LOOKED_AT: Final = 1_000
"""How many open tasks, taskdocs or sessions are searched."""

_TASKS: Final = (places.TASK, chr(ord(places.TASK) + 1))


class Completions(Protocol):
    """The suggestions of a server."""

    def of_prompt(self, name: str, argument: str, begun: str, others: dict[str, str]) -> list[str]:
        """Values for a prompt's argument, best first. `UnknownName` means that there is no such prompt.

        `begun` is the text typed so far, and `others` are the other arguments.
        """

    def of_template(self, template: str, argument: str, begun: str, others: dict[str, str]) -> list[str]:
        """Values for a URI's argument. `UnknownName` means that there is no such template."""


def members(completions: Completions, request: McpRequest) -> dict[str, object]:
    """The members of the result."""
    ref, argument = request.mapping("ref"), request.mapping("argument")
    name, begun = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(begun, str):
        raise RpcError(INVALID_PARAMS, "completion/complete needs argument, with name and value, both strings")
    kind, named = ref.get("type"), ref.get("uri" if ref.get("type") == "ref/resource" else "name")
    if kind not in ("ref/prompt", "ref/resource") or not isinstance(named, str):
        raise RpcError(INVALID_PARAMS, "completion/complete needs ref: a ref/prompt's name or a ref/resource's uri")
    complete = completions.of_prompt if kind == "ref/prompt" else completions.of_template
    try:
        found = complete(named, name, begun, _settled(request))
    except UnknownName as error:
        raise RpcError(INVALID_PARAMS, f"cannot complete {short(named)}: {error}") from error
    return {"completion": {"values": found[:MOST], "hasMore": len(found) > MOST}}


def _settled(request: McpRequest) -> dict[str, str]:
    given = request.mapping("context").get("arguments")
    return {key: value for key, value in given.items() if isinstance(value, str)} if isinstance(given, dict) else {}


class WorkspaceCompletions:
    """Workspaces, open tasks, taskdocs and todo lists by prefix, ignoring case."""

    def __init__(self, engine: Engine, caller: Caller, prompts: WorkspacePrompts) -> None:
        self._engine: Final = engine
        self._caller: Final = caller
        self._prompts: Final = prompts

    def of_prompt(self, name: str, argument: str, begun: str, others: dict[str, str]) -> list[str]:
        """Values for a prompt's argument. All prompts have the same arguments."""
        names = [str(prompt["name"]) for prompt in self._prompts.listed()]
        if name not in names:
            raise UnknownName(f"the prompts are {', '.join(names)}")
        return self._values(argument, begun, others) if argument in ("workspace", "task") else []

    def of_template(self, template: str, argument: str, begun: str, others: dict[str, str]) -> list[str]:
        """Values for a template's argument."""
        return self._values(argument, begun, others) if addresses.argument(template, argument) else []

    def _values(self, argument: str, begun: str, others: dict[str, str]) -> list[str]:
        bound = self._caller.bound
        known = [bound] if bound else self._engine.store.workspaces()
        if argument == "workspace":
            return _beginning(known, begun)
        workspace = others.get("workspace") or (known[0] if len(known) == 1 else None)
        if workspace not in known:
            return []
        found = self._engine.read(workspace, self._caller, lambda reader: _names(reader, argument))
        return _beginning(found, begun)


def _beginning(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.casefold().startswith(begun.casefold())]


def _names(reader: Reader, argument: str) -> list[str]:
    if argument == "name":
        found = reader.postings(((terms.TASKDOC,),), *places.all_named(places.TASKDOC), LOOKED_AT)
        return [reader.called(places.name_of(place)) for place in found]
    if argument == "step":
        asked = reader.postings(((terms.BLOCKED,),), *_TASKS, LOOKED_AT)
        return [step.value.id for step in reader.steps(asked)]
    tasks = [
        places.root_id(place)
        for status in (ACTIVE, TODO)
        for place in reader.postings(((terms.kind("task"),), (terms.status(status),)), *_TASKS, LOOKED_AT)
    ]
    if argument != "scope":
        return tasks
    sessions = reader.span(*places.all_named(places.SESSION), LOOKED_AT)
    return [*(places.name_of(found.place) for found in sessions), *tasks]
