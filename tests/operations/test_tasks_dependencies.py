"""Dependencies: only on what exists, and never in a circle."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain import places, terms
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.engine.reader import Reader
from tests.givens import World, memory_store


def waits(world: World, target: str) -> int:
    found: int = world.ok("tasks_resume", task=target)["target"].get("waiting_for", 0)
    return found


@pytest.mark.requirement("tasks.depends.existing-ids")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_a_new_plan_or_task_may_wait_for_plans_and_tasks_that_exist(world: World, kind: str) -> None:
    task, plan = world.task(), world.plan()

    made = world.ok("tasks_create", kind=kind, title="t", depends_on=[task, plan, task])["id"]

    shown = world.ok("tasks_resume", task=made)["target"]
    assert shown["depends_on"] == [task, plan]
    assert shown["waiting_for"] == 2


@pytest.mark.requirement("tasks.depends.existing-ids")
@pytest.mark.parametrize("unknown", ["TASK-077", "PLAN-002"])
def test_waiting_for_what_does_not_exist_is_refused(world: World, unknown: str) -> None:
    task = world.task()
    world.plan()

    created = world.no("UNKNOWN_ID", "tasks_create", kind="task", title="t", depends_on=[task, unknown])
    edited = world.no("UNKNOWN_ID", "tasks_edit", task=task, depends_on=[unknown])

    assert all(unknown in error["message"] for error in (created, edited))
    assert created["field"] == edited["field"] == "depends_on"


@pytest.mark.requirement("tasks.depends.existing-ids")
def test_waiting_for_a_thing_of_another_workspace_or_for_a_step_is_refused(world: World) -> None:
    world.ok("tasks_create", workspace="acme/other", kind="plan", title="p")
    task = world.task("a")
    step_id = world.step(task, "s:0")["step_id"]

    world.no("UNKNOWN_ID", "tasks_edit", task=task, depends_on=["PLAN-001"])
    world.no("INVALID_INPUT", "tasks_edit", task=task, depends_on=[step_id])


@pytest.mark.requirement("tasks.depends.existing-ids")
def test_a_task_waits_until_what_it_needs_is_done_and_again_when_that_reopens(world: World) -> None:
    needed = world.task("a")
    waiter = world.task("b", depends_on=[needed])
    world.close(needed, "s:0")
    before = waits(world, waiter)

    world.ok("tasks_complete", task=needed)
    met = waits(world, waiter)
    world.ok("tasks_progress", task=needed, path="s:0", completed=False)

    assert (before, met, waits(world, waiter)) == (1, 0, 1)


@pytest.mark.requirement("tasks.depends.cycle")
def test_waiting_for_itself_is_refused(world: World) -> None:
    task, plan = world.task(), world.plan()

    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=task, depends_on=[task])
    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=plan, depends_on=[plan])


@pytest.mark.requirement("tasks.depends.cycle")
def test_a_circle_of_two_is_refused_and_named(world: World) -> None:
    first = world.task()
    second = world.task(depends_on=[first])

    error = world.no("DEPENDENCY_CYCLE", "tasks_edit", task=first, depends_on=[second])

    assert f"{second} → {first}" in error["message"]


@pytest.mark.requirement("tasks.depends.cycle")
def test_a_circle_of_three_is_refused(world: World) -> None:
    first = world.task()
    second = world.task(depends_on=[first])
    third = world.task(depends_on=[second])

    error = world.no("DEPENDENCY_CYCLE", "tasks_edit", task=first, depends_on=[third])

    assert f"{third} → {second} → {first}" in error["message"]


@pytest.mark.requirement("tasks.depends.cycle")
def test_a_task_cannot_wait_for_its_own_plan(world: World) -> None:
    plan = world.plan()
    task = world.task(plan=plan)

    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=task, depends_on=[plan])
    world.no("DEPENDENCY_CYCLE", "tasks_create", kind="task", title="t", plan=plan, depends_on=[plan])


@pytest.mark.requirement("tasks.depends.cycle")
def test_a_task_cannot_wait_for_what_waits_for_its_plan(world: World) -> None:
    plan = world.plan()
    member = world.task(plan=plan)
    after = world.task(depends_on=[plan])
    later = world.task(depends_on=[after])

    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=member, depends_on=[later])
    world.no("DEPENDENCY_CYCLE", "tasks_create", kind="task", title="t", plan=plan, depends_on=[after])


@pytest.mark.requirement("tasks.depends.cycle")
def test_two_plans_cannot_wait_for_each_other_through_their_tasks(world: World) -> None:
    one, two = world.plan(), world.plan()
    in_one, in_two = world.task(plan=one), world.task(plan=two)
    world.ok("tasks_edit", task=in_one, depends_on=[two])

    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=in_two, depends_on=[one])
    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=in_two, depends_on=[in_one])


@pytest.mark.requirement("tasks.depends.cycle")
def test_tasks_of_one_plan_may_wait_for_each_other_and_paths_may_meet(world: World) -> None:
    plan = world.plan()
    base = world.task(plan=plan)
    left, right = world.task(plan=plan, depends_on=[base]), world.task(plan=plan, depends_on=[base])

    top = world.task(plan=plan, depends_on=[left, right, base])

    assert waits(world, top) == 3


@pytest.mark.requirement("tasks.depends.plan-holds-tasks")
def test_a_plan_cannot_wait_for_its_own_task_nor_for_what_waits_for_it(world: World) -> None:
    plan = world.plan()
    task, other = world.task(plan=plan), world.task(plan=plan)
    after = world.task(depends_on=[task])

    error = world.no("DEPENDENCY_CYCLE", "tasks_edit", task=plan, depends_on=[other])
    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=plan, depends_on=[after])

    assert f"{other} → {plan}" in error["message"]


@pytest.mark.requirement("tasks.depends.plan-holds-tasks")
def test_the_tasks_of_a_plan_wait_with_it(world: World) -> None:
    needed = world.task("a")
    plan = world.plan(depends_on=[needed])
    task, other = world.task("b", plan=plan), world.task("c", plan=plan, depends_on=[needed])

    seen = world.ok("tasks_radar", task=task)
    held = [waits(world, name) for name in (plan, task, other)]
    queued = [row["id"] for row in world.ok("tasks_context", ready=True)["items"]]
    world.close(needed, "s:0")
    world.ok("tasks_complete", task=needed)

    assert (held, queued) == ([1, 1, 2], [needed])
    assert seen["now"] is None
    assert seen["blockers"] == [{"task": plan, "depends_on": needed, "status": "TODO", "title": "A task"}]
    assert (seen["next"]["tool"], seen["next"]["arguments"]["task"]) == ("tasks_radar", needed)
    assert [waits(world, name) for name in (plan, task, other)] == [0, 0, 0]
    assert world.ok("tasks_radar", task=task)["now"]["title"] == "b"
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("tasks.depends.plan-holds-tasks")
def test_a_task_counts_its_plan_once_whatever_that_waits_for(world: World) -> None:
    needed = [world.task() for _ in range(2)]
    plan = world.plan(depends_on=needed)
    task = world.task("a", plan=plan)
    world.ok("tasks_policy", plan=plan, approval="human")

    before = (waits(world, plan), waits(world, task))
    world.ok("tasks_edit", task=plan, depends_on=[])
    edited = (waits(world, plan), waits(world, task))
    world.caller = Caller("human:ann")
    world.ok("tasks_approve", plan=plan)

    assert (before, edited) == ((3, 1), (1, 1))
    assert (waits(world, plan), waits(world, task)) == (0, 0)


@pytest.mark.requirement("tasks.depends.plan-holds-tasks")
def test_undo_and_redo_let_the_tasks_of_a_plan_go_and_hold_them_again(world: World) -> None:
    needed = world.task()
    plan = world.plan()
    task = world.task("a", plan=plan)
    world.ok("tasks_edit", task=plan, depends_on=[needed])
    told = [waits(world, task)]

    for tool in ("tasks_undo", "tasks_redo"):
        world.ok(tool)
        told.append(waits(world, task))
    world.ok("tasks_delete", task=plan)
    world.ok("tasks_undo")

    assert [*told, waits(world, task)] == [1, 0, 1, 1]
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("tasks.depends.plan-holds-tasks")
def test_a_handoff_and_lint_say_what_a_waiting_plan_waits_for(world: World) -> None:
    needed = world.task()
    plan = world.plan(depends_on=[needed])
    task = world.task("a", plan=plan)

    (item,) = world.ok("tasks_handoff", plan=plan)["remaining"]["items"]
    of_plan, of_task = (world.ok("tasks_lint", task=target) for target in (plan, task))

    assert (item["task"], item["waits_for"]) == (task, [needed])
    for found in (of_plan, of_task):
        assert found["counts"]["WAITS"] == 1
        assert [row["task"] for row in found["findings"] if row["code"] == "WAITS"] == [plan]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 5), max_size=3)), max_size=12))
def test_whatever_edits_are_asked_for_no_circle_ever_stands(edits: list[tuple[int, list[int]]]) -> None:
    world = World(memory_store())
    plan = world.plan()
    tasks = [world.task(plan=plan) if number < 2 else world.task() for number in range(5)]
    names = [*tasks, plan]
    needs: dict[str, set[str]] = {name: set() for name in names}

    for target, wanted in edits:
        name, depends = names[target], {names[number] for number in wanted}
        proposed = {**needs, name: depends}
        of_plan = {task: proposed[task] | proposed[plan] for task in tasks[:2]}
        if circular({**proposed, **of_plan, plan: proposed[plan] | set(tasks[:2])}):
            world.no("DEPENDENCY_CYCLE", "tasks_edit", task=name, depends_on=sorted(depends))
        else:
            world.ok("tasks_edit", task=name, depends_on=sorted(depends))
            needs = proposed


def circular(needs: dict[str, set[str]]) -> bool:
    """Whether anything waits for itself, found by taking away what waits for nothing."""
    left = dict(needs)
    while free := [name for name in left if not left[name] & left.keys()]:
        for name in free:
            del left[name]
    return bool(left)


@pytest.mark.requirement("tasks.dependencies.cycle-any-size")
def test_a_circle_is_refused_however_many_wait_and_wherever_in_their_row_it_closes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gatepost.engine.reader._PAGE", 7)
    world = World(memory_store())
    needed = world.task()
    calls = [
        {"tool": "tasks_create", "arguments": {"kind": "task", "title": f"{number}", "depends_on": [needed]}}
        for number in range(30)
    ]
    made = [made["id"] for made in world.ok("tasks_batch", operations=calls)["results"]]

    for waiter in (made[0], made[6], made[7], made[-1]):
        error = world.no("DEPENDENCY_CYCLE", "tasks_edit", task=needed, depends_on=[waiter])
        assert f"{waiter} → {needed}" in error["message"]


@pytest.mark.requirement("tasks.dependencies.cycle-any-size")
def test_a_reader_yields_every_posting_and_every_document_whatever_a_page_holds(
    one_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepost.engine.reader._PAGE", 3)
    task = one_world.task(*map(str, range(10)))

    def look(reader: Reader) -> tuple[int, int]:
        first, end = places.below(places.at_id(task))
        return len(list(reader.every(((terms.BARE,),)))), len(list(reader.spans(first, end)))

    assert one_world.engine.read(one_world.workspace, one_world.caller, look) == (10, 10)


def test_a_long_circle_is_named_by_its_ends(world: World) -> None:
    tasks = [world.task()]
    for _ in range(30):
        tasks.append(world.task(depends_on=[tasks[-1]]))

    error = world.no("DEPENDENCY_CYCLE", "tasks_edit", task=tasks[0], depends_on=[tasks[-1]])

    assert "TASK-031 → TASK-030 →" in error["message"]
    assert "→ 11 more →" in error["message"]
    assert error["message"].endswith("→ TASK-001.")
