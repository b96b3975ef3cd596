"""Closing a task with patches: a dry run that tells everything and leaves nothing, or one transaction."""

from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import World

FORCED = {"completed": True, "force": True, "reason": "the demo is today"}
RETITLE = {"kind": "task_detail", "ops": [{"op": "set", "field": "title", "value": "Shipped"}]}


def patches() -> list[dict[str, Any]]:
    """One for the task, one for its step, one for its task node."""
    done = [{"op": "set", "field": "status", "value": "DONE"}]
    return [
        {
            "kind": "task_detail",
            "ops": [
                {"op": "set", "field": "title", "value": "Shipped"},
                {"op": "append", "field": "tags", "value": ["new"]},
            ],
        },
        {"kind": "step", "path": "s:0", "ops": [{"op": "set", "field": "title", "value": "Built"}]},
        {"kind": "task", "path": "s:0.t:0", "ops": done},
    ]


def nearly_done(world: World) -> str:
    """A task with one closed step, and in it a closed task node that is opened again by nobody."""
    task = world.task("a", tags=["old"])
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n", status="DONE")
    world.close(task, "s:0")
    return task


def stored(world: World) -> tuple[dict[str, Any], list[Any]]:
    """All that is stored, with the evidence."""
    with world.store.reading(world.workspace) as snapshot:
        evidence = list(snapshot.rows("artifacts"))
    return world.everything(), evidence


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


def operations(world: World) -> list[Any]:
    rows: list[Any] = world.everything()["operations"]
    return rows


@pytest.mark.requirement("tasks.close-task.dry-run", "tasks.close-task.dry-run-leaves-nothing")
def test_a_dry_run_names_every_field_before_and_after_and_leaves_no_trace(world: World) -> None:
    task = nearly_done(world)
    before = stored(world)

    reply = world.ok("tasks_close_task", task=task, apply=False, patches=patches())

    assert set(reply) == {"task", "applied", "diff", "unmet", "revision", "events", "changed"}
    assert (reply["task"], reply["applied"], reply["unmet"]) == (task, False, None)
    assert (reply["events"], reply["changed"], reply["revision"]) == ([], False, 3)
    assert reply["diff"] == [
        {"where": task, "field": "status", "before": "ACTIVE", "after": "DONE"},
        {"where": task, "field": "tags", "before": ["old"], "after": ["old", "new"]},
        {"where": task, "field": "title", "before": "A task", "after": "Shipped"},
        {"where": f"{task} s:0", "field": "title", "before": "a", "after": "Built"},
    ]
    assert stored(world) == before


@pytest.mark.requirement("tasks.close-task.dry-run")
def test_a_dry_run_shows_values_that_nobody_ever_set_as_what_they_are(world: World) -> None:
    task = world.task()
    raised = {"kind": "task_detail", "ops": [{"op": "set", "field": "priority", "value": "HIGH"}]}
    tagged = {"kind": "task_detail", "ops": [{"op": "append", "field": "tags", "value": "x"}]}

    diff = world.ok("tasks_close_task", task=task, patches=[raised, tagged])["diff"]

    assert {row["field"]: (row["before"], row["after"]) for row in diff} == {
        "priority": ("MEDIUM", "HIGH"),
        "status": ("TODO", "DONE"),
        "tags": ([], ["x"]),
    }


@pytest.mark.requirement("tasks.close-task.dry-run")
def test_a_dry_run_says_what_is_unmet_for_each_step(world: World) -> None:
    steps = [{"title": "a", "steps": [{"title": "b", "required": ["perf"]}]}, {"title": "c"}, {"title": "d"}]
    made = world.ok("tasks_create", kind="task", title="t", steps=steps)
    task, ids = made["id"], {step["path"]: step["step_id"] for step in made["steps"]}
    world.ok("tasks_block", task=task, path="s:1", reason="no network")
    world.ok("tasks_progress", task=task, path="s:2", **FORCED)
    before = stored(world)

    unmet = world.ok("tasks_close_task", task=task, patches=[RETITLE])["unmet"]

    rows = {row["path"]: row for row in unmet["steps"]}
    assert unmet["code"] == "CHILDREN_OPEN"
    assert {path: row["step_id"] for path, row in rows.items()} == {path: ids[path] for path in rows}
    assert rows["s:0.s:0"]["unconfirmed"] == ["criteria", "tests", "perf"]
    assert (rows["s:1"]["blocked"], rows["s:1"]["unconfirmed"]) == ("no network", ["criteria", "tests"])
    assert (rows["s:2"]["done"], rows["s:2"]["unconfirmed"]) == (True, ["criteria", "tests"])
    assert stored(world) == before


