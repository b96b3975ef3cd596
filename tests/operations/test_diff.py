"""tasks_diff: what differs between two moments, net."""

from typing import Any

import pytest

from tests.givens import World


def head(world: World) -> int:
    seq: int = world.ok("tasks_storage")["holds"]["seq"]
    return seq


def told(reply: dict[str, Any]) -> dict[str, list[str]]:
    return {row["where"]: row["what"] for row in reply["documents"]}


@pytest.mark.requirement("history.diff.net")
def test_a_document_is_shown_once_with_what_it_was_and_what_it_is(world: World) -> None:
    task = world.task("first", "second", title="One")
    since = head(world)
    world.ok("tasks_edit", task=task, title="Two")
    world.ok("tasks_edit", task=task, title="Three")
    world.close(task, "s:0")

    shown = world.ok("tasks_diff", **{"from": since})

    assert told(shown) == {task: ["changed"], f"{task} s:0": ["closed"]}
    title = next(field for field in shown["documents"][0]["fields"] if field["field"] == "title")
    assert (title["before"], title["after"]) == ("One", "Three")
    assert (shown["from"]["seq"], shown["to"]["seq"]) == (since, head(world))


@pytest.mark.requirement("history.diff.net")
def test_what_came_and_went_and_what_was_put_back_is_no_difference(world: World) -> None:
    task = world.task("first", title="One")
    since = head(world)
    world.ok("tasks_delete", task=world.task("short-lived"))
    world.ok("tasks_edit", task=task, title="Two")
    world.ok("tasks_edit", task=task, title="One")
    world.ok("tasks_note", task=task, note="A record.")
    world.ok("tasks_undo", task=world.task("gone"))

    assert told(world.ok("tasks_diff", **{"from": since})) == {task: ["changed"]}  # the note made it ACTIVE


@pytest.mark.requirement("history.diff.net", "history.moment.seq-or-time")
def test_between_two_moments_in_the_past_later_changes_do_not_count(world: World) -> None:
    task = world.task("first", title="One")
    first = world.ok("tasks_delta")["events"][-1]
    world.ok("tasks_edit", task=task, title="Two")
    second = world.ok("tasks_delta")["events"][-1]
    world.ok("tasks_edit", task=task, title="Three")

    by_seq = world.ok("tasks_diff", **{"from": first["seq"], "to": second["seq"]})
    by_time = world.ok("tasks_diff", **{"from": first["at"], "to": second["at"]})

    assert by_seq == by_time
    assert [field["after"] for field in by_seq["documents"][0]["fields"]] == ["Two"]


@pytest.mark.requirement("history.diff.net")
def test_a_diff_of_a_task_and_of_a_plan_leaves_out_the_others(world: World) -> None:
    plan, other = world.plan(title="Mine"), world.plan(title="Other")
    mine, theirs, alone = world.task("a", plan=plan), world.task("b", plan=other), world.task("c")
    since = head(world)
    for task in (mine, theirs, alone):
        world.close(task, "s:0")
    world.ok("tasks_edit", task=plan, title="Still mine")
    world.ok("tasks_focus_set", task=mine)

    assert told(world.ok("tasks_diff", **{"from": since}, task=mine)) == {
        mine: ["changed"],
        f"{mine} s:0": ["closed"],
    }
    assert set(told(world.ok("tasks_diff", **{"from": since}, plan=plan))) == {plan, mine, f"{mine} s:0"}
    assert "focus" in told(world.ok("tasks_diff", **{"from": since}))


@pytest.mark.requirement("history.diff.net")
def test_a_task_that_moved_or_was_deleted_is_in_the_diff_of_the_plan_that_it_left(world: World) -> None:
    plan, other = world.plan(), world.plan()
    moved, deleted = world.task("a", plan=plan), world.task("b", plan=plan)
    since = head(world)
    world.ok("tasks_move", task=moved, plan=other)
    world.ok("tasks_delete", task=deleted)

    expected = {moved: ["moved"], deleted: ["deleted"], f"{deleted} s:0": ["deleted"]}
    assert told(world.ok("tasks_diff", **{"from": since}, plan=plan)) == expected
    assert told(world.ok("tasks_diff", **{"from": since}, plan=other)) == {moved: ["moved"]}


