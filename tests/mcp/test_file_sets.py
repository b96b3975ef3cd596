"""Tool sets of the session library over MCP: lists in the core, files only where asked for, and rooted."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import gatepost as package
from gatepost.operations.catalog import OPERATIONS, in_toolset
from gatepost.operations.tools import tool
from gatepost.settings import Settings
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.mcp.servers import server

VERBS = ("read", "write", "edit", "list", "glob", "grep", "stat", "mkdir", "move", "copy", "delete")
FILES = {f"file_{verb}" for verb in VERBS}
ASKED: dict[str, dict[str, Any]] = {
    "file_read": {"path": "a.txt"},
    "file_write": {"path": "b.txt", "content": "new\n"},
    "file_edit": {"path": "a.txt", "edits": [{"old_string": "One", "new_string": "1"}]},
    "file_list": {},
    "file_glob": {"pattern": "*"},
    "file_grep": {"pattern": "line"},
    "file_stat": {"path": "a.txt"},
    "file_mkdir": {"path": "b"},
    "file_move": {"source": "a.txt", "target": "b.txt"},
    "file_copy": {"source": "a.txt", "target": "b.txt"},
    "file_delete": {"path": "a.txt"},
}
SHELLS = {"subprocess", "pty"}
CALLS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp"}
SOURCES = Path(package.__file__).parent
FOLDERS = ("operations", "files", "tools", "runtime", "digest", "engine", "domain", "wire", "views", "storage")


def listed(folder: Path, tools: str) -> list[dict[str, Any]]:
    return GatepostTools(Settings(str(folder), {}), tools, output_schemas=False).tools()


def names(folder: Path, tools: str) -> set[str]:
    return {found["name"] for found in listed(folder, tools)}


def contents(folder: Path) -> dict[str, str]:
    """The texts below a folder that are not a server's own."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name[:3] not in ("gp.", "std")]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


def test_a_server_that_lists_file_tools_lists_what_their_refusals_name(tmp_path: Path) -> None:
    assert names(tmp_path, "file_read") == {"file_read", "recall_mind", "change_mind"}


def test_a_server_that_lists_only_writes_lists_the_radar_too(tmp_path: Path) -> None:
    assert names(tmp_path, "tasks_create,todo_write") == {"tasks_create", "todo_write", "tasks_radar"}


@pytest.mark.requirement("mcp.sets.session")
def test_the_sets_of_the_session_library_can_be_chosen(tmp_path: Path) -> None:
    assert names(tmp_path, "todo") == {"todo_read", "todo_write"}
    assert {"workspace_digest_get", "workspace_digest_set"} <= names(tmp_path, "workspace")
    minds = {"recall_mind", "change_mind"}
    assert names(tmp_path, "files") == FILES | minds
    assert names(tmp_path, "files-read") < FILES | minds
    assert names(tmp_path, "todo,workspace") == names(tmp_path, "todo") | names(tmp_path, "workspace")
    assert names(tmp_path, "core,files") == names(tmp_path, "core") | FILES


@pytest.mark.requirement("files.tools.off-by-default")
@pytest.mark.parametrize("tools", ["core", "tasks", "todo", "workspace", "all"])
def test_no_set_but_files_lists_file_tools(tmp_path: Path, tools: str) -> None:
    assert not FILES & names(tmp_path, tools)


@pytest.mark.requirement("mcp.list.core-size", "mcp.list.all-size")
@pytest.mark.parametrize(("tools", "most"), [("core", 9_500), ("all", 40_000), ("core,files", 16_000)])
def test_the_lists_stay_small_with_the_session_librarys_tools_in_them(
    tmp_path: Path, tools: str, most: int
) -> None:
    text = json.dumps({"tools": listed(tmp_path, tools)}, ensure_ascii=False, separators=(",", ":"))

    assert len(text) <= most


def test_a_program_can_end_a_session_but_no_set_offers_that_to_agents() -> None:
    (clear,) = (operation for operation in OPERATIONS if operation.name == "todo_clear")

    assert clear.toolsets == ()