@pytest.mark.requirement("tasks.close-task.dry-run")
def test_a_dry_run_also_says_what_is_unmet_for_a_step_with_open_work_below(world: World) -> None:
    steps = [{"title": "a", "steps": [{"title": "b"}]}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]

    unmet = world.ok("tasks_close_task", task=task)["unmet"]

    rows = {row["path"]: row for row in unmet["steps"]}
    assert list(rows) == ["s:0", "s:0.s:0"]
    assert rows["s:0"]["unconfirmed"] == ["criteria", "tests"]
    assert rows["s:0"]["counts"]["open"] == 1


@pytest.mark.requirement("tasks.close-task.dry-run")
def test_a_dry_run_on_a_plan_names_its_open_tasks_and_then_its_checklist(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=1)
    task = world.task(plan=plan)

    first = world.ok("tasks_close_task", task=plan)["unmet"]
    world.ok("tasks_complete", task=task)
    second = world.ok("tasks_close_task", task=plan)["unmet"]

    assert (first["code"], first["missing"]) == ("CHILDREN_OPEN", [{"task": task}])
    assert (second["code"], second["missing"]) == ("CHECKLIST_OPEN", ["two"])


@pytest.mark.requirement("tasks.close-task.dry-run-default", "tasks.close-task.dry-run-leaves-nothing")
def test_without_apply_it_is_a_dry_run(world: World) -> None:
    task = world.task()
    before = stored(world)

    reply = world.ok("tasks_close_task", task=task)

    assert reply["applied"] is False
    assert stored(world) == before


@pytest.mark.requirement("tasks.close-task.dry-run-leaves-nothing")
def test_a_dry_run_in_a_batch_takes_nothing_of_the_others_back_and_adds_nothing(world: World) -> None:
    task = world.task(title="Kept")
    dry = {"tool": "tasks_close_task", "arguments": {"task": task, "patches": [RETITLE]}}
    note = {"tool": "tasks_note", "arguments": {"task": task, "note": "before"}}
    after = {"tool": "tasks_edit", "arguments": {"task": task, "description": "after"}}

    reply = world.ok("tasks_batch", operations=[note, dry, after])

    found = world.ok("tasks_resume", task=task)["target"]
    assert (found["title"], found["status"]) == ("Kept", "ACTIVE")
    assert found["description"] == "after"
    assert "changed" not in reply
    assert [row["field"] for row in reply["results"][1]["diff"]] == ["status", "title"]
    assert healthy(world)


@pytest.mark.requirement("tasks.close-task.one-transaction")
def test_applying_patches_and_completes_in_one_operation(world: World) -> None:
    task = nearly_done(world)
    dry = world.ok("tasks_close_task", task=task, patches=patches())
    held = len(operations(world))

    reply = world.ok("tasks_close_task", task=task, apply=True, patches=patches(), expected_revision=3)

    assert (reply["applied"], reply["unmet"], reply.get("changed", True)) == (True, None, True)
    assert reply["diff"] == dry["diff"]
    assert [event["type"] for event in reply["events"]] == ["task_patched", "step_defined", "task_completed"]
    assert reply["revision"] == 4 == world.revision(task)
    assert len(operations(world)) == held + 1
    found = world.ok("tasks_resume", task=task)["target"]
    assert (found["title"], found["status"], found["tags"]) == ("Shipped", "DONE", ["old", "new"])
    assert world.step(task, "s:0")["title"] == "Built"
    assert healthy(world)


@pytest.mark.requirement("tasks.close-task.one-transaction")
def test_one_undo_takes_patches_and_completion_back_together(world: World) -> None:
    task = nearly_done(world)
    world.ok("tasks_close_task", task=task, apply=True, patches=patches())

    world.ok("tasks_undo", task=task)

    found = world.ok("tasks_resume", task=task)["target"]
    assert (found["title"], found["status"], found["tags"]) == ("A task", "ACTIVE", ["old"])
    assert world.step(task, "s:0")["title"] == "a"
    assert healthy(world)


