"""tasks_batch: several calls as one transaction and one undo record, or each for itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.operations.catalog import OPERATIONS
from gatepost.storage.sqlite.store import SqliteStore
from tests.engine import books
from tests.givens import CONFIRMED, World
from tests.wire.credentials import EVERY

Asked = tuple[str, dict[str, Any]]


def calls(*asked: Asked) -> list[dict[str, Any]]:
    return [{"tool": tool, "arguments": given} for tool, given in asked]


def done(world: World, *asked: Asked, **given: Any) -> dict[str, Any]:
    return world.ok("tasks_batch", operations=calls(*asked), **given)


def edit(task: str, **given: Any) -> Asked:
    return "tasks_edit", {"task": task, **given}


def close(task: str, path: str) -> Asked:
    return "tasks_close_step", {"task": task, "path": path, "checkpoints": CONFIRMED}


@pytest.mark.requirement("tasks.batch.one-undo-record", "tasks.batch.atomic-default", "call.revision.plus-one")
def test_a_batch_is_one_operation_one_revision_and_one_undo(world: World) -> None:
    task = world.task("first", "second")
    before = world.everything()

    reply = done(world, close(task, "s:0"), close(task, "s:1"), ("tasks_complete", {"task": task}))

    after = world.everything()
    assert len(after["operations"]) == len(before["operations"]) + 1
    assert after["operations"][-1][2] == "tasks_batch"
    assert (reply["revisions"], reply.get("changed", True)) == ({task: 2}, True)
    assert [event["seq"] for result in reply["results"] for event in result["events"]] == list(
        range(before["head"].seq + 1, after["head"].seq + 1)
    )
    assert [result["revision"] for result in reply["results"]] == [2, 2, 2]
    books.check_all(after)
    assert world.ok("tasks_undo")["tool"] == "tasks_batch"
    assert world.everything()["documents"] == before["documents"]


@pytest.mark.requirement("tasks.batch.equivalent")
def test_a_batch_leaves_the_documents_that_the_same_calls_would_leave_one_by_one(world: World) -> None:
    asked: list[Asked] = [
        ("tasks_create", {"kind": "plan", "title": "A plan"}),
        ("tasks_create", {"kind": "task", "title": "New", "plan": "PLAN-001", "steps": [{"title": "first"}]}),
        ("tasks_decompose", {"task": "TASK-001", "path": "s:0", "steps": [{"title": "below"}]}),
        close("TASK-001", "s:0.s:0"),
        close("TASK-001", "s:0"),
        ("tasks_complete", {"task": "TASK-001"}),
        ("tasks_complete", {"task": "PLAN-001"}),
        ("tasks_create", {"kind": "task", "title": "Waits", "depends_on": ["TASK-001"], "plan": "PLAN-001"}),
        ("tasks_focus_set", {"task": "TASK-002"}),
    ]
    together, apart = World(world.store, "to/gether"), World(world.store, "a/part")

    reply = done(together, *asked)
    singly = [apart.ok(tool, **given) for tool, given in asked]

    for kept in (together.everything(), apart.everything()):
        books.check_all(kept)
    assert shapes(together) == shapes(apart)
    for inside, outside in zip(reply["results"], singly, strict=True):
        assert inside.keys() == outside.keys() - {"now", "left", "next"}  # the batch says where to go on, once
        assert [event["type"] for event in inside["events"]] == [event["type"] for event in outside["events"]]


def shapes(world: World) -> dict[str, Any]:
    """The documents without ids and times, which differ from workspace to workspace."""
    kept = {place: json.loads(text) for place, text in world.everything()["documents"]}
    for document in kept.values():
        for name in ("created_at", "done_at", "id"):
            document.pop(name, None)
        for mark in document.get("confirmed", []):
            del mark["at"]
    return kept


@pytest.mark.requirement("tasks.batch.equivalent")
def test_calls_of_a_batch_see_what_the_calls_before_them_wrote(world: World) -> None:
    reply = done(
        world,
        ("tasks_create", {"kind": "task", "title": "Findable", "steps": [{"title": "first"}, {"title": "next"}]}),
        ("tasks_focus_set", {"task": "TASK-001"}),
        close("TASK-001", "s:0"),
        ("tasks_radar", {}),
        ("tasks_context", {"text": "findable"}),
        ("tasks_delta", {"since": 0}),
        ("tasks_resume", {"task": "TASK-001"}),
    )

    radar, context, delta, resume = reply["results"][3:]
    assert radar["now"]["path"] == "s:1"
    assert [item["id"] for item in context["items"]] == ["TASK-001"]
    assert [event["seq"] for event in delta["events"]] == list(range(1, world.everything()["head"].seq + 1))
    assert resume["target"]["counts"]["done"] == 1


@pytest.mark.requirement("tasks.batch.equivalent")
@pytest.mark.parametrize("first", [True, False], ids=["look first", "look last"])
def test_a_dry_run_in_a_batch_leaves_no_trace_and_takes_nothing_along(first: bool, world: World) -> None:
    task = world.task("first")
    patches = [{"ops": [{"op": "set", "field": "title", "value": "Only looked at"}]}]
    look = ("tasks_close_task", {"task": task, "patches": patches})
    change = edit(task, description="Stays.")

    reply = done(world, *((look, change) if first else (change, look)))

    target = world.ok("tasks_resume", task=task)["target"]
    assert (target["title"], target.get("description")) == ("A task", "Stays.")
    assert (reply.get("changed", True), reply["revisions"]) == (True, {task: 2})
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.batch.equivalent")
def test_a_call_in_a_batch_may_expect_the_revision_from_before_it_or_the_present_one(world: World) -> None:
    task = world.task()

    reply = done(
        world,
        edit(task, title="One", expected_revision=1),
        edit(task, title="Two", expected_revision=1),
        edit(task, title="Three", expected_revision=2),
    )

    assert reply["revisions"] == {task: 2}
    error = world.no("BATCH_FAILED", "tasks_batch", operations=calls(edit(task, title="Four", expected_revision=1)))
    assert error["error"]["code"] == "REVISION_MISMATCH"


@pytest.mark.requirement("tasks.batch.failure-names-index")
def test_a_stale_revision_in_a_batch_is_told_the_revision_that_is_stored(world: World) -> None:
    task = world.task()
    asked = calls(edit(task, title="One"), edit(task, title="Two", expected_revision=9))

    error = world.no("BATCH_FAILED", "tasks_batch", operations=asked)

    assert error["error"]["current_revision"] == world.revision(task) == 1


@pytest.mark.requirement("tasks.batch.rolls-back", "tasks.batch.failure-names-index")
def test_a_refused_call_takes_the_whole_batch_back_and_is_carried_whole(world: World) -> None:
    task = world.task("first", "second")
    alone = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:1")
    asked = calls(close(task, "s:0"), ("tasks_done", {"task": task, "path": "s:1"}), edit(task, title="Never"))

    error = world.no("BATCH_FAILED", "tasks_batch", operations=asked)

    assert error["operation_index"] == 1
    assert error["error"] == alone
    assert (error["message"], error["recovery"]) == (
        "Call 1 (tasks_done) was refused, so nothing was done: CHECKPOINTS_NOT_CONFIRMED.",
        "See `error`. Correct call 1 or remove it, then send the batch again.",
    )
    assert json.dumps(error).count(json.dumps(alone["message"])) == 1


@pytest.mark.requirement("tasks.batch.rolls-back", "call.refusal.suggestion-accepted")
def test_a_failed_batch_never_points_to_what_was_taken_back_with_it(world: World) -> None:
    made = ("tasks_create", {"kind": "task", "title": "Taken back", "steps": [{"title": "first"}]})
    finish = ("tasks_done", {"task": "TASK-001", "path": "s:0"})

    error = world.no("BATCH_FAILED", "tasks_batch", operations=calls(made, finish))

    assert error["error"]["code"] == "CHECKPOINTS_NOT_CONFIRMED"
    world.check_refusal(error["error"])
    task = world.task("first")
    below = ("tasks_decompose", {"task": task, "path": "s:0", "steps": [{"title": "below"}]})
    deep = ("tasks_done", {"task": task, "path": "s:0.s:0"})
    world.check_refusal(world.no("BATCH_FAILED", "tasks_batch", operations=calls(below, deep))["error"])


@pytest.mark.requirement("tasks.batch.any-operation")
@pytest.mark.parametrize("atomic", [True, False])
@pytest.mark.parametrize("tool", ["tasks_batch", "tasks_undo", "tasks_redo"])
def test_batch_undo_and_redo_are_not_for_batches(tool: str, atomic: bool, world: World) -> None:
    task = world.task()
    inner = {"operations": calls(("tasks_note", {"task": task, "note": "In."}))} if tool == "tasks_batch" else {}
    asked = calls((tool, inner))

    if atomic:
        error = world.no("BATCH_FAILED", "tasks_batch", operations=asked)["error"]
    else:
        before = world.everything()
        error = world.ok("tasks_batch", operations=asked, atomic=False)["results"][0]["error"]
        assert world.everything() == before

    assert error["code"] == "INVALID_INPUT"
    assert tool in error["message"]


@pytest.mark.requirement("tasks.batch.any-operation")
def test_every_other_operation_is_understood_in_a_batch(one_world: World) -> None:
    one_world.task("first")
    others = [item for item in OPERATIONS if item.name not in ("tasks_batch", "tasks_undo", "tasks_redo")]

    for operation in others:
        answered = one_world.ask("tasks_batch", operations=calls((operation.name, {"nonsense": 1})))
        error = json.loads(answered.text)["error"]["error"]
        assert error["code"] == "INVALID_INPUT"
        assert "nonsense" in error["message"]
        assert operation.name in json.loads(answered.text)["error"]["message"]


@pytest.mark.requirement("tasks.batch.any-operation")
def test_an_operation_that_does_not_exist_fails_the_batch(world: World) -> None:
    task = world.task()

    error = world.no(
        "BATCH_FAILED", "tasks_batch", operations=calls(edit(task, title="X"), ("tasks_frobnicate", {}))
    )

    assert (error["operation_index"], error["error"]["code"]) == (1, "UNKNOWN_TOOL")


@pytest.mark.requirement("tasks.batch.workspace")
@pytest.mark.parametrize("atomic", [True, False])
def test_a_call_may_name_the_workspace_of_the_batch_and_no_other(atomic: bool, world: World) -> None:
    task = world.task()
    done(world, edit(task, title="Named", workspace="acme/repo"), atomic=atomic)
    asked = calls(("tasks_create", {"workspace": "their/repo", "kind": "task", "title": "Smuggled"}))

    answered = json.loads(world.ask("tasks_batch", operations=asked, atomic=atomic).text)

    error = answered["error"]["error"] if atomic else answered["results"][0]["error"]
    assert error["code"] == "INVALID_INPUT"
    assert "workspace" in error["message"]
    assert world.store.workspaces() == ["acme/repo"]
    assert world.ok("tasks_resume", task=task)["target"]["title"] == "Named"


@pytest.mark.requirement("tasks.batch.workspace", "tasks.batch.equivalent", "call.workspace.mismatch")
@pytest.mark.parametrize("atomic", [True, False])
def test_a_bound_caller_learns_of_no_other_workspace_through_a_batch(atomic: bool, world: World) -> None:
    world.ok("tasks_create", workspace="their/repo", kind="task", title="Theirs")
    bound = Caller("tester", "acme/repo")
    given = {"workspace": "acme/repo", "operations": calls(("tasks_storage", {})), "atomic": atomic}

    answered = answer(world.engine, "tasks_batch", given, bound)

    assert answered.refusal is None
    assert "their/repo" not in answered.text


@pytest.mark.requirement("tasks.batch.not-atomic")
def test_without_atomic_each_call_is_its_own_transaction_and_is_answered_for(world: World) -> None:
    task = world.task("first")
    before = world.everything()
    asked = [edit(task, title="One"), ("tasks_done", {"task": task, "path": "s:0"}), edit(task, title="Two")]

    reply = done(world, *asked, ("tasks_radar", {"task": task}), atomic=False)

    edited, refused, again, radar = reply["results"]
    assert (edited["revision"], again["revision"]) == (2, 3)
    assert refused["error"]["code"] == "CHECKPOINTS_NOT_CONFIRMED"
    world.check_refusal(refused["error"])
    assert radar["now"]["path"] == "s:0"
    assert "changed" not in reply
    assert len(world.everything()["operations"]) == len(before["operations"]) + 2
    assert world.ok("tasks_undo")["tool"] == "tasks_edit"
    assert world.ok("tasks_resume", task=task)["target"]["title"] == "One"


@pytest.mark.requirement("tasks.batch.rolls-back", "call.unchanged.leaves-nothing")
def test_a_batch_that_changes_nothing_leaves_nothing(world: World) -> None:
    task = world.task()
    before = world.everything()

    reply = done(world, edit(task, title="A task"), ("tasks_radar", {}))

    assert (reply["changed"], reply["revisions"]) == (False, {})
    assert world.everything() == before


@pytest.mark.requirement("tasks.batch.not-atomic", "call.unchanged.leaves-nothing")
def test_calls_on_their_own_that_change_nothing_are_said_to_change_nothing(world: World) -> None:
    task = world.task("first")
    before = world.everything()
    refused = ("tasks_done", {"task": task, "path": "s:0"})

    reply = done(world, edit(task, title="A task"), refused, ("tasks_radar", {}), ("no_such", {}), atomic=False)

    assert reply["changed"] is False
    assert world.everything() == before


@pytest.mark.requirement("tasks.undo.passes-records")
def test_a_batch_of_records_is_a_record(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_edit", task=task, title="Better")
    note = ("tasks_note", {"task": task, "note": "Seen."})
    proof = ("tasks_evidence_capture", {"task": task, "items": [{"kind": "note", "content": "Seen."}]})
    done(world, note, proof, note)

    reply = world.ok("tasks_undo")

    assert reply["tool"] == "tasks_edit"
    assert "tasks_batch" in reply["warnings"][0]


@pytest.mark.requirement("tasks.undo.passes-records")
def test_evidence_in_a_batch_stays_evidence_when_the_rest_is_undone(world: World) -> None:
    task = world.task("first")
    item = {"kind": "note", "content": "Seen."}
    proof = {"task": task, "path": "s:0", "items": [item], "checkpoints": ["security"]}
    done(world, ("tasks_evidence_capture", proof), edit(task, title="Better"))

    world.ok("tasks_undo")

    assert world.ok("tasks_resume", task=task)["target"]["title"] == "A task"
    assert "security" in world.step(task, "s:0")["unconfirmed"]


@pytest.mark.requirement("tasks.batch.any-operation")
@pytest.mark.parametrize(("count", "good"), [(0, False), (1, True), (200, True), (201, False)])
def test_a_batch_holds_one_to_two_hundred_calls(count: int, good: bool, one_world: World) -> None:
    task = one_world.task()
    asked = calls(*[("tasks_note", {"task": task, "note": "Again."})] * count)

    if good:
        assert len(one_world.ok("tasks_batch", operations=asked)["results"]) == count
    else:
        error = one_world.no("INVALID_INPUT", "tasks_batch", operations=asked)
        assert error["problems"][0]["field"].startswith("operations")


@pytest.mark.requirement("tasks.batch.any-operation")
@pytest.mark.parametrize(
    "given",
    [
        {"operations": calls(("tasks_radar", {})), "atomic": 1},
        {"operations": [{"tool": "tasks_radar", "argumants": {}}]},
        {"operations": [{"arguments": {}}]},
        {"operations": "tasks_radar"},
        {"operations": calls(("tasks_radar", {})), "expected_revision": 1},
    ],
)
def test_a_misshapen_batch_is_refused(given: dict[str, Any], one_world: World) -> None:
    one_world.no("INVALID_INPUT", "tasks_batch", **given)


@pytest.mark.requirement("tasks.batch.rolls-back", "call.refused.leaves-nothing")
@pytest.mark.parametrize("atomic", [True, False])
def test_a_refused_batch_on_a_blank_store_leaves_no_file(atomic: bool, tmp_path: Path) -> None:
    world = World(SqliteStore(str(tmp_path / "new" / "gatepost.db")))
    made = [("tasks_create", {"kind": "task", "title": "First"})] if atomic else []

    world.ask("tasks_batch", operations=calls(*made, edit("TASK-404", title="X")), atomic=atomic)

    assert list(tmp_path.iterdir()) == []
    world.store.close()


@pytest.mark.requirement("secrets.refused.batch")
@pytest.mark.parametrize("atomic", [True, False])
def test_a_credential_in_a_batch_is_refused_as_in_a_call_of_its_own(atomic: bool, one_world: World) -> None:
    secret = EVERY["ghp"]
    asked = calls(
        ("tasks_create", {"kind": "task", "title": "One"}),
        ("tasks_create", {"kind": "task", "title": f"Use {secret}"}),
    )
    before = one_world.everything()

    answered = one_world.ask("tasks_batch", operations=asked, atomic=atomic)

    told = json.loads(answered.text)
    inner = told["error"]["error"] if atomic else told["results"][1]["error"]
    assert (inner["code"], inner["found"]) == ("SECRET_FOUND", [{"field": "title", "kind": "GitHub token"}])
    assert (one_world.everything() == before) is atomic
    assert secret not in answered.text + str(one_world.everything())