@pytest.mark.requirement("history.moment.seq-or-time")
def test_moments_that_are_not_there_are_refused(world: World) -> None:
    world.task("first")

    assert "newest seq" in world.no("INVALID_INPUT", "tasks_diff", **{"from": 99})["message"]
    assert "newest seq" in world.no("INVALID_INPUT", "tasks_diff", **{"from": 0, "to": 99})["message"]
    assert "2026-11-16T09:30:00Z" in world.no("INVALID_INPUT", "tasks_diff", **{"from": "yesterday"})["message"]
    assert "before `from`" in world.no("INVALID_INPUT", "tasks_diff", **{"from": 1, "to": 0})["message"]
    world.no("UNKNOWN_ID", "tasks_diff", **{"from": 0}, task="TASK-404")
    world.no("INVALID_INPUT", "tasks_diff", **{"from": 0}, task="TASK-001", plan="PLAN-001")


def test_the_diff_of_nothing_is_empty(world: World) -> None:
    assert world.ok("tasks_diff", **{"from": 0})["documents"] == []

    world.task("first")

    assert world.ok("tasks_diff", **{"from": head(world)})["documents"] == []
    assert world.ok("tasks_diff", **{"from": 0, "to": 0})["documents"] == []


@pytest.mark.requirement("history.diff.net")
@pytest.mark.parametrize("max_chars", [512, 900, 4_000])
def test_pages_of_any_size_list_each_document_once_whatever_is_written_meanwhile(
    world: World, max_chars: int
) -> None:
    tasks = [world.task("first", "second", description="d" * 300) for _ in range(8)]
    whole = list(told(world.ok("tasks_diff", **{"from": 0}, limit=200, max_chars=100_000)))

    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answered = world.ask("tasks_diff", **{"from": 0}, max_chars=max_chars, **cursor)
        assert len(answered.text) <= max_chars
        page = world.ok("tasks_diff", **{"from": 0}, max_chars=max_chars, **cursor)
        found += [row["where"] for row in page["documents"]]
        world.ok("tasks_edit", task=tasks[len(found) % 8], title=f"Meanwhile {len(found)}")
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}

    assert found == whole


def test_a_diff_of_a_long_log_looks_at_a_bounded_part_of_it_for_each_page(world: World) -> None:
    mine = world.task("a")
    other = world.task()
    for number in range(30):
        calls = [
            {"tool": "tasks_edit", "arguments": {"task": other, "title": f"{number} {at}"}} for at in range(100)
        ]
        world.ok("tasks_batch", operations=calls, atomic=False)

    first = world.ok("tasks_diff", **{"from": 0})
    assert told(first) == {other: ["created"]}
    found: dict[str, list[str]] = {}
    page = first
    while page["has_more"]:
        page = world.ok("tasks_diff", **{"from": 0}, cursor=page["cursor"])
        found |= told(page)

    assert found == {mine: ["created"], f"{mine} s:0": ["created"]}


@pytest.mark.requirement("history.diff.net")
def test_pages_of_a_plan_keep_the_tasks_that_it_had_with_the_first_one(world: World) -> None:
    plan, other = world.plan(), world.plan()
    tasks = [world.task("a", plan=plan) for _ in range(4)]
    late = world.task("b", plan=other)
    whole = list(told(world.ok("tasks_diff", **{"from": 0}, plan=plan)))

    page = world.ok("tasks_diff", **{"from": 0}, plan=plan, limit=2)
    found = list(told(page))
    world.ok("tasks_move", task=late, plan=plan)
    world.ok("tasks_move", task=tasks[0], plan=other)
    world.ok("tasks_delete", task=tasks[1])
    while page["has_more"]:
        page = world.ok("tasks_diff", **{"from": 0}, plan=plan, limit=2, cursor=page["cursor"])
        found += told(page)

    assert found == whole


def test_under_a_budget_a_text_goes_first_that_is_there_as_a_diff_too(world: World) -> None:
    task = world.task("first", description="line\n" * 300)
    since = head(world)
    world.ok("tasks_edit", task=task, description="line\n" * 300 + "more\n")

    (field,) = world.ok("tasks_diff", **{"from": since}, max_chars=1_000)["documents"][0]["fields"]

    assert field["diff"].endswith("+more\n")
    assert "before" not in field


