"""The clients that `gatepost init` connects: which files each reads, and what belongs into them.

The formats are those of the clients' documentation and packages: docs/init.md says which were checked against what.
"""

import json
import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from gatepost.surfaces.setup import marked_blocks

SERVER: Final = "gatepost"
PACKAGES: Final = "**/*.tsk/**"
_HERE: Final = "${workspaceFolder}"
_SESSION_START, _PRE, _POST = "session-start", "pre-tool", "post-tool"
_CUT, _STOP = "pre-compact", "stop"


class SetMember(NamedTuple):
    """A member of a JSON object, set if there is none of that name."""

    path: tuple[str, ...]
    value: Any


class AddItem(NamedTuple):
    """An item of a JSON array, added if there is none like it. `hook` is the hook that it runs, if any."""

    path: tuple[str, ...]
    item: Any
    hook: str | None = None


class AddKey(NamedTuple):
    """A key at the top level of a TOML file."""

    key: str
    line: str


class AddTable(NamedTuple):
    """A table at the end of a TOML file."""

    path: tuple[str, ...]
    lines: tuple[str, ...]


class PutBlock(NamedTuple):
    """A block between markers in a text."""

    markers: tuple[str, str]
    lines: tuple[str, ...]


Edit = SetMember | AddItem | AddKey | AddTable | PutBlock


class FileEdits(NamedTuple):
    """What belongs into one file. Paths are relative to the project."""

    path: str
    edits: tuple[Edit, ...]


_OF_COPILOT: Final = (".github/copilot-instructions.md", ".github/hooks")


class AgentClient(NamedTuple):
    """A client: its name on the command line and in words, how it is recognized, and where its instructions are.

    `marks` are files and folders of a project, `home` is a folder of the user, `programs` are commands.
    """

    name: str
    title: str
    marks: tuple[str, ...]
    home: str
    programs: tuple[str, ...]
    instructions: str


CLIENTS: Final = (
    AgentClient(
        "claude", "Claude Code", (".claude", "CLAUDE.md", ".mcp.json"), ".claude", ("claude",), "CLAUDE.md"
    ),
    AgentClient("codex", "Codex", (".codex",), ".codex", ("codex",), "AGENTS.md"),
    AgentClient(
        "cursor", "Cursor", (".cursor", ".cursorrules"), ".cursor", ("cursor", "cursor-agent"), "AGENTS.md"
    ),
    AgentClient("vscode", "VS Code", (".vscode",), ".vscode", ("code",), "AGENTS.md"),
    AgentClient("gemini", "Gemini CLI", (".gemini", "GEMINI.md"), ".gemini", ("gemini",), "GEMINI.md"),
    AgentClient("copilot", "Copilot", _OF_COPILOT, ".copilot", ("copilot",), "AGENTS.md"),
)
NAMES: Final = tuple(client.name for client in CLIENTS)

INSTRUCTIONS: Final = (
    "## Tasks",
    "",
    "This project keeps its plans and tasks in Gatepost (the MCP server `gatepost`). Call `tasks_radar` before",
    "you start: `now` is the step to work on. Plan new work with `tasks_create`. Close a step with",
    "`tasks_close_step` once you have verified its criteria and tests, and say what it waits for with",
    "`tasks_block`. Leave a note with `tasks_note` before you stop. Folders named `*.tsk` are closed to file",
    "tools and shells: use `recall_mind` and `change_mind`.",
)


def chosen(names: Iterable[str], root: str) -> tuple[AgentClient, ...]:
    """The clients with these names; all of them for `all`; those that are found here for none."""
    wanted = set(names)
    if "all" in wanted:
        return CLIENTS
    return tuple(client for client in CLIENTS if (client.name in wanted if wanted else _is_here(client, root)))


def _is_here(client: AgentClient, root: str) -> bool:
    home = os.path.expanduser("~")
    return (
        any(os.path.lexists(os.path.join(root, mark)) for mark in client.marks)
        or os.path.isdir(os.path.join(home, client.home))
        or any(shutil.which(program) for program in client.programs)
    )


def files(client: AgentClient, command: Sequence[str]) -> tuple[FileEdits, ...]:
    """What belongs into a client's files, given the command that starts Gatepost."""
    block = PutBlock(marked_blocks.MARKDOWN, INSTRUCTIONS)
    return (*_FILES[client.name](command), FileEdits(client.instructions, (block,)))


def hook_line(command: Sequence[str], hook: str) -> str:
    """A hook as a line for a shell. Without Gatepost it does nothing: some clients take an error for a no."""
    program = shlex.quote(command[0])
    is_there = f"[ -x {program} ]" if os.path.isabs(command[0]) else f"command -v {program} >/dev/null"
    return f"! {is_there} || {shlex.join([*command, 'hook', hook])}"


def _claude(command: Sequence[str]) -> Iterator[FileEdits]:
    yield _shared_server(command)
    denied = (AddItem(("permissions", "deny"), f"{tool}({PACKAGES})") for tool in ("Read", "Edit"))
    hooks = {**_HOOKS_OF_CLAUDE, "PostToolUseFailure": _POST}
    yield FileEdits(".claude/settings.json", (*denied, *_grouped(command, hooks, matcher="*")))


