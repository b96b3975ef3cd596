"""How a story is told: beats, each one call of one agent, in words that read like what they do."""

from collections.abc import Mapping
from typing import Final, NamedTuple

PLANNER: Final = "planner"
BUILDER: Final = "builder"
TESTER: Final = "tester"
REVIEWER: Final = "reviewer"

SUGGESTED: Final = "@suggested"
"""In place of a tool: whatever the last refusal suggested, as it stands."""


class Beat(NamedTuple):
    """One call of one agent.

    A text of the arguments that is `@` and a name stands for the id that was given that name. `refused` is the code
    with which the call is meant to be refused.
    """

    who: str
    tool: str
    arguments: Mapping[str, object]
    names: str | None = None
    refused: str | None = None


class Story(NamedTuple):
    """A plan from its first thought to its completion. `@title` and `@taskdoc` are its title and its name."""

    name: str
    title: str
    beats: tuple[Beat, ...]


def does(
    who: str, tool: str, /, *, names: str | None = None, refused: str | None = None, **arguments: object
) -> Beat:
    """Any call."""
    return Beat(who, tool, arguments, names, refused)


def heeds(who: str) -> Beat:
    """Do what the refusal before suggested."""
    return Beat(who, SUGGESTED, {})


def lists(who: str, *items: str) -> Beat:
    """Let an agent's todo list be this."""
    return does(who, "todo_write", items=list(items))


def leaves(who: str) -> Beat:
    """End an agent's session: its todo list goes."""
    return does(who, "todo_clear")


def minds(who: str, selector: str, content: str) -> Beat:
    """Rewrite a section of the taskdoc."""
    return does(who, "change_mind", taskdoc="@taskdoc", selector=selector, content=content)


def notes(who: str, where: str, note: str) -> Beat:
    """Keep a note. `where` is the name of a task or plan and, after a space, the path of a step."""
    return Beat(who, "tasks_note", {**_target(where), "note": note})


def shows_output(
    who: str, where: str, command: str, output: str, *supports: str, exit_code: int = 0, title: str | None = None
) -> Beat:
    """Keep what a command printed."""
    item = {"kind": "cmd_output", "command": command, "content": output, "exit_code": exit_code}
    return _shows(who, where, item if title is None else {**item, "title": title}, supports)


def shows_diff(who: str, where: str, title: str, diff: str, *supports: str) -> Beat:
    """Keep a diff."""
    return _shows(who, where, {"kind": "diff", "title": title, "content": diff}, supports)


def shows_page(who: str, where: str, title: str, url: str, *supports: str) -> Beat:
    """Keep an address."""
    return _shows(who, where, {"kind": "url", "title": title, "url": url}, supports)


def confirms(who: str, where: str, **found: str) -> Beat:
    """Confirm checkpoints, each with what was found, without closing the step."""
    return Beat(who, "tasks_verify", {**_target(where), "checkpoints": _confirmed(found)})


def closes(who: str, where: str, *, refused: str | None = None, **found: str) -> Beat:
    """Confirm checkpoints, each with what was found, and close the step."""
    return Beat(who, "tasks_close_step", {**_target(where), "checkpoints": _confirmed(found)}, refused=refused)


def finishes(who: str, where: str) -> Beat:
    """Close a step whose checkpoints are confirmed."""
    return Beat(who, "tasks_done", _target(where))


def too_early(who: str, where: str, refused: str = "CHECKPOINTS_NOT_CONFIRMED") -> Beat:
    """Try to close a step that is not ready; the gate says what is missing."""
    return Beat(who, "tasks_done", _target(where), refused=refused)


def blocks(who: str, where: str, reason: str) -> Beat:
    """Say that a step cannot go on."""
    return Beat(who, "tasks_block", {**_target(where), "reason": reason})


def unblocks(who: str, where: str) -> Beat:
    """Say that a step can go on."""
    return Beat(who, "tasks_block", {**_target(where), "blocked": False})


def _shows(who: str, where: str, item: Mapping[str, object], supports: tuple[str, ...]) -> Beat:
    proof = {**_target(where), "items": [item], "checkpoints": list(supports)}
    return Beat(who, "tasks_evidence_capture", proof)


def _target(where: str) -> dict[str, str]:
    name, _, path = where.partition(" ")
    return {"task": f"@{name}", "path": path} if path else {"task": f"@{name}"}


def _confirmed(found: Mapping[str, str]) -> dict[str, object]:
    return {checkpoint: {"confirmed": True, "note": note} for checkpoint, note in found.items()}