@pytest.mark.requirement("files.tools.off-by-default")
@pytest.mark.parametrize("tools", ["core", "all"])
def test_a_server_without_the_set_refuses_file_tools_and_says_how_to_have_them(tmp_path: Path, tools: str) -> None:
    (tmp_path / "a.txt").write_text("One line.\n", encoding="utf-8")
    with server(tmp_path, "--tools", tools) as one:
        for name, arguments in ASKED.items():
            error = one.no("UNKNOWN_TOOL", name, **arguments)
            assert "--tools core,files" in error["recovery"]

        calls = [{"tool": name, "arguments": arguments} for name, arguments in ASKED.items()]
        for call in calls:
            batched = one.no("BATCH_FAILED", "tasks_batch", operations=[call])
            assert batched["error"]["code"] == "UNKNOWN_TOOL"
            assert "--tools core,files" in batched["error"]["recovery"]
        alone = one.ok("tasks_batch", operations=calls, atomic=False)

    assert [result["error"]["code"] for result in alone["results"]] == ["UNKNOWN_TOOL"] * len(calls)
    assert contents(tmp_path) == {"a.txt": "One line.\n"}


@pytest.mark.requirement("files.tools.off-by-default")
def test_a_server_that_was_given_one_file_tool_does_not_offer_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One line.\n", encoding="utf-8")
    with server(tmp_path, "--tools", "core,file_read") as one:
        assert one.ok("file_read", path="a.txt")["content"] == "One line.\n"
        one.no("UNKNOWN_TOOL", "file_delete", path="a.txt")
        assert "suggestion" not in one.no("NOT_FOUND", "file_read", path="none.txt")

    assert contents(tmp_path) == {"a.txt": "One line.\n"}


@pytest.mark.requirement("files.tools.off-by-default")
def test_a_server_with_the_reading_set_offers_no_tool_that_writes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One line.\n", encoding="utf-8")
    writing = {operation.name for operation in OPERATIONS if operation.files and operation.writes}
    with server(tmp_path, "--tools", "core,files-read") as one:
        assert set(one.tools()) & FILES == FILES - writing
        assert one.ok("file_read", path="a.txt")["content"] == "One line.\n"
        for name in writing:
            one.no("UNKNOWN_TOOL", name, **ASKED[name])
        failed = one.no(
            "BATCH_FAILED", "tasks_batch", operations=[{"tool": "file_edit", "arguments": ASKED["file_edit"]}]
        )
        assert failed["error"]["code"] == "UNKNOWN_TOOL"

    assert contents(tmp_path) == {"a.txt": "One line.\n"}


@pytest.mark.requirement("mcp.sets.session")
def test_with_the_set_an_agent_works_on_the_files_below_the_root(tmp_path: Path) -> None:
    with server(tmp_path, "--tools", "core,files") as one:
        assert set(one.tools()) >= FILES
        assert one.ok("file_write", path="src/a.txt", content="one\ntwo\n") == {
            "path": "src/a.txt",
            "size": 8,
            "created": True,
        }
        one.ok("file_write", path="src/a.txt", content="three\n", mode="append")
        one.no("ALREADY_EXISTS", "file_write", path="src/a.txt", content="", mode="create")
        read = one.ok("file_read", path="src/a.txt", offset=1, limit=1)
        assert (read["content"], read["total_lines"], read["truncated"], read["next_offset"]) == (
            "two\n",
            3,
            True,
            2,
        )
        assert one.ok("file_mkdir", path="docs")["kind"] == "directory"
        one.ok("file_copy", source="src/a.txt", target="docs/b.txt")
        one.ok("file_move", source="docs/b.txt", target="docs/c.md")
        assert [(row["path"], row["kind"]) for row in one.ok("file_list", path="docs")["items"]] == [
            ("docs/c.md", "file")
        ]
        assert one.ok("file_glob", pattern="**/*.txt")["items"] == ["src/a.txt"]
        assert one.ok("file_grep", pattern="^t", glob="**/*.md")["items"] == [
            {"path": "docs/c.md", "line": 2, "text": "two"},
            {"path": "docs/c.md", "line": 3, "text": "three"},
        ]
        assert one.ok("file_stat", path="src/a.txt")["size"] == 14
        one.no("NOT_EMPTY", "file_delete", path="docs")
        one.ok("file_delete", path="docs", recursive=True)
        one.no("NOT_FOUND", "file_read", path="docs/c.md")

    assert contents(tmp_path) == {"src/a.txt": "one\ntwo\nthree\n"}


@pytest.mark.requirement("mcp.sets.session", "files.edit.all-or-nothing")
def test_with_the_set_an_agent_edits_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    with server(tmp_path, "--tools", "core,files") as one:
        twice = one.no(
            "EDIT_MISMATCH", "file_edit", path="src/a.txt", edits=[{"old_string": "t", "new_string": "T"}]
        )
        assert twice["lines"] == [2, 3]
        edits = [{"old_string": "two\n", "new_string": "2\n"}, {"old_string": "2\n", "new_string": "two\n"}]
        assert one.ok("file_edit", path="src/a.txt", edits=edits)["changed"] is False
        assert "+2\n" in one.ok("file_edit", path="src/a.txt", edits=edits[:1], dry_run=True)["diff"]

    assert contents(tmp_path) == {"src/a.txt": "one\ntwo\nthree\n"}


