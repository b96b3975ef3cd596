"""What holds for every operation: the order of checks, refusals, replies, workspaces, and faults."""

import json
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.domain import events
from gatepost.domain.refusals import StoreFault
from gatepost.domain.value import Event
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.operations.catalog import BY_NAME, OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.operations.tools import listing
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import CONFIRMED, World
from tests.operations.calls import ASKED, GOOD, KEEP_THE_REVISION, OTHERS, STEP, WITHOUT_A_TARGET, ready

NEED_A_TARGET = ("file_read", "file_list", "file_glob", "file_grep", "file_stat", "taskdoc_diff", "session_history")
WRITES = [
    operation
    for operation in OPERATIONS
    if operation.writes and not operation.files and operation.name not in ("taskdoc_adopt", "tasks_approve")
]
READS = [operation for operation in OPERATIONS if not operation.writes and operation.name not in NEED_A_TARGET]
PAST = (
    *(
        "created",
        "edited",
        "moved",
        "bound",
        "renamed",
        "archived",
        "unarchived",
        "tampered",
        "replaced",
        "restored",
        "completed",
        "reopened",
        "added",
        "defined",
        "noted",
        "verified",
        "done",
        "blocked",
    ),
    *("unblocked", "set", "cleared", "updated", "deleted", "patched", "captured", "undone", "redone", "written"),
    *("opened", "kept", "closed", "approved", "claimed", "released"),
)


def named(operations: list[Operation]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("operation", operations, ids=lambda operation: operation.name)


@pytest.mark.requirement("call.registry.one-description")
def test_every_surface_offers_what_the_catalog_describes() -> None:
    offered = {entry["tool"]["name"]: entry["tool"] for entry in listing()["tools"]}

    assert list(offered) == list(BY_NAME)
    for operation in OPERATIONS:
        assert offered[operation.name]["description"] == operation.about
        assert set(offered[operation.name]["inputSchema"]["properties"]) == {
            field for field in operation.command.__struct_encode_fields__ if field != "request_id"
        }
    assert set(GOOD) == {operation.name for operation in WRITES}, "a new operation needs a call in GOOD"


@named([operation for operation in WRITES if operation.name != "tasks_batch"])
@pytest.mark.requirement("call.reply.revision-and-events", "call.revision.plus-one", "call.actor.recorded")
def test_a_write_answers_with_its_revision_and_its_events(operation: Operation, world: World) -> None:
    ready(world)
    seq = world.everything()["head"].seq
    target = GOOD[operation.name].get("task") or GOOD[operation.name].get("plan")
    named = OTHERS.get(operation.name)
    before = 1 if named else 0 if target is None else world.revision(target)

    reply = world.ok(operation.name, **GOOD[operation.name])

    assert "changed" not in reply
    assert [event["seq"] for event in world.logged(reply)] == list(
        range(seq + 1, seq + len(world.logged(reply)) + 1)
    )
    assert world.logged(reply)
    assert {event["actor"] for event in world.logged(reply)} == {"tester"}
    assert reply["revision"] == before + (operation.name not in KEEP_THE_REVISION)


@named(WRITES)
@pytest.mark.requirement("call.checks.shape-first")
def test_a_bad_shape_is_seen_before_the_target_is_looked_for(operation: Operation, world: World) -> None:
    arguments = {**GOOD[operation.name], "expected_revision": "7"}
    if "task" in arguments:
        arguments["task"] = "TASK-404"

    error = world.no("INVALID_INPUT", operation.name, **arguments)

    assert [problem["field"] for problem in error["problems"]] == ["expected_revision"]


@named([operation for operation in WRITES if "task" in GOOD[operation.name]])
@pytest.mark.requirement("call.checks.unknown-id", "call.refusal.names-values")
def test_an_unknown_target_is_named_before_its_revision_is_compared(operation: Operation, world: World) -> None:
    ready(world)

    error = world.no(
        "UNKNOWN_ID", operation.name, **{**GOOD[operation.name], "task": "TASK-404"}, expected_revision=9
    )

    assert "TASK-404" in error["message"]
    assert error["field"] == "task"


@named([operation for operation in WRITES if operation.name not in WITHOUT_A_TARGET])
@pytest.mark.requirement("call.checks.revision-mismatch", "call.refusal.names-values")
def test_a_stale_revision_is_refused_with_the_current_one(operation: Operation, world: World) -> None:
    ready(world)
    given = GOOD[operation.name]
    target = OTHERS.get(operation.name) or given.get("task") or given["plan"]
    current = 1 if operation.name in OTHERS else world.revision(target)

    error = world.no("REVISION_MISMATCH", operation.name, **GOOD[operation.name], expected_revision=current + 1)

    assert error["current_revision"] == current
    assert error["message"] == f"{target} is at revision {current}, not {current + 1}."
    assert "changed" not in world.ok(operation.name, **GOOD[operation.name], expected_revision=current)


@named([operation for operation in WRITES if "path" in GOOD[operation.name]])
@pytest.mark.requirement("call.checks.revision-before-selector")
def test_the_revision_is_compared_before_the_step_is_looked_for(operation: Operation, world: World) -> None:
    ready(world)

    arguments = {**GOOD[operation.name], "path": "s:99"}
    world.no("REVISION_MISMATCH", operation.name, **arguments, expected_revision=99)
    world.no("UNKNOWN_ID", operation.name, **arguments, expected_revision=world.revision(arguments["task"]))


@pytest.mark.requirement("call.checks.selector-before-state")
def test_a_torn_selector_is_seen_before_the_state_is_judged(world: World) -> None:
    task = world.task("first", "second")
    first = world.step(task, "s:0")["step_id"]
    world.ok("tasks_block", task=task, path="s:0", reason="Rain.")
    torn = {"task": task, "step_id": first, "path": "s:1"}

    error = world.no("TARGET_MISMATCH", "tasks_close_step", **torn, checkpoints=CONFIRMED)

    assert first in error["message"]
    assert "s:1" in error["message"]
    world.no("STEP_BLOCKED", "tasks_close_step", task=task, step_id=first, checkpoints=CONFIRMED)


@pytest.mark.requirement("call.checks.state-before-checkpoints")
def test_what_blocks_a_step_is_told_before_what_it_lacks(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])
    world.ok("tasks_block", task=task, path="s:0", reason="Rain.")
    marks = {"criteria": {"confirmed": True}}

    error = world.no("STEP_BLOCKED", "tasks_close_step", task=task, path="s:0", checkpoints=marks)
    assert "Rain." in error["message"]
    world.ok("tasks_block", task=task, path="s:0", blocked=False)
    world.no("CHILDREN_OPEN", "tasks_close_step", task=task, path="s:0", checkpoints=marks)
    world.close(task, "s:0.s:0")
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_step", task=task, path="s:0", checkpoints=marks)


