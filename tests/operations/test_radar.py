"""The radar: now, why, verify, next and blockers."""

import pytest

from tests.givens import CONFIRMED, World, memory_store

PARTS = {"target", "now", "why", "verify", "next", "blockers", "counts"}
YES = {"confirmed": True}


@pytest.mark.requirement("tasks.radar.five-parts", "tasks.radar.now", "tasks.radar.verify", "tasks.radar.next")
def test_one_screen_tells_now_why_verify_next_and_blockers(world: World) -> None:
    steps = [{"title": "a", "criteria": ["c1", "c2"], "tests": ["t1"], "required": ["docs"]}, {"title": "b"}]
    task = world.ok("tasks_create", kind="task", title="T", description="Because.", steps=steps)["id"]
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"criteria": YES})
    world.ok("tasks_block", task=task, path="s:1", reason="no network")
    first, second = (world.step(task, path)["step_id"] for path in ("s:0", "s:1"))

    radar = world.ok("tasks_radar", task=task)

    assert set(radar) == PARTS
    assert radar["target"] == {"id": task, "kind": "task", "title": "T", "status": "ACTIVE", "revision": 3}
    now = {"task": task, "step_id": first, "path": "s:0", "title": "a"}
    assert radar["now"].items() >= now.items()
    assert radar["why"] == {"from": task, "text": "Because."}
    assert (radar["verify"]["criteria"], radar["verify"]["tests"]) == (["c1", "c2"], ["t1"])
    assert radar["verify"]["unconfirmed"] == ["tests", "docs"]
    assert radar["next"]["tool"] == "tasks_close_step"
    assert radar["next"]["arguments"] == {
        "workspace": world.workspace,
        "task": task,
        "step_id": first,
        "expected_step_revision": 2,
    }
    assert radar["next"]["supply"] == ["checkpoints.tests", "checkpoints.docs"]
    held = {"task": task, "step_id": second, "path": "s:1", "title": "b", "reason": "no network"}
    assert radar["blockers"] == [held]
    assert radar["counts"] == {"total": 2, "done": 0, "open": 2, "blocked": 1}


@pytest.mark.requirement("tasks.radar.five-parts")
def test_every_part_is_there_though_there_is_nothing(world: World) -> None:
    radar = world.ok("tasks_radar")

    assert set(radar) == PARTS
    assert (radar["target"], radar["now"], radar["why"], radar["verify"]) == (None, None, None, None)
    assert radar["blockers"] == []
    assert radar["next"]["tool"] == "tasks_create"


@pytest.mark.requirement("tasks.radar.now")
def test_now_passes_over_done_and_blocked_steps_and_goes_down_before_up(world: World) -> None:
    below = [{"title": "b0"}, {"title": "b1"}]
    steps = [{"title": "a"}, {"title": "b", "steps": below}, {"title": "c"}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]

    def now() -> str:
        found: str = world.ok("tasks_radar", task=task)["now"]["path"]
        return found

    seen = [now()]
    world.close(task, "s:0")
    seen.append(now())
    world.ok("tasks_block", task=task, path="s:1.s:0")
    seen.append(now())
    world.close(task, "s:1.s:1")
    seen.append(now())
    world.ok("tasks_block", task=task, path="s:1.s:0", blocked=False)
    world.close(task, "s:1.s:0")
    seen.append(now())

    assert seen == ["s:0", "s:1.s:0", "s:1.s:1", "s:2", "s:1"]


@pytest.mark.requirement("tasks.radar.now", "tasks.radar.blockers")
def test_a_task_that_waits_for_another_has_no_ready_step(world: World) -> None:
    needed = world.task("first", title="Needed")
    waiter = world.task("then", depends_on=[needed])

    radar = world.ok("tasks_radar", task=waiter)

    assert radar["now"] is None
    assert radar["blockers"] == [{"task": waiter, "depends_on": needed, "status": "TODO", "title": "Needed"}]
    assert (radar["next"]["tool"], radar["next"]["arguments"]["task"]) == ("tasks_radar", needed)


