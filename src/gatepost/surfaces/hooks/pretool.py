"""Before a tool call: checks whether its paths, patterns, commands or patches lead into something closed."""

from __future__ import annotations

import re

from gatepost.surfaces.hooks.disk_paths import DiskPaths, Unreadable
from gatepost.surfaces.hooks.harnesses import CLAUDE, GEMINI
from gatepost.surfaces.hooks.person_acts import PersonOnly, check_variable
from gatepost.surfaces.hooks.written_paths import pattern_names_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from gatepost.surfaces.hooks.harnesses import HookCall

CLOSED: Final = (
    "Taskdoc packages (`*.tsk`) and `.gatepost` are closed to file and shell tools, even if they do not exist. "
    "Read the taskdoc with recall_mind and change it with change_mind (in a shell: `gatepost taskdoc`)."
)
UNREADABLE: Final = (
    "A path in this call cannot be resolved, so it could lead into a taskdoc package. Use a plain path. "
    "Read the taskdoc with recall_mind and change it with change_mind."
)
DEEPEST: Final = 8
LEFT_OUT: Final = "!*.[tT][sS][kK]"
"""A ripgrep glob that excludes every package."""

_NEEDS_PATH: Final = frozenset(
    {
        *("read", "write", "edit", "multiedit", "notebookedit", "notebookread"),
        *("strreplace", "delete", "readfile", "writefile", "replace", "viewimage"),
    }
)
# Tools that only list names: they may list a package.
_LISTS: Final = frozenset({"glob", "ls", "listdir", "listdirectory"})
_LOOKS_AROUND: Final = _LISTS | {"grep", "searchfilecontent", "grepsearch"}
_PATCHES: Final = frozenset({"applypatch", "patch"})
_SHELLS: Final = frozenset({"bash", "shell", "localshell", "execcommand", "exec", "runshellcommand", "terminal"})
_STANDING: Final = ("workdir", "cwd", "dir_path", "working_directory", "workingDirectory", "directory")
# These may also be web addresses; a `file_path` never is.
_PLACES: Final = frozenset(
    {"uri", "uris", "location", "locations", "source", "sources", "src", "target", "targets"}
)
_PATHS: Final = _PLACES | frozenset(
    {
        *("path", "paths", "file", "files", "filename", "filenames", "filepath", "filepaths", "notebook"),
        *("dir", "dirs", "directory", "directories", "folder", "folders", "cwd", "workdir", "root", "roots"),
        *("destination", "destinations", "dst", "dest"),
    }
)
_PATTERNS: Final = frozenset({"glob", "globs", "include", "includes"})
_LEFT_OUT: Final = frozenset({"exclude", "excludes", "excluded", "ignore", "ignored"})
_TEXTS: Final = frozenset(
    {
        *("content", "contents", "text", "body", "string", "data", "description", "title", "query", "message"),
        *("type", "types", "mode", "size", "limit", "offset", "id", "ids", "count", "regex", "encoding"),
    }
)
_COMMANDS: Final = frozenset({"command", "cmd", "commands", "script", "chars"})
_CODE: Final = frozenset({"code", "script", "source", "expression"})
_WORDS: Final = frozenset({"args", "argv", "arguments"})
_NEW_TEXT: Final = frozenset({"new_source", "old_source"})


def reason_against(call: HookCall) -> str | None:
    """Why a call is refused, or None. The same whether or not its target exists."""
    if _is_ours(call.tool):
        return None
    tool = _plain(call.tool)
    if tool in _NEEDS_PATH and not _has_path(call.input):
        return UNREADABLE
    try:
        return CLOSED if _leads_inside(tool, call, DiskPaths(call.cwd)) else None
    except Unreadable:
        return UNREADABLE
    except PersonOnly as no:
        return str(no)


def narrowed(call: HookCall) -> dict[str, object] | None:
    """Changed arguments for a search above a package that exclude the package, where the tool allows it.

    Only `grep` tools with a `glob` do: Claude Code accepts several globs in one text, the others one. Gemini CLI
    has no such argument. A listing shows only names, and no harness lets a hook filter them.
    """
    if _plain(call.tool) != "grep" or call.harness == GEMINI or not isinstance(call.input, dict):
        return None
    glob, path = call.input.get("glob") or "", call.input.get("path") or "."
    if not isinstance(glob, str) or not isinstance(path, str) or (glob and call.harness != CLAUDE):
        return None
    if LEFT_OUT in glob or not DiskPaths(call.cwd).packages_below(path):
        return None
    return {**call.input, "glob": f"{glob} {LEFT_OUT}".strip()}


def _leads_inside(tool: str, call: HookCall, outer: DiskPaths) -> bool:
    if tool in _PATCHES:
        return _patches_lead_inside(call.input, outer)
    if isinstance(call.input, str):
        return tool in _SHELLS and _command(call.input, outer)
    if _Arguments(call, outer, lists=tool in _LISTS).lead_inside(call.input):
        return True
    return tool in _LOOKS_AROUND and not _has_path(call.input) and outer.leads_inside(".")


