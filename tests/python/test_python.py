"""Gatepost from Python: calls, typed commands, refusals, and following the log."""

import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import gatepost
from gatepost import commands
from gatepost.operations.catalog import OPERATIONS
from tests.givens import WORKSPACE

PATIENCE = 120


@pytest.fixture
def gp(tmp_path: Path) -> Iterator[gatepost.Gatepost]:
    """An open store in a folder of its own."""
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as opened:
        yield opened


def create(gp: gatepost.Gatepost, title: str = "A task") -> str:
    """A new task."""
    made: str = gp.call("tasks_create", workspace=WORKSPACE, kind="task", title=title)["id"]
    return made


def test_a_call_returns_the_reply_and_a_refusal_is_raised(gp: gatepost.Gatepost) -> None:
    task = create(gp)

    with pytest.raises(gatepost.Refusal) as caught:
        gp.call("tasks_note", workspace=WORKSPACE, task=task, note="hi", expected_revision=9)

    assert caught.value.code == "REVISION_MISMATCH"
    assert caught.value.message == "TASK-001 is at revision 1, not 9."
    assert caught.value.details["current_revision"] == 1
    assert caught.value.suggestion is not None
    assert caught.value.suggestion.tool == "tasks_radar"


def test_a_typed_command_gives_a_typed_reply(gp: gatepost.Gatepost) -> None:
    steps = (commands.NewStep(title="One", criteria=("it works",)), commands.NewStep(title="Two"))
    made = gp.do(commands.Create(workspace=WORKSPACE, kind="task", title="Typed", steps=steps))
    assert isinstance(made, commands.Created)

    confirmed = commands.Checkmark(confirmed=True)
    marks = commands.Checkmarks(criteria=confirmed, tests=confirmed)
    assert made.steps is not None
    step_id = made.steps[0].step_id
    closed = gp.do(commands.CloseStep(workspace=WORKSPACE, task=made.id, step_id=step_id, checkpoints=marks))

    assert isinstance(closed, commands.StepChanged)
    assert (closed.revision, closed.step.path) == (2, "s:0")


def test_a_typed_command_can_clear_a_field(gp: gatepost.Gatepost) -> None:
    gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="T", description="old", context="kept")

    gp.do(commands.Edit(workspace=WORKSPACE, task="TASK-001", description=None))

    target = gp.call("tasks_resume", workspace=WORKSPACE, task="TASK-001")["target"]
    assert "description" not in target
    assert target["context"] == "kept"


def test_every_operation_has_its_command_and_reply_among_the_typed_ones() -> None:
    for operation in OPERATIONS:
        if operation.files:
            continue  # a Python program has files; `gatepost.tools.HostFilesystem` is typed
        assert getattr(commands, operation.command.__name__) is operation.command
        assert getattr(commands, operation.reply.__name__) is operation.reply


def test_following_yields_the_past_and_then_what_comes(gp: gatepost.Gatepost) -> None:
    create(gp, "before")
    events = gp.follow(WORKSPACE)
    assert next(events)["title"] == "before"

    writer = threading.Thread(target=create, args=(gp, "after"))
    writer.start()
    followed = next(events)
    writer.join(PATIENCE)

    assert (followed["seq"], followed["title"]) == (2, "after")


def test_following_sees_what_another_process_writes(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    create(gp, "here")
    events = gp.follow(WORKSPACE, after=1)
    program = (
        "import sys, gatepost; gatepost.connect(sys.argv[1]).call('tasks_create',"
        f" workspace='{WORKSPACE}', kind='plan', title='there')"
    )

    other = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "gp.db")])
    event = next(events)

    assert other.wait(PATIENCE) == 0
    assert (event["seq"], event["type"], event["title"]) == (2, "plan_created", "there")


def test_a_store_opened_before_a_fork_serves_parent_and_child(gp: gatepost.Gatepost) -> None:
    create(gp, "parent")
    context = multiprocessing.get_context("fork")

    child = context.Process(target=create, args=(gp, "child"))
    child.start()
    child.join(PATIENCE)
    create(gp, "parent again")

    assert child.exitcode == 0
    titles = [item["title"] for item in gp.call("tasks_context", workspace=WORKSPACE)["items"]]
    assert titles == ["parent", "child", "parent again"]


def test_the_default_store_is_below_the_nearest_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)

    with gatepost.connect() as opened:
        create(opened)
        status = subprocess.run(["git", "status", "--short"], capture_output=True, text=True, check=True)

    assert (tmp_path / ".gatepost" / "gatepost.db").exists()
    assert status.stdout == ""
    assert (tmp_path / ".gatepost").stat().st_mode & 0o077 == 0


def test_settings_come_from_flags_then_variables_then_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gatepost.toml").write_text('store = "from-file.db"\nactor = "file"\nsynchronous = "NORMAL"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEPOST_ACTOR", "variable")

    with gatepost.connect() as opened:
        create(opened)
        told = opened.call("tasks_storage", workspace=WORKSPACE)["store"]
        actor = opened.call("tasks_delta", workspace=WORKSPACE)["events"][0]["actor"]

    assert (told["path"], told["synchronous"]) == (str(tmp_path / "from-file.db"), "NORMAL")
    assert actor == "variable"


def test_a_bound_connection_stays_in_its_workspace(tmp_path: Path) -> None:
    with gatepost.connect("memory:", workspace=WORKSPACE) as opened:
        create(opened)
        with pytest.raises(gatepost.Refusal) as caught:
            opened.call("tasks_radar", workspace="other/repo")
        known = opened.call("tasks_storage", workspace=WORKSPACE)["namespaces"]

    assert caught.value.code == "WORKSPACE_MISMATCH"
    assert known == [WORKSPACE]