@pytest.mark.requirement("tasks.radar.why")
@pytest.mark.parametrize(
    ("target", "description", "contract", "why"),
    [
        ("TASK-001", "The task's.", "The plan's.", {"from": "TASK-001", "text": "The task's."}),
        ("PLAN-001", "The task's.", "The plan's.", {"from": "PLAN-001", "text": "The plan's."}),
        ("TASK-001", None, "The plan's.", {"from": "PLAN-001", "text": "The plan's."}),
        ("PLAN-001", None, "The plan's.", {"from": "PLAN-001", "text": "The plan's."}),
        ("TASK-001", "The task's.", None, {"from": "TASK-001", "text": "The task's."}),
        ("PLAN-001", "The task's.", None, {"from": "TASK-001", "text": "The task's."}),
        ("TASK-001", None, None, None),
        ("PLAN-001", None, None, None),
    ],
)
def test_why_is_what_the_target_itself_says_and_then_what_is_nearest(
    world: World, target: str, description: str | None, contract: str | None, why: dict[str, str] | None
) -> None:
    plan = world.plan(**({} if contract is None else {"contract": contract}))
    world.task("a", plan=plan, **({} if description is None else {"description": description}))

    radar = world.ok("tasks_radar", task=target)

    assert radar["why"] == why


@pytest.mark.requirement("tasks.radar.verify")
def test_verify_says_nothing_is_unconfirmed_once_all_is(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    radar = world.ok("tasks_radar", task=task)

    assert radar["verify"]["unconfirmed"] == []
    assert (radar["next"]["tool"], radar["next"]["supply"]) == ("tasks_close_step", ["checkpoints.criteria"])


@pytest.mark.requirement("tasks.radar.blockers")
def test_blockers_come_in_tree_order_with_their_reasons_and_go_when_resolved(world: World) -> None:
    task = world.task(*(f"step {number}" for number in range(12)))
    for path in ("s:10", "s:2"):
        world.ok("tasks_block", task=task, path=path, reason=f"why {path}")
    world.ok("tasks_block", task=task, path="s:11")

    before = world.ok("tasks_radar", task=task)["blockers"]
    world.ok("tasks_block", task=task, path="s:2", blocked=False)
    after = world.ok("tasks_radar", task=task)["blockers"]

    assert [(held["path"], held["reason"]) for held in before] == [
        ("s:2", "why s:2"),
        ("s:10", "why s:10"),
        ("s:11", None),
    ]
    assert [held["path"] for held in after] == ["s:10", "s:11"]


@pytest.mark.requirement("tasks.radar.blockers")
def test_a_dependency_is_a_blocker_until_it_is_done(world: World) -> None:
    plan, needed = world.plan(), world.task()
    task = world.task("a", depends_on=[plan, needed])

    before = world.ok("tasks_radar", task=task)["blockers"]
    world.ok("tasks_complete", task=needed)
    after = world.ok("tasks_radar", task=task)["blockers"]

    assert [held["depends_on"] for held in before] == [plan, needed]
    assert [held["depends_on"] for held in after] == [plan]


@pytest.mark.requirement("tasks.radar.plans")
def test_the_radar_of_a_plan_shows_the_first_ready_step_of_its_tasks(world: World) -> None:
    plan = world.plan(title="P", contract="Nothing is lost.")
    world.task("elsewhere")
    first = world.task("a", plan=plan)
    second = world.task("b", plan=plan)

    before = world.ok("tasks_radar", plan=plan)
    world.close(first, "s:0")
    world.ok("tasks_complete", task=first)
    after = world.ok("tasks_radar", plan=plan)

    assert set(before) == PARTS
    assert (before["target"]["id"], before["target"]["kind"]) == (plan, "plan")
    assert (before["now"]["task"], before["now"]["path"]) == (first, "s:0")
    assert before["next"]["arguments"]["expected_step_revision"] == 1
    assert (after["now"]["task"], after["now"]["path"]) == (second, "s:0")
    tasks = {"total": 2, "done": 1, "open": 1}
    assert after["counts"] == {"total": 2, "done": 1, "open": 1, "blocked": 0, "tasks": tasks}
    assert after == world.ok("tasks_radar", task=plan)


@pytest.mark.requirement("tasks.radar.plans", "tasks.radar.now")
@pytest.mark.parametrize("obstacle", ["no steps", "all done", "all blocked", "waiting"])
def test_a_plan_s_radar_passes_over_a_task_without_a_ready_step(world: World, obstacle: str) -> None:
    plan, outside = world.plan(), world.task()
    idle = world.task(*([] if obstacle == "no steps" else ["x"]), plan=plan)
    busy = world.task("y", plan=plan)
    if obstacle == "all done":
        world.close(idle, "s:0")
    if obstacle == "all blocked":
        world.ok("tasks_block", task=idle, path="s:0")
    if obstacle == "waiting":
        world.ok("tasks_edit", task=idle, depends_on=[outside])

    radar = world.ok("tasks_radar", plan=plan)

    assert (radar["now"] or {}).get("task") == busy


@pytest.mark.requirement("tasks.radar.plans", "tasks.radar.now")
def test_a_plan_s_radar_finds_the_ready_step_behind_many_blocked_tasks(world: World) -> None:
    plan = world.plan()
    for _ in range(21):
        task = world.task("x", plan=plan)
        world.ok("tasks_block", task=task, path="s:0")
    busy = world.task("y", plan=plan)

    radar = world.ok("tasks_radar", plan=plan)

    assert (radar["now"] or {}).get("task") == busy


@pytest.mark.requirement("tasks.radar.plans", "tasks.radar.blockers")
def test_a_plan_s_blockers_are_those_of_all_its_tasks_and_its_own(world: World) -> None:
    needed = world.plan(title="Needed")
    plan = world.plan(depends_on=[needed])
    held, waiter, busy = world.task("a", plan=plan), world.task("b", plan=plan), world.task("c", plan=plan)
    world.ok("tasks_block", task=held, path="s:0", reason="no network")
    world.ok("tasks_edit", task=waiter, depends_on=[busy])

    radar = world.ok("tasks_radar", plan=plan)

    found = {(blocker["task"], blocker.get("depends_on") or blocker["path"]) for blocker in radar["blockers"]}
    assert found == {(plan, needed), (waiter, busy), (held, "s:0")}


@pytest.fixture(scope="module")
def overfull() -> World:
    """A world in which every text is as long as it may be. Tests only read it."""
    world = World(memory_store())
    plan = world.plan(title="p" * 300, contract="Ü" * 30_000)
    lines = ['"' * 2_000] * 20
    big = {"title": "\\" * 300, "criteria": lines, "tests": lines, "blockers": lines}
    steps = [{**big, "required": ["security", "perf", "docs"]}] * 6
    given = {"title": "t" * 300, "description": "\n" * 100 + "d" * 31_000, "plan": plan, "steps": steps}
    task = world.ok("tasks_create", kind="task", **given)["id"]
    for number in range(1, 6):
        world.ok("tasks_block", task=task, path=f"s:{number}", reason="😀" * 8_000)
    return world


@pytest.mark.requirement("tasks.radar.bounded")
@pytest.mark.parametrize("max_chars", [None, 512, 700, 1_000, 4_000])
@pytest.mark.parametrize("target", ["TASK-001", "PLAN-001", None])
def test_the_radar_stays_within_its_cap_whatever_was_written(
    overfull: World, max_chars: int | None, target: str | None
) -> None:
    arguments = {name: value for name, value in (("task", target), ("max_chars", max_chars)) if value is not None}

    answered = overfull.ask("tasks_radar", **arguments)

    assert answered.refusal is None
    assert len(answered.text) <= (max_chars or 16_000)


@pytest.mark.requirement("tasks.radar.bounded")
def test_the_radar_of_a_great_many_tasks_and_steps_stays_one_screen(one_world: World) -> None:
    plan = one_world.plan()
    needed = [one_world.task(title="n" * 300) for _ in range(100)]
    for _ in range(30):
        one_world.task(*(["x" * 300] * 40), plan=plan, title="t" * 300)
    waiter = one_world.task("s", plan=plan, depends_on=needed)

    sizes = [len(one_world.ask("tasks_radar", task=target).text) for target in (plan, waiter)]

    assert max(sizes) <= 16_000