@pytest.mark.requirement("history.diff.net")
def test_sections_that_never_held_a_text_are_told_when_they_go(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    since = head(world)
    world.ok("tasks_undo")

    gone = told(world.ok("tasks_diff", **{"from": since}))

    assert gone["taskdoc auth goals"] == ["deleted"]


@pytest.mark.requirement("history.diff.net")
def test_a_moved_step_is_shown_where_it_is_with_where_it_was(world: World) -> None:
    task = world.task("a", "b", "c")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])
    since = head(world)
    moved = world.ok("tasks_move", task=task, path="s:0", parent="s:1")["events"][0]["seq"]
    world.ok("tasks_define", task=task, path="s:1.s:0", title="renamed")
    world.close(task, "s:1.s:0.s:0")

    rows = {row["where"]: row for row in world.ok("tasks_diff", **{"from": since}, task=task)["documents"]}
    by_move = world.ok("tasks_history", operation=moved)["documents"]

    there = rows[f"{task} s:1.s:0"]
    assert (there["what"], there["was_at"], there["title"]) == (["moved"], f"{task} s:0", "renamed")
    assert there["fields"] == [{"field": "title", "before": "a", "after": "renamed"}]
    below = rows[f"{task} s:1.s:0.s:0"]
    assert (below["what"], below["was_at"]) == (["moved", "closed"], f"{task} s:0.s:0")
    assert f"{task} s:0" not in rows
    assert [(row["where"], row["what"], row["fields"]) for row in by_move] == [
        (f"{task} s:1.s:0", ["moved"], []),
        (f"{task} s:1.s:0.s:0", ["moved"], []),
    ]


@pytest.mark.requirement("history.diff.net")
def test_a_step_that_moved_twice_is_told_by_its_first_and_last_place_alone(world: World) -> None:
    task = world.task("a", "b", "c")
    since = head(world)
    step = world.step(task, "s:0")["step_id"]
    world.ok("tasks_move", task=task, step_id=step, parent="s:1")
    middle = head(world)
    world.ok("tasks_move", task=task, step_id=step, parent="s:2")
    world.ok("tasks_delete", task=task, step_id=step)
    world.ok("tasks_undo", task=task)

    whole = world.ok("tasks_diff", **{"from": since})["documents"]
    half = world.ok("tasks_diff", **{"from": since, "to": middle})["documents"]

    assert [(row["where"], row["was_at"]) for row in whole if "was_at" in row] == [
        (f"{task} s:2.s:0", f"{task} s:0")
    ]
    assert [(row["where"], row["was_at"]) for row in half if "was_at" in row] == [
        (f"{task} s:1.s:0", f"{task} s:0")
    ]
    world.ok("tasks_undo", task=task)
    world.ok("tasks_undo", task=task)
    assert world.ok("tasks_diff", **{"from": since})["documents"] == []


@pytest.mark.requirement("history.diff.net")
def test_a_claim_is_about_now_and_no_difference(world: World) -> None:
    task = world.task("a", "b")
    since = head(world)
    world.ok("tasks_claim", task=task, path="s:0")
    claimed = head(world)
    world.ok("tasks_release", task=task, path="s:0")

    assert told(world.ok("tasks_diff", **{"from": since, "to": claimed})) == {}
    assert world.ok("tasks_history", operation=claimed)["documents"] == []
    error = world.no("INVALID_INPUT", "tasks_history", task=task, path="s:0", field="claim")
    assert "is claim; use one of" in error["message"]


@pytest.mark.requirement("history.diff.net")
@pytest.mark.parametrize("target", [{"path": "s:0"}, {"whole": True}])
def test_what_is_claimed_after_its_last_change_is_shown_at_that_change(
    world: World, target: dict[str, Any]
) -> None:
    task = world.task("a", "b", plan=world.plan())
    since = head(world)
    world.ok("tasks_edit", task=task, title="Two")
    edited = head(world)
    world.ok("tasks_define", task=task, path="s:0", title="A")
    defined = head(world)
    world.ok("tasks_claim", task=task, **target)
    world.ok("tasks_release", task=task, **({"path": "s:0"} if "path" in target else {}))
    world.ok("tasks_claim", task=task, **target)

    for asked in ({}, {"task": task}, {"plan": "PLAN-001"}):
        shown = world.ok("tasks_diff", **{"from": since}, **asked)["documents"]
        assert [(row["where"], row["operation"]) for row in shown] == [(f"{task} s:0", defined), (task, edited)]