@pytest.mark.requirement("files.path.dot-dot")
def test_nothing_outside_of_the_root_and_nothing_of_gateposts_own_is_within_reach(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for inside in (".gatepost", "plan.tsk", "src"):
        (root / inside).mkdir(parents=True)
        (root / inside / "note.txt").write_text("hidden line\n", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("hidden line\n", encoding="utf-8")
    (root / "way-out").symlink_to(tmp_path)
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    before = contents(root)

    with server(tmp_path, "--root", str(root), "--tools", "core,files") as one:
        for path in (".gatepost/note.txt", "plan.tsk/note.txt", ".GATEPOST/x", "src/../plan.TSK./note.txt"):
            one.no("FORBIDDEN_PATH", "file_read", path=path)
            one.no("FORBIDDEN_PATH", "file_write", path=path, content="x")
            one.no("FORBIDDEN_PATH", "file_delete", path=path, recursive=True)
            one.no("FORBIDDEN_PATH", "file_copy", source="src/note.txt", target=path)
            one.no("FORBIDDEN_PATH", "file_move", source=path, target="src/mine.txt")
        for path in ("way-out/outside.txt", "link.txt"):
            one.no("FORBIDDEN_PATH", "file_read", path=path)
            one.no("FORBIDDEN_PATH", "file_write", path=path, content="x")
        for path in ("../outside.txt", "src/../../outside.txt", str(tmp_path / "outside.txt"), "/etc/passwd"):
            one.no("INVALID_INPUT", "file_read", path=path)
            one.no("INVALID_INPUT", "file_write", path=path, content="x")
        found = one.ok("file_grep", pattern="hidden")["items"]
        paths = one.ok("file_glob", pattern="**")["items"]

    assert [match["path"] for match in found] == ["src/note.txt"]
    assert not [path for path in paths if path.startswith(("way-out/", ".gatepost/", "plan.tsk/"))]
    assert contents(root) == before
    assert (tmp_path / "outside.txt").read_text(encoding="utf-8") == "hidden line\n"


@pytest.mark.requirement("workspace.tools.no-shell")
def test_no_operation_takes_a_command_to_run() -> None:
    for operation in OPERATIONS:
        fields = set(tool(operation)["inputSchema"]["properties"])
        assert not fields & {"command", "commands", "cmd", "script", "shell", "argv", "run", "exec"}, operation.name
        words = set(operation.name.split("_"))
        assert not words & {"shell", "exec", "run", "bash", "command", "eval"}, operation.name


@pytest.mark.requirement("workspace.tools.no-shell")
@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_that_an_operation_is_made_of_can_start_a_process(folder: str) -> None:
    files = sorted((SOURCES / folder).rglob("*.py"))

    suspects = [found for file in files for found in starting_processes(file)]

    assert files
    assert suspects == []


def test_the_search_for_started_processes_would_find_them(tmp_path: Path) -> None:
    culprits = (
        "import subprocess",
        "import subprocess as s",
        "from subprocess import run",
        "import os\nos.system('ls')",
        "from os import execv",
        "import os\nos.spawnl(0, 'ls')",
        "import asyncio\nasyncio.create_subprocess_shell('ls')",
        "eval('1')",
        "__import__('subprocess')",
    )
    for culprit in culprits:
        file = tmp_path / "culprit.py"
        file.write_text(culprit, encoding="utf-8")
        assert starting_processes(file), culprit


def starting_processes(file: Path) -> list[str]:
    """Where a source names something by which a process can be started."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            words = [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            words = [(node.module or "").partition(".")[0], *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            words = [node.attr] if isinstance(node.value, ast.Name) and node.value.id in ("os", "asyncio") else []
        else:
            words = [node.id] if isinstance(node, ast.Name) and node.id in ("eval", "exec", "__import__") else []
        found += [f"{file.name}:{getattr(node, 'lineno', 0)} {word}" for word in words if starts(word)]
    return found


def starts(word: str) -> bool:
    telling = word in SHELLS | CALLS | {"eval", "__import__"}
    return telling or word.startswith(("exec", "spawn", "create_subprocess"))


def test_every_file_operation_is_in_the_files_set_and_nothing_else_is() -> None:
    assert {operation.name for operation in OPERATIONS if operation.files} == FILES
    assert {operation.name for operation in in_toolset("files")} == {*FILES, "recall_mind", "change_mind"}
