"""What a caller was offered, and which call to name to it.

An agent can only call the tools that its surface listed. So a call that is named to it, in a view or in a refusal,
is one of those: where the best call is not among them, a look at the same thing takes its place.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from gatepost.domain.refusals import Suggestion

_TARGETS: Final = ("task", "plan")
_ROOT_LOOKS: Final = ("tasks_resume", "tasks_radar", "tasks_handoff", "tasks_context_pack", "tasks_mirror")
_LISTS: Final = ("tasks_radar", "tasks_context", "tasks_resume", "tasks_handoff")
_MINDS: Final = ("recall_mind", "change_mind", "clear_mind")
LOOKS: Final = (*_LISTS, "recall_mind", "todo_read", "workspace_digest_get")
"""Reads that need no arguments, the most telling first. Every list of tools has one of them."""


class Offer(Struct, frozen=True):
    """The tools that a caller was offered, and the workspace that its surface fills in where a call names none.

    Without tools it is everything: programs and people are not limited to a list.
    """

    tools: frozenset[str] | None = None
    workspace: str | None = None

    def holds(self, tool: str) -> bool:
        """Whether the caller can make this call."""
        return self.tools is None or tool in self.tools

    def nearest(self, tool: str, arguments: Mapping[str, Any]) -> Suggestion | None:
        """This call if it was offered, else a look at what it is about; none if no such look was offered."""
        for call in _alternatives(tool, arguments):
            if self.holds(call.tool):
                return self.addressed(call, arguments.get("workspace"))
        return None

    def any_look(self, workspace: str) -> Suggestion | None:
        """A read of whatever this caller can read in a workspace."""
        found = next((look for look in LOOKS if self.holds(look)), None)
        return None if found is None else self.addressed(Suggestion(found, {}), workspace)

    def addressed(self, call: Suggestion, workspace: str | None) -> Suggestion:
        """A call with its workspace, which is left out where the surface fills it in."""
        bare = {name: value for name, value in call.arguments.items() if name != "workspace"}
        if workspace is None or workspace == self.workspace:
            return Suggestion(call.tool, bare)
        return Suggestion(call.tool, {"workspace": workspace, **bare})


EVERYTHING: Final = Offer()


def _alternatives(tool: str, arguments: Mapping[str, Any]) -> Iterator[Suggestion]:
    """The call itself, then the looks at its target, the nearest first."""
    yield Suggestion(tool, arguments)
    if tool in _MINDS or tool.startswith("taskdoc_"):
        yield Suggestion("recall_mind", _taken(arguments, "taskdoc"))
    elif tool.startswith("tasks_"):
        yield from _looks_at_task(arguments)


def _looks_at_task(arguments: Mapping[str, Any]) -> Iterator[Suggestion]:
    step = _taken(arguments, "step_id") or _taken(arguments, "path")
    target = next((found for name in _TARGETS if (found := _taken(arguments, name))), {})
    if step and target:
        yield Suggestion("tasks_resume", {**target, **step})
    for look in _ROOT_LOOKS if target else ():
        yield Suggestion(look, target)
    for look in _LISTS:
        yield Suggestion(look, {})


def _taken(arguments: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {name: arguments[name]} if name in arguments else {}