@pytest.mark.requirement("tasks.close-task.one-transaction")
def test_a_patch_can_be_what_makes_the_task_complete(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")
    world.no("CHILDREN_OPEN", "tasks_close_task", task=task, apply=True)
    shut = {"kind": "task", "path": "s:0.t:0", "ops": [{"op": "set", "field": "status", "value": "DONE"}]}

    error = world.no("CHILDREN_OPEN", "tasks_close_task", task=task, apply=True, patches=[shut])
    world.ok("tasks_task_define", task=task, path="s:0.t:0", status="DONE")
    world.close(task, "s:0")
    world.ok("tasks_task_define", task=task, path="s:0.t:0", description="told")
    reply = world.ok("tasks_close_task", task=task, apply=True, patches=[shut])

    assert [step["path"] for step in error["missing"]] == ["s:0"]
    assert reply["applied"] is True
    assert healthy(world)


@pytest.mark.requirement("tasks.close-task.one-transaction")
def test_a_patch_that_reopens_something_keeps_the_task_from_closing(world: World) -> None:
    task = nearly_done(world)
    reopen = {"kind": "task", "path": "s:0.t:0", "ops": [{"op": "set", "field": "status", "value": "TODO"}]}

    error = world.no("CHILDREN_OPEN", "tasks_close_task", task=task, apply=True, patches=[reopen])

    assert error["open"] == 2


@pytest.mark.requirement("tasks.close-task.without-patches")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_it_completes_without_any_patches_and_once_is_enough(world: World, kind: str) -> None:
    target = world.ok("tasks_create", kind=kind, title="x")["id"]

    reply = world.ok("tasks_close_task", task=target, apply=True)
    again = world.ok("tasks_close_task", task=target, apply=True)

    assert [event["type"] for event in reply["events"]] == ["task_completed"]
    assert reply["diff"] == [{"where": target, "field": "status", "before": "TODO", "after": "DONE"}]
    assert (again["changed"], again["diff"], again["events"]) == (False, [], [])
    assert world.revision(target) == reply["revision"] == again["revision"] == 2


@pytest.mark.requirement("tasks.close-task.stale-revision")
@pytest.mark.parametrize("apply", [True, False])
def test_a_stale_revision_is_refused_before_anything_else_is_looked_at(world: World, apply: bool) -> None:
    task = world.task("open")
    bad = {"kind": "step", "path": "s:7", "ops": [{"op": "set", "field": "title", "value": "x"}]}

    error = world.no(
        "REVISION_MISMATCH", "tasks_close_task", task=task, apply=apply, expected_revision=9, patches=[bad]
    )

    assert error["current_revision"] == 1


@pytest.mark.requirement("tasks.close-task.unmet-checkpoints", "tasks.gate.one-function-complete")
def test_an_unmet_checkpoint_refuses_everything_patches_included(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_progress", task=task, path="s:0", **FORCED)

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_task", task=task, apply=True, patches=[RETITLE])

    assert [row["missing"] for row in error["missing"]] == [["criteria", "tests"]]
    assert world.ok("tasks_resume", task=task)["target"]["title"] == "A task"


@pytest.mark.requirement("tasks.close-task.unmet-checkpoints")
def test_a_bad_patch_refuses_the_good_ones_before_it(world: World) -> None:
    task = nearly_done(world)
    unknown = {"kind": "step", "path": "s:7", "ops": [{"op": "set", "field": "title", "value": "x"}]}
    bad = {"kind": "task_detail", "ops": [{"op": "set", "field": "colour", "value": "x"}]}
    rewrite = {"kind": "step", "path": "s:0", "ops": [{"op": "set", "field": "criteria", "value": ["easier"]}]}

    world.no("UNKNOWN_ID", "tasks_close_task", task=task, apply=True, patches=[RETITLE, unknown])
    error = world.no("INVALID_INPUT", "tasks_close_task", task=task, patches=[RETITLE, bad])
    world.no("STEP_DONE", "tasks_close_task", task=task, apply=True, patches=[RETITLE, rewrite])

    assert error["problems"][0]["field"] == "patches[1].ops[0].field"


@pytest.mark.requirement("tasks.close-task.dry-run")
def test_a_patch_of_the_wrong_shape_is_refused_by_its_place(world: World) -> None:
    task = world.task("a")

    for patch, field in (
        ({"kind": "step", "ops": RETITLE["ops"]}, "patches[0].path"),
        ({"kind": "task_detail", "path": "s:0", "ops": RETITLE["ops"]}, "patches[0].path"),
        ({"kind": "step", "path": "s:0", "ops": []}, "patches[0].ops"),
        ({"kind": "steps", "path": "s:0", "ops": RETITLE["ops"]}, "patches[0].kind"),
    ):
        error = world.no("INVALID_INPUT", "tasks_close_task", task=task, patches=[patch])
        assert [problem["field"] for problem in error["problems"]] == [field]
