"""The hook and file tools: paths are judged as written and as the disk resolves them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatepost.surfaces.hooks.main import verdict
from gatepost.surfaces.hooks.pretool import CLOSED, LEFT_OUT, UNREADABLE
from tests.hooks.givens import Project, encoded, reason

CLOSED_PATHS = [
    "tasks/plan.tsk/goals.md",
    "tasks/plan.tsk",
    "tasks/plan.tsk/",
    "./tasks//plan.tsk/./goals.md",
    "tasks/plan.tsk/../../src/main.py",
    "src/../tasks/plan.tsk/goals.md",
    "tasks/PLAN.TSK/goals.md",
    "tasks/plan.tsk./goals.md",
    "tasks/plan.tsk /goals.md",
    "tasks/plan.tsk. . /goals.md",
    "tasks/plan.\uff54\uff53\uff4b/goals.md",
    "tasks/plan\uff0etsk/goals.md",
    "tasks/plan.ts\u212a/goals.md",
    "tasks/plan.t\u0301sk/goals.md",
    "tasks/plan.ts\u200bk/goals.md",
    "tasks/plan.tsk\u00a0/goals.md",
    "tasks\\plan.tsk\\goals.md",
    ".tsk/goals.md",
    "x.tsk",
    "outer.tsk/inner.tsk/goals.md",
    ".gatepost/gatepost.db",
    "link/goals.md",
    "link",
    "link/new.md",
    "parent/plan.tsk/goals.md",
    "goals-link.md",
    "dangling.md",
    "gone.md",
    "deep/er/up/goals.md",
    "deep/hard.md",
    "/proc/self/cwd/link/goals.md",
    "/proc/self/cwd/x.tsk/goals.md",
    "away/../goals-link.md",
    "away/../link/goals.md",
    "away/../tasks/plan.tsk/goals.md",
    ".gatepost/templates/../gatepost.db",
    ".gatepost/templates/link.db",
]
OPEN_PATHS = [
    "src/main.py",
    "src/new/deep/file.py",
    "src/twin.py",
    "tasks/readme.md",
    "tasks/plan.tsk.bak",
    "tasks/plan.tskx/goals.md",
    "docs/tsk.md",
    "docs/.tsk.md",
    "parent/readme.md",
    "/proc/self/cwd/src/main.py",
    "a name with spaces.md",
    "gatepost/x",
    "\u00fcber.md",
    "away/../x.md",
    ".gatepost/templates/bug.toml",
    "~/x.tsk/goals.md",
    "file:///srv/x.tsk/goals.md",
    "file:///srv/x%2Etsk/goals.md",
    "/proc/self/root/srv/x.tsk/goals.md",
    "../beside.tsk/goals.md",
]


@pytest.mark.requirement("guard.hook.file-paths")
def test_a_path_into_a_package_is_denied_to_every_file_tool(project: Project) -> None:
    for path in CLOSED_PATHS:
        calls = _calls_with(path)
        assert {(tool, path): project.asks(tool, given) for tool, given in calls} == {
            (tool, path): CLOSED for tool, _ in calls
        }


def _calls_with(path: str) -> list[tuple[str, dict[str, object]]]:
    return [
        ("Read", {"file_path": path}),
        ("Write", {"file_path": path, "content": "x"}),
        ("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}),
        ("MultiEdit", {"file_path": path, "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("NotebookEdit", {"notebook_path": path, "new_source": "x"}),
        ("LS", {"path": path}),
        ("Grep", {"pattern": "x", "path": path}),
        ("Glob", {"pattern": "*.md", "path": path}),
        ("mcp__filesystem__read_multiple_files", {"paths": ["src/main.py", path]}),
        ("mcp__filesystem__move_file", {"source": "src/main.py", "destination": path}),
        ("SomeNewTool", {"options": {"targetFile": path}}),
        ("mcp__x__read_all", {"paths": [path, {}]}),
        ("Renamer", {"changes": [{"old_path": "src/main.py", "new_path": path}]}),
    ]


def test_any_other_path_meets_no_objection(project: Project) -> None:
    for path in OPEN_PATHS:
        assert project.asks("Read", {"file_path": path}) is None
        assert project.asks("Write", {"file_path": path, "content": "see tasks/plan.tsk/goals.md"}) is None
        assert project.asks("mcp__fs__copy", {"source": path, "destination": "src/copy"}) is None


@pytest.mark.requirement("guard.hook.file-paths")
@pytest.mark.parametrize("tail", ["goals.md", "tasks/plan.tsk/goals.md", "link/goals.md"])
def test_a_relative_path_counts_from_the_session_s_directory(project: Project, tail: str) -> None:
    inside = str(project.root / "tasks/plan.tsk")
    beside = str(project.root / "deep")

    assert project.asks("Read", {"file_path": tail}, cwd=inside) == CLOSED
    assert project.asks("Read", {"file_path": str(project.root / "src/main.py")}, cwd=inside) is None
    assert project.asks("Read", {"file_path": "er/up/goals.md"}, cwd=beside) == CLOSED


@pytest.mark.requirement("guard.hook.file-paths")
def test_a_process_s_own_directory_in_proc_is_that_of_the_session(project: Project) -> None:
    inside = str(project.root / "tasks/plan.tsk")

    assert project.asks("Read", {"file_path": "/proc/self/cwd/goals.md"}, cwd=inside) == CLOSED
    assert project.asks("Read", {"file_path": "/proc/thread-self/cwd/goals.md"}, cwd=inside) == CLOSED
    assert (
        project.asks("Read", {"file_path": "../../../../../../../../proc/self/cwd/goals.md"}, cwd=inside) == CLOSED
    )
    assert project.asks("Read", {"file_path": f"/proc/{os.getpid()}/cwd/link/goals.md"}) != UNREADABLE


@pytest.mark.requirement("guard.hook.file-paths")
def test_another_process_s_open_files_cannot_be_judged_and_are_denied(project: Project) -> None:
    for path in ("/proc/self/fd/7", "/proc/thread-self/fd/7", "/dev/fd/7"):
        assert project.asks("Read", {"file_path": path}) == UNREADABLE


@pytest.mark.requirement("guard.hook.file-paths")
def test_a_package_that_is_mounted_elsewhere_is_known_by_its_identity(project: Project) -> None:
    mount = 'mount --bind "$1" "$2" || exit 99; exec "$3" -m gatepost hook pre-tool'
    places = (str(project.root / "tasks/plan.tsk"), str(project.root / "docs"), sys.executable)
    event = encoded(project.event("Read", {"file_path": "docs/constraints.md"}))
    try:
        command = ["unshare", "-rm", "sh", "-c", mount, "sh", *places]
        done = subprocess.run(command, input=event, capture_output=True, timeout=120)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.returncode == 99 or done.stderr.startswith(b"unshare"):
        pytest.skip("this machine lets nobody mount")

    assert reason(done.stdout.decode()) == CLOSED


def test_a_link_that_is_called_like_a_package_does_not_close_what_it_leads_to(project: Project) -> None:
    (project.root / "tasks/all.tsk").symlink_to(project.root)

    assert project.asks("Read", {"file_path": "src/main.py"}) is None
    assert project.asks("Read", {"file_path": "tasks/all.tsk/src/main.py"}) == CLOSED


@pytest.mark.requirement("guard.hook.file-paths")
def test_the_reason_names_the_ways_in_and_does_not_tell_what_exists(project: Project) -> None:
    there = project.asks("Read", {"file_path": "tasks/plan.tsk/goals.md"})
    not_there = project.asks("Read", {"file_path": "tasks/none.tsk/goals.md"})

    assert there == not_there
    assert there is not None
    assert "recall_mind" in there
    assert "change_mind" in there


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"file_path": None},
        {"file_path": ""},
        {"file_path": 7},
        {"file_path": True},
        {"file_path": ["src/main.py", 7]},
        {"file_path": {"path": "src/main.py"}},
        {"file_path": "src/\0main.py"},
        {"file_path": "src/\ud800.py"},
        "src/main.py",
        None,
        [],
    ],
)
def test_a_file_tool_whose_path_cannot_be_read_is_denied(project: Project, given: object) -> None:
    assert project.asks("Read", given) == UNREADABLE


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Glob", {"pattern": "**/*.tsk/**"}),
        ("Glob", {"pattern": "tasks/plan.tsk/*"}),
        ("Glob", {"pattern": "tasks/plan.ts?/*.md"}),
        ("Glob", {"pattern": "tasks/plan.[t]sk/*.md"}),
        ("Glob", {"pattern": "**/*.{tsk,md}/goals.md"}),
        ("Glob", {"pattern": "**/*.TSK/*"}),
        ("Glob", {"pattern": "tasks/*/goals.md"}),
        ("Glob", {"pattern": "*/goals.md", "path": "tasks"}),
        ("Glob", {"pattern": "link/*"}),
        ("Grep", {"pattern": "x", "glob": "**/*.tsk/*.md"}),
        ("Grep", {"pattern": "x", "path": "tasks/plan.tsk"}),
        ("glob", {"pattern": "*.tsk/*"}),
        ("read_many_files", {"include": ["src/*.py", "tasks/*.tsk/*.md"]}),
    ],
)
def test_a_pattern_that_names_the_inside_of_a_package_is_denied(
    project: Project, tool: str, given: dict[str, object]
) -> None:
    assert project.asks(tool, given) == CLOSED


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Glob", {"pattern": "**/*.md"}),
        ("Glob", {"pattern": "src/**/*.ts?"}),
        ("Glob", {"pattern": "src/*.ts*"}),
        ("Glob", {"pattern": "tasks/*"}),
        ("Glob", {"pattern": "**/*.{ts,tsx}", "path": "src"}),
        ("Grep", {"pattern": r"\.tsk/", "path": "src"}),
        ("Grep", {"pattern": "plan.tsk/goals.md", "path": "docs"}),
        ("Grep", {"pattern": "x", "glob": "*.py !*.[tT][sS][kK]"}),
        ("LS", {"path": "tasks"}),
        ("LS", {"path": ".", "ignore": ["*.tsk"]}),
        ("mcp__search__find", {"path": ".", "exclude_patterns": ["tasks/plan.tsk"]}),
    ],
)
def test_a_look_from_above_or_a_search_for_words_meets_no_objection(
    project: Project, tool: str, given: dict[str, object]
) -> None:
    assert project.asks(tool, given) is None


@pytest.mark.requirement("guard.hook.file-paths")
@pytest.mark.parametrize(
    ("given", "glob"),
    [
        ({"pattern": "x"}, LEFT_OUT),
        ({"pattern": "plan.tsk/goals.md", "path": "."}, LEFT_OUT),
        ({"pattern": "x", "path": "tasks", "output_mode": "content", "-n": True}, LEFT_OUT),
        ({"pattern": "x", "path": "parent"}, LEFT_OUT),
        ({"pattern": "x", "glob": "*.{md,txt}"}, f"*.{{md,txt}} {LEFT_OUT}"),
        ({"pattern": "x", "glob": "!*.tsk/**"}, f"!*.tsk/** {LEFT_OUT}"),
    ],
)
def test_a_search_from_above_a_package_leaves_it_out(project: Project, given: dict[str, object], glob: str) -> None:
    answer = json.loads(verdict(encoded(project.event("Grep", given))))

    assert answer == {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {**given, "glob": glob}}
    }


@pytest.mark.requirement("guard.hook.file-paths", "guard.hook.harnesses")
def test_a_search_leaves_packages_out_by_each_harness_s_own_words(project: Project) -> None:
    cwd, search = {"cwd": str(project.root)}, {"pattern": "x", "path": "."}
    less = {**search, "glob": LEFT_OUT}

    def said(**event: object) -> object:
        answer = verdict(encoded({**cwd, **event}))
        return json.loads(answer) if answer else None

    cursor = {"hook_event_name": "preToolUse", "tool_name": "Grep"}
    assert said(**cursor, tool_input=search) == {"permission": "allow", "updated_input": less}
    assert said(**cursor, tool_input={**search, "glob": "*.py"}) is None
    assert said(toolName="grep", toolArgs=json.dumps(search)) == {"modifiedArgs": less}
    assert said(hook_event_name="BeforeTool", tool_name="grep", tool_input=search) is None
    assert said(hook_event_name="PreToolUse", tool_name="Glob", tool_input={"pattern": "**/*.md"}) is None
    assert said(hook_event_name="PreToolUse", tool_name="Grep", tool_input={**search, "path": "src"}) is None


@pytest.mark.requirement("guard.hook.file-paths")
def test_a_package_of_another_project_of_gatepost_is_closed_too(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other/tasks/x.tsk/goals.md"
    (tmp_path / "other/.git").mkdir(parents=True)

    assert project.asks("Read", {"file_path": str(other)}) is None
    (tmp_path / "other/.gatepost").mkdir()

    assert project.asks("Read", {"file_path": str(other)}) == CLOSED
    assert project.runs(f"cd /usr && cat {project.root}/tasks/plan.tsk/goals.md") == CLOSED


@pytest.mark.requirement("guard.hook.mere-text")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "docs/a.md", "content": "tasks/plan.tsk/goals.md"}),
        ("Edit", {"file_path": "docs/a.md", "old_string": "plan.tsk/goals.md", "new_string": "x.tsk/y"}),
        ("NotebookEdit", {"notebook_path": "docs/a.ipynb", "new_source": "open('tasks/plan.tsk/goals.md')"}),
        ("Task", {"prompt": "Look at tasks/plan.tsk/goals.md", "description": "plan.tsk"}),
        ("WebFetch", {"url": "https://example.com/x.tsk/y", "prompt": "plan.tsk"}),
        ("TodoWrite", {"todos": [{"content": "change plan.tsk", "status": "pending"}]}),
        ("create_file", {"path": "docs/a.md", "file_text": "plan.tsk/goals.md"}),
        ("mcp__gatepost__change_mind", {"selector": "goals", "content": "plan.tsk/goals.md"}),
        ("mcp__gatepost__taskdoc_adopt", {"path": "tasks/plan.tsk"}),
        ("mcp__plugin_gatepost_gatepost__taskdoc_create", {"path": "tasks/plan.tsk"}),
    ],
)
def test_text_that_merely_speaks_of_a_package_meets_no_objection(
    project: Project, tool: str, given: dict[str, object]
) -> None:
    assert project.asks(tool, given) is None
