"""Request ids: a write that is sent twice is applied once and answered the same, to the letter."""

import json
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.idempotency import KEPT
from gatepost.engine.rows import REQUESTS_SWEPT
from gatepost.operations.answer import answer
from gatepost.operations.catalog import OPERATIONS
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.views.budget import DEFAULT
from tests.givens import WORKSPACE, World
from tests.operations.calls import GOOD, STEP, ready
from tests.operations.test_checks import CRITERIA
from tests.operations.test_policies import PERSON, by
from tests.operations.test_tasks_cost import watched
from tests.tsk.projects import project
from tests.tsk.test_git_life import full_disk

NOTE = {**STEP, "note": "On it."}
LONG = "0123456789ABCDEF.:_-" * 6 + "eightmor"


class SetClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = "2026-01-01T00:00:00.000Z"

    def now(self) -> str:
        return self.at


def seq(world: World) -> int:
    found: int = world.everything()["head"].seq
    return found


def remembered(world: World, name: str) -> str | None:
    with world.store.reading(WORKSPACE) as snapshot:
        row = snapshot.request(name)
    return None if row is None else row.reply


def test_every_write_to_the_store_takes_a_request_id_and_nothing_else_does() -> None:
    for operation in OPERATIONS:
        takes = "request_id" in operation.command.__struct_fields__
        assert takes == (operation.writes and not operation.files), operation.name


@pytest.mark.parametrize("tool", GOOD)
def test_a_write_that_is_sent_twice_is_applied_once_and_answered_the_same(tool: str, world: World) -> None:
    ready(world)
    first = world.ask(tool, **GOOD[tool], request_id="lost-1")
    then, ran = world.everything(), list(world.checks.ran)
    world.task("meanwhile")  # what others do changes nothing about the answer
    after = world.everything()

    again = world.ask(tool, **GOOD[tool], request_id="lost-1")

    assert first.refusal is None
    assert again.text == first.text
    assert world.everything() == after != then
    assert world.checks.ran == ran, "a check ran twice"


def test_an_approval_and_an_adoption_are_remembered_too(world: World, tmp_path: Path) -> None:
    plan = world.plan()
    world.ok("tasks_policy", plan=plan, approval="human")
    person = by(world, PERSON)
    approvals = {person.ask("tasks_approve", plan=plan, request_id="a").text for _ in range(2)}
    with project(tmp_path) as here:
        here.new(goals="old\n")
        here.file("goals").write_text("edited\n")
        adoptions = {here.ask("taskdoc_adopt", taskdoc="auth", request_id="b").text for _ in range(2)}
        assert seq(here) == json.loads(*adoptions)["events"][-1]["seq"]

    assert json.loads(*approvals)["events"]
    assert json.loads(*adoptions)["events"]


def test_a_call_that_changed_nothing_is_answered_the_same_after_others_changed_something(world: World) -> None:
    task = world.task("first")
    lift = {"task": task, "path": "s:0", "blocked": False, "request_id": "lift"}
    first = world.ask("tasks_block", **lift)
    world.ok("tasks_block", task=task, path="s:0", reason="Rain.")
    before = world.everything()

    again = world.ask("tasks_block", **lift)

    assert json.loads(first.text)["changed"] is False
    assert again.text == first.text
    assert world.everything() == before
    assert world.step(task, "s:0")["blocked"]


def test_a_workspace_that_nobody_wrote_to_does_not_exist_because_of_a_request_id(world: World) -> None:
    world.ok("tasks_focus_clear", request_id="first")

    assert world.store.workspaces() == []


@pytest.mark.parametrize(
    ("tool", "other"), [("tasks_note", {**NOTE, "note": "Off it."}), ("tasks_define", {**STEP, "title": "New"})]
)
def test_another_call_under_a_known_id_is_refused(world: World, tool: str, other: dict[str, Any]) -> None:
    world.task("first")
    world.ok("tasks_note", **NOTE, request_id="mine")

    error = world.no("INVALID_INPUT", tool, **other, request_id="mine")

    assert error["problems"][0]["field"] == "request_id"
    assert "mine was used at 2026-01-01" in error["message"]
    assert "new request_id" in error["recovery"]


def test_the_order_of_arguments_makes_no_other_call(world: World) -> None:
    world.task("first")
    first = world.ask("tasks_note", task="TASK-001", path="s:0", note="On it.", request_id="mine")

    assert world.ask("tasks_note", request_id="mine", note="On it.", path="s:0", task="TASK-001").text == first.text


def test_a_refused_call_is_not_remembered(world: World) -> None:
    task = world.task("first")
    close = {"task": task, "path": "s:0", "checkpoints": CRITERIA, "request_id": "close"}
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_step", **close)
    assert remembered(world, "close") is None
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"tests": {"confirmed": True}})

    assert world.ok("tasks_close_step", **close)["events"]


def test_workspaces_remember_apart(world: World) -> None:
    world.task("first")
    world.ok("tasks_create", workspace="other/one", kind="task", title="A task", request_id="same")

    made = world.ok("tasks_create", kind="task", title="A task", request_id="same")

    assert made["id"] == "TASK-002"


@pytest.mark.parametrize("bad", ["", "a b", "a/b", "é", LONG + "x", "a\n", 7, None])
def test_an_id_of_another_form_is_refused(world: World, bad: object) -> None:
    world.task("first")

    error = world.no("INVALID_INPUT", "tasks_note", **NOTE, request_id=bad)

    assert error["problems"][0]["field"] == "request_id"