@pytest.mark.requirement("call.refusal.lists-missing", "call.refusal.suggestion-confirms-nothing-new")
@pytest.mark.requirement("call.refusal.suggestion-not-destructive", "call.refusal.shape")
def test_a_gating_refusal_lists_exactly_what_is_missing_and_suggests_to_look(world: World) -> None:
    steps = [{"title": "guarded", "required": ["security"], "steps": [{"title": "a"}, {"title": "b"}]}]
    task = world.ok("tasks_create", kind="task", title="A task", steps=steps)["id"]
    world.close(task, "s:0.s:0")
    gated = {"task": task, "path": "s:0", "checkpoints": {"tests": {"confirmed": True}}}

    children = world.no("CHILDREN_OPEN", "tasks_close_step", **gated)
    world.close(task, "s:0.s:1")
    checkpoints = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_step", **gated)

    assert children["missing"] == [{"step_id": world.step(task, "s:0.s:1")["step_id"], "path": "s:0.s:1"}]
    assert checkpoints["missing"] == ["criteria", "security"]
    for error in (children, checkpoints):
        suggested = BY_NAME[error["suggestion"]["tool"]]
        assert not suggested.destructive
        assert "checkpoints" not in error["suggestion"]["arguments"]


@pytest.mark.requirement("call.refusal.lists-missing")
def test_what_a_close_denies_is_missing_beside_what_it_leaves_out(world: World) -> None:
    task = world.task("a step")
    marks = {"criteria": {"confirmed": True}, "docs": {"confirmed": False}}

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_step", task=task, path="s:0", checkpoints=marks)

    assert error["missing"] == ["tests", "docs"]


UNCHANGED: list[tuple[str, dict[str, Any]]] = [
    ("tasks_edit", {"task": "TASK-001", "title": "A task"}),
    ("tasks_define", {"task": "TASK-001", "path": "s:1", "title": "second"}),
    ("tasks_verify", {"task": "TASK-001", "path": "s:1", "checkpoints": CONFIRMED}),
    ("tasks_block", {**STEP, "blocked": False}),
    ("tasks_progress", {**STEP, "completed": False}),
    ("tasks_complete", {"task": "TASK-001", "status": "ACTIVE"}),
    ("tasks_focus_set", {"task": "TASK-002"}),
]


@pytest.mark.requirement("call.unchanged.says-so", "call.unchanged.leaves-nothing")
@pytest.mark.parametrize(("tool", "arguments"), UNCHANGED, ids=[tool for tool, _ in UNCHANGED])
def test_a_call_that_changes_nothing_says_so_and_leaves_nothing(
    tool: str, arguments: dict[str, Any], world: World
) -> None:
    ready(world)
    before = world.everything()

    reply = world.ok(tool, **arguments)

    assert (reply["changed"], reply["events"]) == (False, [])
    assert world.everything() == before


