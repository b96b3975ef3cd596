"""The hook after a tool call: whatever way a package was changed, it is restored, and the agent is told."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.storage.sqlite import connection_pool
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.surfaces.hooks import package_state
from gatepost.surfaces.hooks.main import after
from tests.hooks.givens import HEAVY, PROBE, encoded
from tests.hooks.recorded import RECORDED
from tests.hooks.watched import PATIENCE, Watched, apart_from_here
from tests.hooks.ways import possible
from tests.tsk.projects import SECTIONS

GOALS = "- ship it\n"
OLD = "- an older goal\n"
IN_A_PROCESS = ("sed -i", "git stash", "a link in the package's place", "tar")
"""Ways after which the hook is run as harnesses run it; in one process with the tests it is quicker."""
KEYS = (
    "hook_event_name",
    "cwd",
    "tool_name",
    "tool_input",
    "session_id",
    "workspace_roots",
    "toolName",
    "toolArgs",
)
LEAN = {
    *("gatepost", "gatepost.__main__", "gatepost.surfaces", "gatepost.settings"),
    *("gatepost.surfaces.cli", "gatepost.surfaces.cli.main", "gatepost.surfaces.cli.errors"),
    *(f"gatepost.surfaces.hooks{name}" for name in ("", ".main", ".harnesses", ".posttool")),
    *(f"gatepost.surfaces.hooks{name}" for name in (".package_state", ".cache_files")),
    *("gatepost.checks", "gatepost.checks.settings_file", "gatepost.files", "gatepost.files.git_head"),
    *("gatepost.wire", "gatepost.wire.locations"),  # which stores are databases: a few lines
}


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    for name in [name for name in os.environ if name.startswith(("GATEPOST_", "CLAUDE_", "CURSOR_", "GEMINI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GATEPOST_SYNCHRONOUS", "NORMAL")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    root = tmp_path / "project"
    (root / ".gatepost").mkdir(parents=True)
    store = SqliteStore(str(root / ".gatepost/gatepost.db"), "NORMAL")
    made = Watched(store, root)
    made.new(goals=OLD, constraints="- no downtime\n")
    made.shell(
        "git init -q -b main . && git config user.name x && git config user.email x@example.com"
        " && printf '.gatepost\\nother*\\naway\\njob.sh\\nMakefile\\nhard.md\\nway\\n' > .gitignore"
        " && git add -A && git add -f tasks && git commit -qm one"
    )
    made.change("goals", GOALS)
    assert made.hears() == ""
    yield made
    store.close()


@pytest.mark.requirement("guard.hook.restores")
def test_every_way_of_a_shell_to_change_a_package_is_undone_and_told_at_once(watched: Watched) -> None:
    ways, before = possible(), watched.on_disk()
    watched.shell("mkdir -p other/tasks/auth.tsk; printf 'mine' > other/tasks/auth.tsk/goals.md")
    watched.shell("tar cf other.tar -C other tasks; cd other; python3 -m zipfile -c ../other.zip tasks")
    watched.news()
    for name, command in ways.items():
        (watched.root / "other.md").write_text("other\n")
        watched.shell(command)
        outside = _texts(watched)

        told = watched.hears(command, apart=name in IN_A_PROCESS)

        assert watched.on_disk() == before, name
        assert "Gatepost restored it" in told, name
        assert "recall_mind" in told, name
        assert "change_mind" in told, name
        [event] = [event for event in watched.news() if event["type"] == "package_tampered"]
        assert event["actor"] == "keeper:claude-code/3f2a", name
        assert event["call"].removesuffix("…") in f"Bash: {' '.join(command.split())}", name
        assert _missing_evidence(watched, outside) == [], name
        assert watched.hears() == "", name
        shutil.rmtree(watched.root / "away", ignore_errors=True)
    assert len(ways) >= 40, sorted(ways)
    assert watched.doctor() == []


def _texts(watched: Watched) -> dict[str, str]:
    """What stands in the place of each section now, where that is a text that the log has not."""
    found = {}
    for section in SECTIONS:
        file = watched.file(section)
        if file.is_file() and not file.is_symlink() and not watched.package().is_symlink():
            found[section] = file.read_text()
    return {section: text for section, text in found.items() if text != watched.text(section)}


def _missing_evidence(watched: Watched, outside: dict[str, str]) -> list[str]:
    kept = {section: watched.ok("taskdoc_history", selector=section, limit=1)["items"] for section in outside}
    return [section for section, text in outside.items() if kept[section][0].get("outside") != text]


@pytest.mark.requirement("guard.hook.head-moved")
def test_what_git_brought_with_another_commit_is_reported_once_and_left_alone(watched: Watched) -> None:
    watched.shell("git checkout -q -b other && printf 'theirs\n' > tasks/auth.tsk/goals.md && git commit -qam two")
    watched.shell("git checkout -qf main")
    watched.hears()
    watched.does("git checkout -q -- tasks")
    watched.news()

    told = watched.does("git checkout -qf other")

    assert "This call moved git's HEAD" in told
    assert "gatepost taskdoc adopt auth" in told
    assert "gatepost taskdoc restore auth" in told
    assert watched.file("goals").read_text() == "theirs\n"
    assert watched.news() == []
    assert watched.hears() == ""


@pytest.mark.requirement("guard.hook.head-moved", "guard.hook.restores")
def test_what_waits_for_a_person_is_left_alone_when_a_later_call_changes_something_else(watched: Watched) -> None:
    watched.shell("git checkout -q -b other && printf 'theirs\n' > tasks/auth.tsk/goals.md && git commit -qam two")
    assert "moved git's HEAD" in watched.hears()
    watched.does("echo x > tasks/auth.tsk/notes.md")

    told = watched.does("echo mine > tasks/auth.tsk/constraints.md")

    assert "constraints.md" in told
    assert "goals.md" not in told
    assert "notes.md" not in told
    assert watched.file("constraints").read_text() == "- no downtime\n"
    assert watched.file("goals").read_text() == "theirs\n"


@pytest.mark.requirement("guard.hook.restores")
def test_a_commit_in_between_does_not_keep_a_package_from_being_restored(watched: Watched) -> None:
    assert watched.does("git commit -qm three --allow-empty") == ""

    told = watched.does("echo mine > tasks/auth.tsk/goals.md")

    assert "Gatepost restored it" in told
    assert watched.file("goals").read_text() == GOALS


@pytest.mark.requirement("guard.hook.head-moved")
def test_a_first_look_takes_the_head_of_the_last_write_for_the_one_before(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "fresh"))
    watched.shell("echo mine > tasks/auth.tsk/goals.md && git commit -qm three --allow-empty")
    assert "moved git's HEAD" in watched.hears()

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "fresher"))
    watched.ok("taskdoc_restore")
    watched.shell("echo mine > tasks/auth.tsk/goals.md")
    assert "Gatepost restored it" in watched.hears()


def test_white_space_is_restored_without_a_word_and_with_an_event(watched: Watched) -> None:
    watched.news()

    told = watched.does("printf -- '- ship it  \r\n\n' > tasks/auth.tsk/goals.md")

    assert told == ""
    assert watched.file("goals").read_text() == GOALS
    assert [event["type"] for event in watched.news()] == ["package_tampered", "section_replaced"]


def test_a_file_of_somebody_else_in_a_package_is_told_once_and_left_there(watched: Watched) -> None:
    watched.news()

    told = watched.does("echo x > tasks/auth.tsk/notes.md")

    assert "tasks/auth.tsk/notes.md" in told
    assert "recall_mind" in told
    assert (watched.package() / "notes.md").read_text() == "x\n"
    assert (watched.news(), watched.hears()) == ([], "")


def test_a_folder_in_the_place_of_meta_is_moved_away_and_the_file_restored(watched: Watched) -> None:
    told = watched.does("rm tasks/auth.tsk/meta.json && mkdir tasks/auth.tsk/meta.json")

    assert "Gatepost restored it: tasks/auth.tsk/meta.json" in told
    assert ".gatepost/outside/" in told
    assert watched.meta()["taskdoc"] == "auth"


def test_credentials_in_the_call_and_in_the_text_are_not_kept(watched: Watched) -> None:
    token = "ghp_" + "a1B2" * 9
    watched.news()

    told = watched.does(f"echo token {token} > tasks/auth.tsk/goals.md")

    assert "Gatepost restored it" in told
    assert token not in json.dumps([told, watched.news(), watched.ok("taskdoc_history", limit=1)])


@pytest.mark.requirement("guard.hook.restores")
def test_a_tracked_package_that_was_restored_is_no_change_to_git(watched: Watched) -> None:
    (watched.root / "gatepost.toml").write_text('taskdocs = "tracked"\n')
    watched.tracked = True
    watched.restart()
    watched.change("goals", "- tracked\n")
    watched.does("git add -A && git commit -qm tracked")

    for command in ("echo mine > tasks/auth.tsk/goals.md", "rm -rf tasks", "rm tasks/auth.tsk/meta.json"):
        assert "Gatepost restored it" in watched.does(command)

        assert watched.output("git status --porcelain") == ""


@pytest.mark.requirement("guard.hook.restores")
def test_a_change_through_gatepost_is_nobody_s_tampering(watched: Watched) -> None:
    watched.change("progress", "- half way\n")
    watched.news()

    assert watched.hears("gatepost taskdoc edit") == ""
    assert watched.file("progress").read_text() == "- half way\n"
    assert watched.news() == []


@pytest.mark.requirement("guard.hook.restores")
def test_an_older_text_is_found_even_if_it_is_the_one_that_the_last_call_saw(watched: Watched) -> None:
    watched.change("goals", "- newer\n")

    told = watched.does(f"printf -- '{GOALS}' > tasks/auth.tsk/goals.md")

    assert "has an older text" in told
    assert watched.file("goals").read_text() == "- newer\n"


def test_a_file_that_was_written_again_looks_different_even_with_the_same_text(watched: Watched) -> None:
    root, file = str(watched.root), watched.file("goals")
    before = package_state.current(root)

    os.utime(file, ns=(1, 1))

    assert package_state.current(root).differs(before, "tasks/auth.tsk/goals.md")
    assert not package_state.current(root).differs(before, "tasks/auth.tsk/progress.md")


@pytest.mark.requirement("guard.hook.restores")
def test_the_project_is_known_wherever_the_session_is(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.shell("mkdir -p src && echo mine > tasks/auth.tsk/goals.md")
    assert "Gatepost restored it" in watched.hears(cwd=str(watched.root / "src"))

    watched.shell("rm -rf tasks")
    assert watched.hears(cwd="/") == ""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(watched.root))
    assert "Gatepost restored it" in watched.hears(cwd="/")


@pytest.mark.requirement("guard.hook.harnesses")
def test_each_harness_hears_of_it_in_its_own_words(watched: Watched) -> None:
    for name, (event, path) in RECORDED.items():
        watched.shell("echo mine > tasks/auth.tsk/goals.md")

        answer: Any = json.loads(after(encoded({"cwd": str(watched.root), **event})))

        for key in path:
            answer = answer[key]
        assert "Gatepost restored it" in answer, name
        assert watched.file("goals").read_text() == GOALS, name
        assert watched.news()[-1]["actor"] == f"keeper:{name}", name


@pytest.mark.requirement("guard.hook.restores")
def test_the_command_itself_restores_and_is_silent_otherwise(watched: Watched) -> None:
    watched.shell("rm -rf tasks")

    done = [apart_from_here(encoded(watched.event(command="rm -rf tasks"))) for _ in range(2)]

    assert [(one.returncode, one.stderr) for one in done] == [(0, b""), (0, b"")]
    assert "Gatepost restored it" in json.loads(done[0].stdout)["reason"]
    assert done[1].stdout == b""
    assert watched.file("goals").read_text() == GOALS


def test_a_damaged_store_is_told_once_and_breaks_nothing(watched: Watched) -> None:
    watched.store.close()
    (watched.root / ".gatepost/gatepost.db").write_bytes(b"no store at all" * 100)

    told = watched.does("rm -rf tasks")

    assert "could not check" in told
    assert watched.hears() == ""


def test_a_busy_store_is_told_and_asked_again_by_the_next_call(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)
    watched.shell("rm -rf tasks")
    with watched.store.writing(watched.workspace):
        told = watched.hears()

    assert "could not restore it" in told
    assert not watched.package().exists()
    assert "Gatepost restored it" in watched.hears()


def test_a_read_only_store_is_told_and_breaks_nothing(watched: Watched) -> None:
    watched.shell("rm -rf tasks")
    mount = "mount --bind .gatepost .gatepost && mount -o remount,bind,ro .gatepost || exit 99"
    hook = f'{mount}; exec "{sys.executable}" -m gatepost hook post-tool'
    try:
        command = ["unshare", "-rm", "sh", "-c", hook]
        event = encoded(watched.event())
        done = subprocess.run(command, input=event, capture_output=True, timeout=PATIENCE, cwd=watched.root)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.returncode == 99 or done.stderr.startswith(b"unshare"):
        pytest.skip("this machine lets nobody mount")

    assert (done.returncode, done.stderr) == (0, b"")
    assert "read-only" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_a_folder_of_packages_that_became_a_link_is_told_and_left_alone(watched: Watched) -> None:
    told = watched.does("mv tasks away && ln -s away tasks")

    assert "tasks/auth.tsk is a link" in told
    assert "could not restore it" in told
    assert "away manually" in told
    assert (watched.root / "tasks").is_symlink()
    assert watched.hears() == ""


def test_where_there_is_no_store_nothing_is_looked_at_and_nothing_is_left(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    bare = tmp_path / "bare"
    (bare / "tasks/x.tsk").mkdir(parents=True)

    assert watched.hears(cwd=str(bare)) == ""
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "payload", [b"", b"{", b"[]", b"7", b"\xff\xfe", b"{}", b'{"tool_name": 7}', b"[" * 100_000]
)
def test_junk_is_noted_and_nothing_more(payload: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert after(payload) == ""
    assert capsys.readouterr().err.startswith("gatepost hook: no package was checked: the input ")


@given(
    event=st.dictionaries(st.sampled_from(KEYS), st.sampled_from(("PostToolUse", "/", "\0", "~", 7, None, {}, [])))
)
def test_no_event_trips_the_hook(event: dict[str, object]) -> None:
    assert after(encoded({"tool_name": "Bash", "cwd": "/nowhere", **event})) == ""


def test_a_call_that_changed_nothing_loads_next_to_nothing(watched: Watched) -> None:
    script = PROBE.format(path=[path for path in sys.path if path], hook="post-tool")

    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        input=encoded(watched.event()),
        capture_output=True,
        timeout=PATIENCE,
    )

    code, *modules = done.stderr.decode().splitlines()[-1].split()
    assert (code, done.stdout) == ("0", b"")
    assert not HEAVY & set(modules)
    assert {name for name in modules if name.startswith("gatepost")} <= LEAN