class _Arguments:
    """The arguments of one tool. Their names decide what is a path and what is a command."""

    def __init__(self, call: HookCall, outer: DiskPaths, *, lists: bool) -> None:
        self._outer = outer
        self._inner = _moved(outer, call.input, _STANDING)
        self._searched = _moved(self._inner, call.input, ("path",))
        self._lists = lists

    def lead_inside(self, given: object, depth: int = 0) -> bool:
        """Whether one of them leads into something closed."""
        if depth > DEEPEST:
            raise Unreadable("too deep")
        if isinstance(given, list):
            return any(self.lead_inside(item, depth + 1) for item in given)
        if not isinstance(given, dict):
            return False
        return any(self._argument(str(key), value, depth) for key, value in given.items())

    def _argument(self, key: str, value: object, depth: int) -> bool:
        if isinstance(value, str):
            check_variable(key, value)
        if isinstance(value, dict):
            return self.lead_inside(value, depth + 1)
        if isinstance(value, list):
            if self.lead_inside([item for item in value if isinstance(item, dict)], depth):
                return True
            value = [item for item in value if not isinstance(item, dict)]
        return self._named(key, value)

    def _named(self, key: str, value: object) -> bool:
        tokens = _tokens(key)
        if _CODE.intersection(tokens[-1:]) and key not in _NEW_TEXT and _each(value, self._code):
            return True
        if _COMMANDS.intersection(tokens[-1:]):
            return not _is_program(tokens[-1], value) and _command(value, self._inner)
        if _WORDS.intersection(tokens):
            return isinstance(value, list) and _command(value, self._inner)
        if _is_text(key, tokens):
            return False
        if not _PATTERNS.isdisjoint(tokens) or (self._lists and key == "pattern"):
            return _each(value, self._patterns)
        if (
            isinstance(value, str)
            and self._inner.knows_as_remote(value)
            and _PLACES.issuperset(_PATHS.intersection(tokens))
        ):
            return False
        return not _PATHS.isdisjoint(tokens) and _each(value, self._path)

    def _path(self, path: str) -> bool:
        """Checked from the session's directory and from the tool's own, since tools differ."""
        return self._inner.leads_inside(path) or self._outer.leads_inside(path)

    def _code(self, text: str) -> bool:
        from gatepost.surfaces.hooks.program_text import code_names_closed

        return code_names_closed(text, self._inner)

    def _patterns(self, text: str) -> bool:
        """A search may have several patterns, separated by spaces; those with a `!` exclude."""
        globs = [text] if self._lists else text.split()
        return any(self._pattern(glob) for glob in globs if not glob.startswith("!"))

    def _pattern(self, pattern: str) -> bool:
        """A listing shows only the name of what it finds; another search may read it."""
        return self._searched.expands_inside(pattern, last=False) or (
            not self._lists and pattern_names_closed(pattern)
        )


def _tokens(key: str) -> list[str]:
    """The words of a name, the same for `targetFile` and `target_file`."""
    return re.sub(r"(?<![A-Z])(?=[A-Z])|[\W_]", " ", key).casefold().split()


def _is_text(key: str, tokens: list[str]) -> bool:
    """`file_text` is a text and `text_file` a file: the last word decides. Exclusions are not targets."""
    return key in _NEW_TEXT or not _LEFT_OUT.isdisjoint(tokens) or not _TEXTS.isdisjoint(tokens[-1:])


def _moved(paths: DiskPaths, given: object, keys: tuple[str, ...]) -> DiskPaths:
    """The tool's working directory, if its arguments name one."""
    if isinstance(given, dict):
        for key in keys:
            place = given.get(key)
            if isinstance(place, str) and place and "\0" not in place:
                return paths.moved(place)
    return paths


def _each(value: object, judge: Callable[[str], bool]) -> bool:
    """A text or a list of texts. A number or flag is not a path, whatever its name (`max_files`)."""
    if value is None or isinstance(value, int | float):
        return False
    if isinstance(value, list):
        return any(_each(item, judge) for item in value)
    if not isinstance(value, str):
        raise Unreadable(repr(value)[:80])
    return bool(value) and judge(value)


def _is_program(name: str, value: object) -> bool:
    """Whether a `script` is Python or similar: `f(x)` is not a shell command."""
    return name == "script" and isinstance(value, str) and "(" in value.replace("$(", "")


def _command(value: object, paths: DiskPaths) -> bool:
    from gatepost.surfaces.hooks.shell import command_leads_inside, words_lead_inside

    if isinstance(value, str):
        return command_leads_inside(value, paths)
    if isinstance(value, list):
        return words_lead_inside([word for word in value if isinstance(word, str)], paths)
    return False


def _patches_lead_inside(given: object, paths: DiskPaths) -> bool:
    """The whole input of a patch tool: harnesses name the patch `command`, `input`, `patch`, or not at all."""
    if isinstance(given, str):
        from gatepost.surfaces.hooks.patches import named_files

        return any(paths.leads_inside(name) for name in named_files(given) if name)
    if isinstance(given, list):
        return any(_patches_lead_inside(item, paths) for item in given)
    if not isinstance(given, dict):
        return False
    named = [value for key, value in given.items() if not _PATHS.isdisjoint(_tokens(str(key)))]
    if _each(named, paths.leads_inside):
        return True
    inner = _moved(paths, given, _STANDING)
    return any(_patches_lead_inside(value, inner) for value in given.values())


def _has_path(given: object) -> bool:
    if not isinstance(given, dict):
        return False
    return any(
        bool(value) and _is_text_or_texts(value) and not _PATHS.isdisjoint(_tokens(str(key)))
        for key, value in given.items()
    )


def _is_text_or_texts(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _is_ours(tool: str) -> bool:
    """Gatepost's own tools have their own guard, and name packages routinely."""
    parts = tool.split("__")
    return len(parts) > 2 and parts[0] == "mcp" and (parts[1] == "gatepost" or parts[1].endswith("_gatepost"))


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").rpartition(".")[2]