@pytest.mark.requirement("call.workspace.read-unknown", "call.unchanged.leaves-nothing")
@named(READS)
def test_reading_an_unknown_workspace_succeeds_and_creates_nothing(
    operation: Operation, world: World, tmp_path: Path
) -> None:
    world.engine.home = str(tmp_path / ".gatepost")

    world.ok(operation.name, workspace="nobody/here", **ASKED.get(operation.name, {}))

    assert world.store.workspaces() == []


@pytest.mark.requirement("call.workspace.write-creates", "call.workspace.isolated")
def test_writing_to_an_unknown_workspace_creates_it_beside_the_others(world: World) -> None:
    world.task("mine")
    before = world.everything()

    made = world.ok("tasks_create", workspace="brand/new", kind="task", title="First here")
    world.ok("tasks_focus_clear", workspace="never/used")
    world.ok("tasks_close_step", workspace="acme/repo", task="TASK-001", path="s:0", checkpoints=CONFIRMED)

    assert made["id"] == "TASK-001"
    assert world.store.workspaces() == ["acme/repo", "brand/new"]
    assert [item["title"] for item in world.ok("tasks_context", workspace="brand/new")["items"]] == ["First here"]
    assert world.everything("brand/new")["head"].seq == 1
    assert world.everything() != before


@pytest.mark.requirement("call.workspace.filled-in-when-bound", "call.workspace.mismatch")
@named(list(OPERATIONS))
def test_a_bound_caller_need_not_name_the_workspace_and_gets_no_other(operation: Operation, world: World) -> None:
    bound = Caller("tester", "acme/repo")
    given = GOOD.get(operation.name, ASKED.get(operation.name, {}))

    other = answer(world.engine, operation.name, {"workspace": "their/repo", **given}, bound)
    rehearsed = world.engine.rehearsing()
    without = answer(rehearsed, operation.name, given, bound)
    named = answer(rehearsed, operation.name, {"workspace": "acme/repo", **given}, bound)

    assert without.refusal is None or without.text == named.text
    error = json.loads(other.text)["error"]
    assert error["code"] == "WORKSPACE_MISMATCH"
    assert error["message"] == "`workspace`: this server is bound to acme/repo, not their/repo."
    suggested = error["suggestion"]
    assert answer(world.engine, suggested["tool"], suggested["arguments"], bound).refusal is None
    assert world.store.workspaces() == []


@pytest.mark.requirement("call.refusal.suggestion-accepted", "call.workspace.mismatch")
def test_a_bound_caller_is_not_led_to_another_workspace_by_a_misspelt_name(world: World) -> None:
    bound = Caller("tester", "acme/repo")

    answered = answer(world.engine, "tasks_raddar", {"workspace": "their/repo"}, bound)

    suggested = json.loads(answered.text)["error"].get("suggestion")
    if suggested is not None:
        assert answer(world.engine, suggested["tool"], suggested["arguments"], bound).refusal is None


@pytest.mark.requirement("call.reply.compact")
@named(list(OPERATIONS))
def test_replies_and_refusals_are_compact_json(operation: Operation, world: World) -> None:
    ready(world)

    world.files.write("a.txt", "A line.\n")

    for arguments in (GOOD.get(operation.name, ASKED.get(operation.name, {})), {"nonsense": 1}):
        text = world.ask(operation.name, **arguments).text
        assert text == json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)


@pytest.mark.requirement("call.events.past-tense")
def test_every_event_has_a_type_in_the_past_tense() -> None:
    types = [kind.__struct_config__.tag for kind in Event.__subclasses__()]

    assert set(Event.__subclasses__()) == set(events.EVENTS)
    assert len(types) == len(set(types))
    assert [name for name in types if str(name).split("_")[-1] not in PAST] == []


@pytest.mark.requirement("call.actor.recorded")
def test_every_event_names_who_asked(tmp_path: Path) -> None:
    for actor in ("agent:claude-code", "human:web"):
        with gatepost.connect(str(tmp_path / "a.db"), actor=actor) as gp:
            gp.call("tasks_create", workspace="w", kind="task", title="A task")
    with gatepost.connect(str(tmp_path / "a.db")) as gp:
        gp.call("tasks_note", workspace="w", task="TASK-001", note="Unnamed.")
        log = gp.call("tasks_delta", workspace="w")["events"]

    assert [event["actor"] for event in log] == ["agent:claude-code", "human:web", "python"]


def test_a_broken_file_is_an_answer_of_the_store_and_blames_nobody(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"This is no database. " * 500)
    world = World(SqliteStore(str(tmp_path / "a.db")))

    answered = world.ask("tasks_context")

    assert isinstance(answered.refusal, StoreFault)
    assert answered.refusal.code == "NOT_A_STORE"