def test_the_longest_id_is_taken(world: World) -> None:
    world.task("first")

    assert len(LONG) == 128
    world.ok("tasks_note", **NOTE, request_id=LONG)
    assert remembered(world, LONG) is not None


def test_a_read_and_a_file_tool_take_no_request_id(world: World) -> None:
    for tool, arguments in (("tasks_radar", {}), ("file_write", {"path": "a.txt", "content": "x"})):
        error = world.no("INVALID_INPUT", tool, **arguments, request_id="x")
        assert error["problems"][0]["field"] == "request_id"


def test_another_process_answers_the_same_after_a_restart(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    before = World(SqliteStore(path, "NORMAL"))
    before.task("first")
    first = before.ask("tasks_note", **NOTE, request_id="mine")
    before.store.close()

    after = World(SqliteStore(path, "NORMAL"))
    again = after.ask("tasks_note", **NOTE, request_id="mine")

    assert again.text == first.text
    assert seq(after) == json.loads(first.text)["events"][-1]["seq"]
    after.store.close()


def test_undo_does_not_forget_what_was_asked(world: World) -> None:
    created = world.ask("tasks_create", kind="task", title="A task", request_id="create")
    undone = world.ask("tasks_undo", request_id="undo")
    redone = world.ask("tasks_redo", request_id="redo")
    world.ok("tasks_undo")
    before = world.everything()

    assert world.ask("tasks_create", kind="task", title="A task", request_id="create").text == created.text
    assert world.ask("tasks_undo", request_id="undo").text == undone.text
    assert world.ask("tasks_redo", request_id="redo").text == redone.text
    assert world.everything() == before


def test_a_rehearsal_remembers_nothing_and_shows_what_a_call_would_get(world: World) -> None:
    world.task("first")
    rehearsed = answer(
        world.engine.rehearsing(),
        "tasks_note",
        {"workspace": WORKSPACE, **NOTE, "request_id": "mine"},
        world.caller,
    )
    assert (rehearsed.refusal, remembered(world, "mine")) == (None, None)

    first = world.ask("tasks_note", **NOTE, request_id="mine")
    shown = answer(
        world.engine.rehearsing(),
        "tasks_note",
        {"workspace": WORKSPACE, **NOTE, "request_id": "mine"},
        world.caller,
    )

    assert shown.text == first.text


def test_a_long_reply_is_remembered_as_it_was_cut(world: World) -> None:
    steps = [{"title": f"step {number}", "steps": [{"title": "below"}] * 3} for number in range(190)]
    asked = {"kind": "task", "title": "Long", "steps": steps, "request_id": "long"}

    first = world.ask("tasks_create", **asked)

    assert first.refusal is None
    assert len(first.text) <= DEFAULT
    assert json.loads(first.text)["budget"]["truncated"]
    assert world.ask("tasks_create", **asked).text == first.text


def test_a_warning_that_came_after_the_commit_is_remembered_too(tmp_path: Path) -> None:
    with project(tmp_path) as here:
        here.new(goals="old\n")
        asked = {"taskdoc": "auth", "selector": "goals", "content": "a large text\n" * 400, "request_id": "mine"}

        with full_disk():
            first = here.ask("change_mind", **asked)
        before = here.everything()
        again = here.ask("change_mind", **asked)

        assert "could not be written" in json.loads(first.text)["warnings"][0]
        assert again.text == first.text
        assert here.everything() == before


def test_a_reply_is_kept_for_a_day_and_forgotten_afterwards_a_few_at_a_time(one_world: World) -> None:
    clock = SetClock()
    one_world.engine = Engine(one_world.store, clock)
    one_world.task("first")
    ids = [f"note-{number}" for number in range(REQUESTS_SWEPT + 5)]
    for name in ids:
        one_world.ok("tasks_note", **NOTE, request_id=name)

    clock.at = "2026-01-02T01:00:00.000Z"
    one_world.ok("tasks_note", **NOTE, request_id="next-day")
    assert all(remembered(one_world, name) for name in ids), "a day and an hour is not too late"
    clock.at = "2026-01-02T03:00:00.000Z"
    one_world.ok("tasks_note", **NOTE, request_id="later")
    assert sum(remembered(one_world, name) is None for name in ids) == REQUESTS_SWEPT
    one_world.ok("tasks_note", **NOTE, request_id="later-still")

    assert [name for name in ids if remembered(one_world, name)] == []
    assert remembered(one_world, "next-day") is not None
    assert KEPT >= 24 * 3_600


def test_a_write_without_an_id_asks_the_store_nothing_more(one_world: World) -> None:
    one_world.task("first")
    one_world.ok("tasks_note", **NOTE)

    def statements(**more: str) -> tuple[int, int]:
        with watched(one_world) as seen:
            one_world.ok("tasks_note", **NOTE, **more)
        return len(seen), sum(status["SQLITE_STMTSTATUS_FULLSCAN_STEP"] for status in seen)

    for number in range(30):
        one_world.ok("tasks_note", **NOTE, request_id=f"note-{number}")
    without, scanned = statements()
    with_id, scanned_with_id = statements(request_id="mine")

    assert with_id == without + 3, "one look, one row, one look for old rows"
    assert scanned_with_id - scanned < 5, "no row of another request is read"
    assert statements()[0] == without


def test_another_caller_who_sends_the_same_call_gets_the_same_answer(world: World) -> None:
    """The id is the caller's promise that it is one call. A client may come back under another name."""
    world.task("first")
    first = world.ask("tasks_note", **NOTE, request_id="mine")

    world.caller = Caller("agent:reborn")

    assert world.ask("tasks_note", **NOTE, request_id="mine").text == first.text