def _codex(command: Sequence[str]) -> Iterator[FileEdits]:
    lines = (f"[mcp_servers.{SERVER}]", f"command = {_toml(command[0])}", f"args = {_toml_list(_args(command))}")
    yield FileEdits(".codex/config.toml", (AddTable(("mcp_servers", SERVER), lines),))
    yield FileEdits(".codex/hooks.json", tuple(_grouped(command, _HOOKS_OF_CLAUDE, matcher="*")))


def _cursor(command: Sequence[str]) -> Iterator[FileEdits]:
    server = {"command": command[0], "args": [*_args(command), "--root", _HERE]}
    yield FileEdits(".cursor/mcp.json", (SetMember(("mcpServers", SERVER), server),))
    yield FileEdits(
        ".cursor/hooks.json",
        (
            SetMember(("version",), 1),
            *_flat(command, _HOOKS_OF_CURSOR, lambda line: {"command": line}),
        ),
    )
    yield FileEdits(".cursorignore", (PutBlock(marked_blocks.HASH, ("*.tsk/",)),))


def _vscode(command: Sequence[str]) -> Iterator[FileEdits]:
    server = {"type": "stdio", "command": command[0], "args": [*_args(command), "--root", _HERE]}
    yield FileEdits(".vscode/mcp.json", (SetMember(("servers", SERVER), server),))
    asked = SetMember(("chat.tools.edits.autoApprove", PACKAGES), value=False)
    yield FileEdits(".vscode/settings.json", (asked,))
    yield _copilot_hooks(command)


def _gemini(command: Sequence[str]) -> Iterator[FileEdits]:
    server = {"command": command[0], "args": _args(command)}
    yield FileEdits(
        ".gemini/settings.json",
        (SetMember(("mcpServers", SERVER), server), *_grouped(command, _HOOKS_OF_GEMINI, matcher=".*")),
    )
    yield FileEdits(".geminiignore", (PutBlock(marked_blocks.HASH, ("*.tsk/",)),))


def _copilot(command: Sequence[str]) -> Iterator[FileEdits]:
    yield _shared_server(command)
    yield _copilot_hooks(command)


def _shared_server(command: Sequence[str]) -> FileEdits:
    server = {"command": command[0], "args": _args(command)}
    return FileEdits(".mcp.json", (SetMember(("mcpServers", SERVER), server),))


def _copilot_hooks(command: Sequence[str]) -> FileEdits:
    """Copilot's hooks, which VS Code reads as well."""
    return FileEdits(
        ".github/hooks/gatepost.json",
        (
            SetMember(("version",), 1),
            *_flat(command, _HOOKS_OF_COPILOT, lambda line: {"type": "command", "bash": line}),
        ),
    )


_HOOKS_OF_CLAUDE: Final = {
    "SessionStart": _SESSION_START,
    "UserPromptSubmit": _SESSION_START,
    "PreToolUse": _PRE,
    "PostToolUse": _POST,
    "PreCompact": _CUT,
    "Stop": _STOP,
}
_HOOKS_OF_GEMINI: Final = {
    "SessionStart": _SESSION_START,
    "BeforeAgent": _SESSION_START,
    "BeforeTool": _PRE,
    "AfterTool": _POST,
    "AfterAgent": _STOP,
}
"""Without `PreCompress`: Gemini CLI sends it ahead of every request to its model, whether or not it will cut."""
_HOOKS_OF_CURSOR: Final = {
    "sessionStart": _SESSION_START,
    "preToolUse": _PRE,
    "postToolUse": _POST,
    "preCompact": _CUT,
    "stop": _STOP,
}
_HOOKS_OF_COPILOT: Final = {
    "sessionStart": _SESSION_START,
    "userPromptSubmitted": _SESSION_START,
    "preToolUse": _PRE,
    "postToolUse": _POST,
    "agentStop": _STOP,
}
_FILES: Final = {
    "claude": _claude,
    "codex": _codex,
    "cursor": _cursor,
    "vscode": _vscode,
    "gemini": _gemini,
    "copilot": _copilot,
}


def _grouped(command: Sequence[str], hooks: dict[str, str], *, matcher: str) -> Iterator[AddItem]:
    """Hooks in groups by the tools that they are for, as Claude Code writes them."""
    for event, hook in hooks.items():
        run = {"type": "command", "command": hook_line(command, hook)}
        group = {"matcher": matcher} if hook in (_PRE, _POST) else {}
        yield AddItem(("hooks", event), {**group, "hooks": [run]}, hook)


def _flat(command: Sequence[str], hooks: dict[str, str], entry: Any) -> Iterator[AddItem]:
    for event, hook in hooks.items():
        yield AddItem(("hooks", event), entry(hook_line(command, hook)), hook)


def _args(command: Sequence[str]) -> list[str]:
    return [*command[1:], "mcp"]


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_list(texts: list[str]) -> str:
    return f"[{', '.join(map(_toml, texts))}]"
