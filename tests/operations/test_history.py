"""tasks_history: what was done, newest first, of a workspace or of one plan or task."""

import json
from typing import Any

import pytest

from tests.givens import CONFIRMED, World


def numbers(reply: dict[str, Any]) -> list[int]:
    return [row["operation"] for row in reply["operations"]]


def tools(reply: dict[str, Any]) -> list[str]:
    return [row["tool"] for row in reply["operations"]]


@pytest.mark.requirement("tasks.history.lists", "tasks.history.every-write")
def test_every_call_that_changed_something_is_a_row_with_the_newest_first(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_edit", task=task, title="Better")
    world.ok("tasks_edit", task=task, title="Better")
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")
    world.ok("tasks_radar", task=task)
    world.close(task, "s:0")
    world.ok("tasks_note", task=task, note="Seen.")

    shown = world.ok("tasks_history")

    assert tools(shown) == ["tasks_note", "tasks_close_step", "tasks_edit", "tasks_create"]
    assert [row["kind"] for row in shown["operations"]] == ["record", "change", "change", "change"]
    assert {row["actor"] for row in shown["operations"]} == {"tester"}
    closing = shown["operations"][1]
    assert closing["events"] == ["step_verified", "step_done"]
    assert closing["targets"] == [task]
    assert closing["at"].startswith("2026-01-01T")
    assert shown["has_more"] is False


@pytest.mark.requirement("tasks.history.lists")
def test_the_history_of_a_task_holds_what_touched_it_and_nothing_else(world: World) -> None:
    mine, other = world.task("mine"), world.task("other")
    world.ok("tasks_edit", task=other, title="Not mine")
    edits = [{"tool": "tasks_edit", "arguments": {"task": name, "title": "Both"}} for name in (mine, other)]
    world.ok("tasks_batch", operations=edits)
    world.ok("tasks_focus_set", task=mine)

    assert tools(world.ok("tasks_history", task=mine)) == ["tasks_batch", "tasks_create"]
    assert tools(world.ok("tasks_history", task=other)) == ["tasks_batch", "tasks_edit", "tasks_create"]
    assert world.ok("tasks_history", limit=1)["operations"][0]["targets"] == ["focus"]


@pytest.mark.requirement("tasks.history.lists")
def test_a_task_that_never_was_is_unknown_to_the_history(world: World) -> None:
    world.task()

    error = world.no("UNKNOWN_ID", "tasks_history", task="TASK-404")

    assert "TASK-404" in error["message"]


@pytest.mark.requirement("tasks.history.lists", "tasks.history.every-write")
def test_a_deleted_task_still_has_its_history(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_delete", task=task)

    assert tools(world.ok("tasks_history", task=task)) == ["tasks_delete", "tasks_create"]


@pytest.mark.requirement("paging.list.further-lists", "tasks.history.lists")
def test_pages_of_the_history_join_without_a_gap_while_others_write(world: World) -> None:
    task = world.task()
    for number in range(6):
        world.ok("tasks_edit", task=task, title=f"Title {number}")
    whole = numbers(world.ok("tasks_history"))

    pages: list[list[int]] = []
    given: dict[str, str] = {}
    while True:
        page = world.ok("tasks_history", limit=2, **given)
        pages.append(numbers(page))
        world.ok("tasks_note", task=task, note="Meanwhile.")
        if not page["has_more"]:
            break
        given = {"cursor": page["cursor"]}

    assert [len(page) for page in pages] == [2, 2, 2, 1]
    assert [number for page in pages for number in page] == whole
    assert "cursor" not in page


@pytest.mark.requirement("paging.list.further-lists")
@pytest.mark.parametrize("cursor", ["nonsense", "-1", "9" * 40, "٣"])
def test_a_cursor_that_no_reply_gave_is_refused(cursor: str, one_world: World) -> None:
    one_world.task()

    error = one_world.no("INVALID_INPUT", "tasks_history", cursor=cursor)

    assert error["problems"][0]["field"] == "cursor"


@pytest.mark.requirement("tasks.history.lists")
@pytest.mark.parametrize("limit", [0, -1, 201, "3", True])
def test_a_limit_out_of_bounds_is_refused(limit: Any, one_world: World) -> None:
    error = one_world.no("INVALID_INPUT", "tasks_history", limit=limit)

    assert error["problems"][0]["field"] == "limit"


@pytest.mark.requirement("budget.default.cap-further-views")
def test_a_long_history_stays_within_its_cap_and_says_where_to_go_on(one_world: World) -> None:
    plan = one_world.plan(contract="x" * 3_000)
    for number in range(12):
        one_world.ok("tasks_contract", plan=plan, current=f"{number} " + "y" * 3_000)
    whole = numbers(one_world.ok("tasks_history", limit=200))

    seen: list[int] = []
    given: dict[str, str] = {}
    rounds = 0
    while True:
        answered = one_world.ask("tasks_history", limit=200, max_chars=512, **given)
        assert len(answered.text) <= 512
        page = json.loads(answered.text)
        seen += numbers(page)
        rounds += 1
        if not page["has_more"]:
            break
        given = {"cursor": page["cursor"]}

    assert len(one_world.ask("tasks_history", limit=200).text) <= 16_000
    assert rounds > 1
    assert seen == whole == sorted(whole, reverse=True)


@pytest.mark.requirement("tasks.history.lists", "tasks.undo.appends")
def test_what_is_undone_says_by_what_and_an_undo_says_of_what(world: World) -> None:
    task = world.task()
    edited = world.ok("tasks_edit", task=task, title="Better")["events"][0]["seq"]
    undone = world.ok("tasks_undo")["events"][0]["seq"]

    after_undo = {row["operation"]: row for row in world.ok("tasks_history")["operations"]}
    redone = world.ok("tasks_redo")["events"][0]["seq"]
    after_redo = {row["operation"]: row for row in world.ok("tasks_history")["operations"]}

    assert after_undo[edited]["undone_by"] == undone
    assert (after_undo[undone]["kind"], after_undo[undone]["of"]) == ("undo", edited)
    assert "undone_by" not in after_redo[edited]
    assert after_redo[undone]["undone_by"] == redone
    assert after_redo[redone]["kind"] == "redo"


@pytest.mark.requirement("tasks.contract.versions")
@pytest.mark.parametrize("way", ["tasks_contract", "tasks_edit", "tasks_patch", "tasks_batch"])
def test_whatever_replaced_a_contract_the_history_shows_the_one_before(way: str, world: World) -> None:
    plan = world.plan(contract="First words.", contract_data={"version": 1})
    calls: dict[str, dict[str, Any]] = {
        "tasks_contract": {"plan": plan, "current": "Other words.", "contract_data": {"version": 2}},
        "tasks_edit": {"task": plan, "contract": "Other words.", "contract_data": {"version": 2}},
        "tasks_patch": {
            "task": plan,
            "ops": [
                {"op": "set", "field": "contract", "value": "Other words."},
                {"op": "set", "field": "contract_data", "value": {"version": 2}},
            ],
        },
    }
    notes = [{"tool": "tasks_note", "arguments": {"task": plan, "note": "Filler."}}] * 25
    calls["tasks_batch"] = {
        "operations": [*notes, {"tool": "tasks_contract", "arguments": calls["tasks_contract"]}]
    }

    world.ok(way, **calls[way])

    newest = world.ok("tasks_history", task=plan)["operations"][0]
    assert newest["contract_before"] == "First words."
    assert newest["contract_data_before"] == {"version": 1}


@pytest.mark.requirement("tasks.history.every-write")
def test_a_history_row_of_a_large_call_stays_small(one_world: World) -> None:
    task = one_world.task("first")
    calls = [{"tool": "tasks_note", "arguments": {"task": task, "note": f"Note {n}."}} for n in range(150)]
    calls.append({"tool": "tasks_close_step", "arguments": {"task": task, "path": "s:0", "checkpoints": CONFIRMED}})

    one_world.ok("tasks_batch", operations=calls)

    shown = one_world.ok("tasks_history", limit=1)
    assert tools(shown) == ["tasks_batch"]
    assert len(json.dumps(shown)) < 600
