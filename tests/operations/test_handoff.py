"""The shift report: done, remaining, risks, and the radar's core."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.givens import CONFIRMED, World, memory_store, supplied

RADAR = {"target", "now", "why", "verify", "next", "blockers", "counts"}
PARTS = {"done", "remaining", "risks", "log"} | RADAR
PROVABLE = {"criteria": ["c"], "tests": ["t"]}
NOTED = {name: {"confirmed": True, "note": '"' * 900} for name in ("criteria", "tests", "security", "perf", "docs")}
FORCED = {"completed": True, "force": True, "reason": "seen by eye"}


def provable(*titles: str) -> list[dict[str, Any]]:
    return [{"title": title, **PROVABLE} for title in titles]


def mid_shift(world: World) -> str:
    """A task with something of everything: done, forced, blocked, bare, open, and waiting for another."""
    needed = world.task(title="Needed")
    steps = [*provable("a", "b", "c", "d"), {"title": "bare", "criteria": ["c"]}]
    task = world.task(title="T", description="Because.", steps=steps, depends_on=[needed])
    world.close(task, "s:1")
    world.close(task, "s:0")
    world.ok("tasks_progress", task=task, path="s:2", **FORCED)
    world.ok("tasks_block", task=task, path="s:3", reason="no key")
    return task


@pytest.mark.requirement("tasks.handoff.three-parts", "tasks.handoff.counts-and-names")
def test_a_report_counts_and_names_what_is_done_what_remains_and_what_is_at_risk(world: World) -> None:
    task = mid_shift(world)
    ids = {path: world.step(task, path)["step_id"] for path in ("s:2", "s:3", "s:4")}

    report = world.ok("tasks_handoff", task=task)

    assert set(report) == PARTS | {"questions"}
    assert (report["done"]["count"], report["remaining"]["count"]) == (3, 2)
    assert [row["title"] for row in report["done"]["items"]] == ["c", "a", "b"]
    assert report["remaining"]["items"] == [
        {"step_id": ids["s:3"], "path": "s:3", "title": "d", "blocked": True, "reason": "no key"},
        {"step_id": ids["s:4"], "path": "s:4", "title": "bare"},
    ]
    risks = report["risks"]
    assert risks["count"] == 4
    assert risks["counts"] == {"WAITS": 1, "BLOCKED": 1, "UNPROVEN": 1, "NO_CRITERIA_OR_TESTS": 1}
    waits, blocked, unproven, bare = risks["items"]
    assert (waits["task"], waits["depends_on"], waits["status"]) == (task, "TASK-001", "TODO")
    assert (blocked["step_id"], blocked["reason"]) == (ids["s:3"], "no key")
    assert (unproven["step_id"], unproven["unconfirmed"]) == (ids["s:2"], ["criteria", "tests"])
    assert (bare["step_id"], bare["lacks"]) == (ids["s:4"], ["tests"])


@pytest.mark.requirement("tasks.handoff.radar-core")
@pytest.mark.parametrize("target", [{"task": "TASK-003"}, {"plan": "PLAN-001"}, {}])
def test_a_report_has_the_radar_under_the_radar_s_keys(world: World, target: dict[str, str]) -> None:
    mid_shift(world)
    plan = world.plan(contract="Nothing is lost.")
    world.ok("tasks_focus_set", task=world.task("x", "y", plan=plan))
    world.ok("tasks_block", task="TASK-003", path="s:1", reason="rain")

    report, radar = world.ok("tasks_handoff", **target), world.ok("tasks_radar", **target)

    assert {key: report[key] for key in RADAR} == {key: radar[key] for key in RADAR}
    assert report["now"]["path"] == "s:0"


@pytest.mark.requirement("tasks.handoff.three-parts", "tasks.handoff.counts-and-names")
def test_a_plan_s_report_is_of_its_tasks_and_of_the_risks_in_all_of_them(world: World) -> None:
    plan = world.plan()
    tasks = [world.task(title=title, plan=plan, steps=provable("x")) for title in ("one", "two", "three", "four")]
    world.task(title="elsewhere")
    for task in (tasks[1], tasks[0]):
        world.close(task, "s:0")
        world.ok("tasks_complete", task=task)
    world.ok("tasks_block", task=tasks[3], path="s:0", reason="no key")
    empty = world.task(title="five", plan=plan)

    report = world.ok("tasks_handoff", plan=plan)

    assert (report["done"]["count"], report["remaining"]["count"]) == (2, 3)
    assert [row["task"] for row in report["done"]["items"]] == [tasks[0], tasks[1]]
    assert [row["task"] for row in report["remaining"]["items"]] == [tasks[2], tasks[3], empty]
    assert [(risk["code"], risk["task"]) for risk in report["risks"]["items"]] == [
        ("BLOCKED", tasks[3]),
        ("NO_STEPS", empty),
    ]


@pytest.mark.requirement("tasks.handoff.counts-and-names")
def test_tasks_that_were_done_long_ago_are_named_after_those_that_were_done_lately(world: World) -> None:
    plan = world.plan()
    old, new = world.task(plan=plan), world.task(plan=plan)
    world.ok("tasks_complete", task=old)
    for _ in range(110):
        world.ok("tasks_note", task=new, note="on")
    world.ok("tasks_complete", task=new)

    done = world.ok("tasks_handoff", plan=plan)["done"]

    assert (done["count"], [row["task"] for row in done["items"]]) == (2, [new, old])


@pytest.mark.requirement("tasks.handoff.counts-and-names")
def test_what_was_reopened_is_not_named_as_done_nor_named_twice(world: World) -> None:
    task = world.task(steps=[*provable("a"), {"title": "b", "steps": provable("below")}])
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="A node")
    world.ok("tasks_task_define", task=task, path="s:0.t:0", status="DONE")
    world.close(task, "s:0")
    world.close(task, "s:1.s:0")
    world.ok("tasks_progress", task=task, path="s:1.s:0", completed=False)
    world.close(task, "s:1.s:0")
    world.ok("tasks_progress", task=task, path="s:1.s:0", completed=False)

    report = world.ok("tasks_handoff", task=task)

    assert [row["path"] for row in report["done"]["items"]] == ["s:0", "s:0.t:0"]
    assert [row["path"] for row in report["remaining"]["items"]] == ["s:1", "s:1.s:0"]


@pytest.mark.requirement("tasks.handoff.counts-and-names")
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    widths=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    moves=st.lists(st.tuples(st.sampled_from(["close", "block"]), st.integers(0, 40)), max_size=25),
    limit=st.integers(1, 12),
)
def test_what_remains_is_the_first_open_steps_of_the_tree(
    widths: list[int], moves: list[tuple[str, int]], limit: int
) -> None:
    world = World(memory_store())
    leaves = [provable(*(f"leaf {number}" for number in range(width))) for width in widths]
    task = world.task(steps=[{"title": "top", "steps": [{"title": "mid", "steps": below}]} for below in leaves])
    paths = [row["path"] for row in world.ok("tasks_resume", task=task, limit=200)["steps"]]
    for move, at in moves:
        path = paths[at % len(paths)]
        if move == "close":
            world.ask("tasks_progress", task=task, path=path, **FORCED)
        else:
            world.ask("tasks_block", task=task, path=path)

    remaining = world.ok("tasks_handoff", task=task, limit=limit)["remaining"]

    rows = world.ok("tasks_resume", task=task, limit=200)["steps"]
    still_open = [row["path"] for row in rows if not row["done"]]
    assert remaining["count"] == len(still_open)
    assert [row["path"] for row in remaining["items"]] == still_open[:limit]


@pytest.mark.requirement("tasks.handoff.limits")
def test_a_limit_bounds_what_is_named_and_not_what_is_counted(world: World) -> None:
    task = world.task(*[f"step {number}" for number in range(40)])
    for number in range(12):
        world.close(task, f"s:{number}")
    for number in range(12, 24):
        world.ok("tasks_block", task=task, path=f"s:{number}", reason="rain")
    world.ok("tasks_progress", task=task, path="s:39", **FORCED)

    few, many = world.ok("tasks_handoff", task=task, limit=3), world.ok("tasks_handoff", task=task, limit=200)

    for part, total in (("done", 13), ("remaining", 27), ("risks", 28)):
        assert few[part]["count"] == many[part]["count"] == total
        assert len(few[part]["items"]) == 3
        assert len(many[part]["items"]) == total
    named = [risk["code"] for risk in few["risks"]["items"]]
    assert named == ["BLOCKED", "UNPROVEN", "NO_CRITERIA_OR_TESTS"], "no kind of risk crowds out the others"


@pytest.mark.requirement("tasks.handoff.counts-and-names")
def test_what_is_done_says_who_closed_it_when_and_on_which_proof(world: World) -> None:
    task = world.task(*"abcd")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"tests": {"confirmed": True, "note": "9 pass"}})
    world.caller = world.caller._replace(actor="agent:other/1234")
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints={"criteria": {"confirmed": True}})
    world.ok("tasks_close_step", task=task, path="s:1", checkpoints=CONFIRMED)
    seen = {"items": [{"kind": "note", "content": "Seen."}] * 2, "checkpoints": ["criteria"]}
    world.ok("tasks_evidence_capture", task=task, path="s:2", **seen)
    world.ok("tasks_close_step", task=task, path="s:2", checkpoints=CONFIRMED)
    world.ok("tasks_progress", task=task, path="s:3", **FORCED)

    forced, evidenced, asserted, noted = world.ok("tasks_handoff", task=task)["done"]["items"]

    assert {row["actor"] for row in (forced, evidenced, asserted, noted)} == {"agent:other/1234"}
    assert (forced["forced"], forced["reason"], forced["unconfirmed"]) == (
        True,
        "seen by eye",
        ["criteria", "tests"],
    )
    assert evidenced["evidence"] == 2
    assert [it["provenance"] for it in evidenced["proof"]] == ["evidenced", "asserted"]
    assert asserted["proof"] == [{"checkpoint": name, "provenance": "asserted"} for name in ("criteria", "tests")]
    (criteria, tests) = noted["proof"]
    assert (criteria["provenance"], "actor" in criteria) == ("asserted", False)
    assert (tests["provenance"], tests["note"], tests["actor"]) == ("noted", "9 pass", "tester")
    assert tests["at"] < noted["at"]


@pytest.mark.requirement("tasks.handoff.counts-and-names", "proof.word-alone.named")
def test_risks_name_what_was_closed_on_a_word_alone_or_in_bulk(world: World) -> None:
    task = world.task(steps=provable("a", "b", "c"))
    closings = [{"task": task, "path": f"s:{number}", "checkpoints": CONFIRMED} for number in range(2)]
    world.ok("tasks_batch", operations=[{"tool": "tasks_close_step", "arguments": it} for it in closings])
    world.close(task, "s:2")

    risks = world.ok("tasks_handoff", task=task)["risks"]

    assert risks["counts"] == {"WORD_ALONE": 2, "CLOSED_IN_BULK": 1}
    first, _, bulk = risks["items"]
    assert (first["path"], first["asserted"]) == ("s:0", ["criteria", "tests"])
    assert (bulk["paths"], bulk["actor"]) == (["s:0", "s:1"], "tester")


@pytest.mark.requirement("tasks.handoff.counts-and-names")
def test_questions_that_wait_say_who_asked_and_when(world: World) -> None:
    task = world.task("a", "b")
    world.ok("tasks_block", task=task, path="s:0", reason="Which key?")
    world.ok("tasks_note", task=task, path="s:0", note="Asked Ada.")
    world.ok("tasks_block", task=task, path="s:1")

    report = world.ok("tasks_handoff", task=task)

    (question,) = report["questions"]
    assert (question["path"], question["question"], question["actor"]) == ("s:0", "Which key?", "tester")
    assert question["at"]
    assert [(note["note"], note["path"], note["actor"]) for note in report["notes"]] == [
        ("Asked Ada.", "s:0", "tester")
    ]


@pytest.mark.requirement("tasks.handoff.counts-and-names")
def test_what_remains_of_a_plan_says_what_each_task_waits_for(world: World) -> None:
    plan = world.plan()
    first = world.task("a", plan=plan)
    second = world.task("b", plan=plan, depends_on=[first])
    world.ok("tasks_block", task=first, path="s:0", reason="Rain.")
    world.ok("tasks_note", task=second, note="Later.")

    report = world.ok("tasks_handoff", plan=plan)

    stuck, waits = sorted(report["remaining"]["items"], key=lambda row: row["task"])
    assert (stuck["blocked"], "waits_for" in stuck) == (True, False)
    assert waits["waits_for"] == [first]
    assert [(note["note"], note["task"]) for note in report["notes"]] == [("Later.", second)]
    assert [question["task"] for question in report["questions"]] == [first]


@pytest.fixture(scope="module")
def overfull() -> World:
    """A world in which everything is as long as it may be. It is only looked at."""
    world = World(memory_store(), "acme/" + "w" * 123)
    plan = world.plan(title="p" * 300, contract="Ü" * 30_000)
    lines = ['"' * 2_000] * 20
    big = {"title": "\\" * 300, "criteria": lines, "tests": lines, "required": ["security", "perf", "docs"]}
    needed = world.task(title="n" * 300)
    task = world.task(title="t" * 300, plan=plan, description="d" * 31_000, steps=[big] * 80)
    for number in range(1, 40):
        world.ok("tasks_progress", task=task, path=f"s:{number}", **FORCED)
    for number in range(40, 50):
        world.ok("tasks_close_step", task=task, path=f"s:{number}", checkpoints=NOTED)
        world.ok("tasks_note", task=task, path=f"s:{number}", note="😀" * 8_000)
    for number in range(60, 72):
        world.ok("tasks_block", task=task, path=f"s:{number}", reason="😀" * 8_000)
    world.task("x", plan=plan, depends_on=[needed])
    return world


@pytest.mark.requirement("tasks.handoff.limits")
@pytest.mark.parametrize("max_chars", [512, 600, 1_000, 3_000, None])
@pytest.mark.parametrize("target", ["TASK-002", "PLAN-001", "TASK-003"])
def test_a_report_stays_within_its_cap_whatever_was_written(
    overfull: World, target: str, max_chars: int | None
) -> None:
    cap = {} if max_chars is None else {"max_chars": max_chars}

    text = overfull.ask("tasks_handoff", task=target, limit=200, **cap).text

    report = json.loads(text)
    whole = overfull.ok("tasks_handoff", task=target, max_chars=1_000_000)
    assert report["budget"]["used_chars"] == len(text) <= (max_chars or 16_000)
    assert PARTS | {"budget"} <= set(report) <= PARTS | {"budget", "questions", "notes"}
    assert report["target"]["id"] == target
    assert (report["now"] or {}).get("step_id") == (whole["now"] or {}).get("step_id")
    assert report["next"]["tool"] == whole["next"]["tool"]
    for part in ("done", "remaining", "risks"):
        assert report[part]["count"] == whole[part]["count"]


@pytest.mark.requirement("tasks.handoff.limits")
def test_of_a_report_the_past_goes_first_and_its_oldest_before_all(world: World) -> None:
    task = world.task(*[f"step {number} " + "x" * 80 for number in range(20)])
    for number in range(8):
        world.close(task, f"s:{number}")
    length = len(world.ask("tasks_handoff", task=task, max_chars=100_000).text)

    cut = world.ok("tasks_handoff", task=task, max_chars=length - 300)

    assert set(cut["budget"]["omitted"]) == {"items"}
    kept = 8 - cut["budget"]["omitted"]["items"]
    assert [row["path"] for row in cut["done"]["items"]] == [f"s:{7 - number}" for number in range(kept)]
    assert len(cut["remaining"]["items"]) == 10


@pytest.mark.requirement("tasks.handoff.three-parts")
def test_where_there_is_nothing_the_report_says_so_and_how_to_begin(world: World) -> None:
    report = world.ok("tasks_handoff")

    assert set(report) == PARTS
    assert report["target"] is None
    assert {report[part]["count"] for part in ("done", "remaining", "risks")} == {0}
    world.rehearse(report["next"]["tool"], supplied(report["next"]))
