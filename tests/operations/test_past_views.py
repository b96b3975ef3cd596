"""Views of the past: what is said of a moment, of which one, and what is refused there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World, new_store
from tests.operations.test_tasks_cost import work

VIEWS = ("tasks_radar", "tasks_resume", "tasks_mirror", "tasks_handoff")


def some_history(world: World) -> str:
    """A task with two steps: the first is closed (seq 3 and 4), then there is a note, and it is reopened."""
    task = world.task("first", "second")
    world.close(task, "s:0")
    world.ok("tasks_note", task=task, path="s:1", note="Mind the gap.")
    world.ok("tasks_progress", task=task, path="s:0", completed=False, reason="Not quite.")
    return task


@pytest.mark.requirement("crew.past.moment")
@pytest.mark.parametrize("tool", VIEWS)
def test_a_view_of_the_past_says_when_that_was_and_leaves_out_what_to_do_next(world: World, tool: str) -> None:
    task = some_history(world)

    then = world.ok(tool, task=task, at=4)

    assert then["at"] == {"seq": 4, "at": "2026-01-01T00:00:01.000Z"}
    assert "next" not in then
    assert then["target"]["revision"] == 2


@pytest.mark.requirement("crew.past.moment")
def test_a_seq_in_the_middle_of_a_call_means_its_end(world: World) -> None:
    task = some_history(world)

    assert world.ok("tasks_mirror", task=task, at=3) == world.ok("tasks_mirror", task=task, at=4)


def test_a_time_leads_to_what_was_written_by_then(world: World) -> None:
    task = some_history(world)

    assert world.ok("tasks_mirror", task=task, at="2026-01-01T00:00:01.500Z")["at"]["seq"] == 4
    assert (
        world.ok("tasks_mirror", task=task, at="2026-01-01T00:00:30Z")["at"]["seq"]
        == world.everything()["head"].seq
    )


@pytest.mark.requirement("crew.past.moment")
def test_before_the_first_call_there_is_nothing(world: World) -> None:
    task = some_history(world)

    assert world.ok("tasks_context", at=0) == {"at": {"seq": 0}, "items": [], "has_more": False}
    assert world.ok("tasks_radar", at=0)["target"] is None
    assert world.ok("tasks_radar", at="2020-02-29")["target"] is None
    refused = world.no("UNKNOWN_ID", "tasks_radar", task=task, at=0)
    assert refused["suggestion"]["arguments"]["at"] == 0


@pytest.mark.requirement("crew.past.refused")
def test_a_seq_that_has_not_come_is_refused_with_the_newest_one(world: World) -> None:
    some_history(world)
    newest = world.everything()["head"].seq

    refused = world.no("INVALID_INPUT", "tasks_radar", at=newest + 1)

    assert f"at most {newest}" in refused["message"]


@pytest.mark.requirement("crew.past.refused")
def test_words_are_not_searched_in_the_past(world: World) -> None:
    some_history(world)

    refused = world.no("INVALID_INPUT", "tasks_context", text="first", at=4)

    assert "`text`" in refused["message"]
    assert "`at`" in refused["recovery"]


@pytest.mark.requirement("crew.past.refused")
def test_a_batch_that_has_changed_something_does_not_show_the_past(world: World) -> None:
    task = some_history(world)
    calls = [
        {"tool": "tasks_note", "arguments": {"task": task, "note": "Now."}},
        {"tool": "tasks_mirror", "arguments": {"task": task, "at": 4}},
    ]

    refused = world.no("BATCH_FAILED", "tasks_batch", operations=calls)

    assert refused["operation_index"] == 1
    assert world.ok("tasks_batch", operations=calls[1:])["results"][0]["at"]["seq"] == 4


def test_evidence_notes_and_events_end_with_their_moment(world: World) -> None:
    task = some_history(world)
    moment = world.everything()["head"].seq
    world.ok("tasks_note", task=task, note="Later.")
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[{"kind": "note", "content": "Later."}])

    then = world.ok("tasks_resume", task=task, path="s:0", events_limit=50, at=moment)

    assert "evidence" not in then
    assert [event["seq"] for event in then["events"]] == list(range(moment, 0, -1))
    assert [note["note"] for note in world.ok("tasks_handoff", task=task, at=moment)["notes"]] == ["Mind the gap."]


def test_a_step_that_was_deleted_since_is_found_by_path_and_by_id(world: World) -> None:
    task = some_history(world)
    name = world.step(task, "s:0")["step_id"]
    moment = world.everything()["head"].seq
    world.ok("tasks_delete", task=task, path="s:0")

    for selector in ({"path": "s:0"}, {"step_id": name}):
        assert world.ok("tasks_resume", task=task, **selector, at=moment)["step"]["title"] == "first"
        world.no("UNKNOWN_ID", "tasks_resume", task=task, **selector)


def test_a_step_that_was_moved_since_is_where_it_was_with_its_evidence(world: World) -> None:
    task = some_history(world)
    name = world.step(task, "s:0")["step_id"]
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[{"kind": "note", "content": "Seen."}])
    moment = world.everything()["head"].seq
    world.ok("tasks_move", task=task, path="s:0", parent="s:1")

    for selector in ({"path": "s:0"}, {"step_id": name}):
        then = world.ok("tasks_resume", task=task, **selector, at=moment)
        assert (then["step"]["path"], len(then["evidence"])) == ("s:0", 1)
    world.no("UNKNOWN_ID", "tasks_resume", task=task, path="s:1.s:0", at=moment)
    assert world.ok("tasks_resume", task=task, step_id=name)["step"]["path"] == "s:1.s:0"
    assert [row["path"] for row in world.ok("tasks_mirror", task=task, at=moment)["items"]] == ["s:0", "s:1"]


def test_steps_that_were_reopened_or_deleted_make_room_for_what_was_done_before_them(world: World) -> None:
    task = world.task(*"abcdefg")
    for number in range(6):
        world.close(task, f"s:{number}")
    said = []
    for tool, given in (
        ("tasks_note", {"note": "Six are done."}),
        ("tasks_delete", {"path": "s:5"}),
        ("tasks_progress", {"path": "s:4", "completed": False, "reason": "Not quite."}),
        ("tasks_delete", {"path": "s:3"}),
        ("tasks_delete", {"path": "s:1"}),
    ):
        world.ok(tool, task=task, **given)
        done = world.ok("tasks_radar", task=task)["last_done"]
        said.append((world.everything()["head"].seq, [row["title"] for row in done]))

    assert [titles for _, titles in said] == [[*"fed"], [*"edc"], [*"dcb"], [*"cba"], [*"ca"]]
    for seq, titles in said:
        then = world.ok("tasks_radar", task=task, at=seq)["last_done"]
        assert [row["title"] for row in then] == titles


def test_claims_are_about_now(world: World) -> None:
    task = world.task("first", "second")
    world.ok("tasks_claim", task=task, path="s:0")
    moment = world.everything()["head"].seq
    world.caller = Caller("another")

    now, then = world.ok("tasks_radar", task=task), world.ok("tasks_radar", task=task, at=moment)

    assert (now["now"]["path"], [held["path"] for held in now["held"]]) == ("s:1", ["s:0"])
    assert then["now"]["path"] == "s:0"
    assert "held" not in then


def test_a_page_of_the_past_goes_on_where_the_last_one_ended(world: World) -> None:
    tasks = [world.task("a") for _ in range(7)]
    moment = world.everything()["head"].seq
    for task in tasks[::2]:
        world.ok("tasks_delete", task=task)
    world.task("new")

    pages = [world.ok("tasks_context", at=moment, limit=2)]
    while pages[-1]["has_more"]:
        pages.append(world.ok("tasks_context", at=moment, limit=2, cursor=pages[-1]["cursor"]))

    assert [row["id"] for page in pages for row in page["items"]] == tasks


def others(world: World, size: int) -> None:
    """A small plan with one task, then many other tasks; then both go on."""
    plan = world.plan()
    task = world.task("first", "second", plan=plan)
    world.close(task, "s:0")
    for start in range(0, size, 100):
        made = [
            {"tool": "tasks_create", "arguments": {"kind": "task", "title": f"{at}"}}
            for at in range(start, start + 100)
        ]
        world.ok("tasks_batch", operations=made)
    world.ok("tasks_progress", task=task, path="s:0", completed=False)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, World]]:
    with ExitStack() as stores:

        def filled(size: int) -> World:
            store = new_store("sqlite", tmp_path_factory.mktemp("past"))
            stores.enter_context(closing(store))
            world = World(store)
            others(world, size)
            return world

        yield filled(100), filled(2_000)


def of_target(tool: str, **target: Any) -> Callable[[World], Any]:
    return lambda world: world.ok(tool, **target, at=3)


@pytest.mark.requirement("crew.past.cost")
@pytest.mark.parametrize("tool", VIEWS)
@pytest.mark.parametrize("target", [{"task": "TASK-001"}, {"plan": "PLAN-001"}])
def test_what_the_past_of_a_target_costs_does_not_depend_on_what_else_there_is(
    pair: tuple[World, World], tool: str, target: dict[str, str]
) -> None:
    small, large = (work(world, of_target(tool, **target)) for world in pair)

    assert large.statements == small.statements
    assert large.instructions <= small.instructions * 1.2 + 50
