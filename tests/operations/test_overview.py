"""workspace_overview: what is shown first, in one call and of one moment."""

from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.replies.overview import OverviewReply
from tests.givens import World, memory_store
from tests.operations.calls import ready
from tests.operations.test_tasks_cost import work


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def done(world: World, **given: Any) -> str:
    """A task that is complete."""
    task = world.task(**given)
    world.ok("tasks_complete", task=task)
    return task


def test_its_parts_say_what_the_operations_they_come_from_say(world: World) -> None:
    ready(world)

    shown = world.ok("workspace_overview")

    assert shown["seq"] == world.everything()["head"].seq
    assert shown["workspaces"] == [world.workspace]
    assert shown["radar"] == world.ok("tasks_radar")
    assert shown["taskdocs"] == world.ok("taskdoc_list")["items"]
    assert shown["sessions"] == [{"session": "main", "items": 1}]
    listed = {row["id"]: row for row in world.ok("tasks_context")["items"]}
    for row in shown["plans"] + shown["tasks"]:
        assert listed[row["id"]].items() <= row.items()
    log = world.ok("tasks_delta")["events"]
    for event, told in zip(shown["activity"], reversed(log), strict=True):
        assert told.items() <= event.items()
    assert shown["open"] == {"tasks": 3, "blocked": 0}
    assert shown["more"] == {"plans": False, "tasks": False}


def test_an_unused_workspace_has_every_part_and_nothing_in_it(world: World) -> None:
    shown = world.ok("workspace_overview")

    assert set(shown) == set(OverviewReply.__struct_fields__) - {"redacted", "budget"}
    assert shown["radar"] is None
    assert [name for name, part in shown.items() if part] == ["more", "open"]
    assert shown["open"] == {"tasks": 0, "blocked": 0}


def test_what_is_worked_on_comes_first_and_what_is_done_last_newest_first(world: World) -> None:
    finished = [done(world) for _ in range(3)]
    waiting, begun = world.task("x"), world.task("y")
    finished.append(done(world))
    world.ok("tasks_note", task=begun, note="On it.")
    over, plan = world.plan(), world.plan()
    world.ok("tasks_complete", task=over)
    world.task("z", plan=plan)

    shown = world.ok("workspace_overview")
    cut = world.ok("workspace_overview", limit=4)

    assert ids(shown["tasks"]) == [begun, waiting, "TASK-007", *reversed(finished)]
    assert ids(shown["plans"]) == [plan, over]
    assert [row["tasks"] for row in shown["plans"]] == [1, 0]
    assert (ids(cut["tasks"]), cut["more"]) == (ids(shown["tasks"])[:4], {"plans": False, "tasks": True})
    assert (shown["open"], cut["open"]) == ({"tasks": 3, "blocked": 0}, {"tasks": 3, "blocked": 0})


def test_rows_tell_when_and_by_whom_they_were_changed_last(world: World) -> None:
    task = world.task("x")
    world.caller = Caller("agent:two")
    noted = world.logged(world.ok("tasks_note", task=task, note="Mine now."))[0]

    (row,) = world.ok("workspace_overview")["tasks"]

    assert (row["updated_at"], row["actor"]) == (noted["at"], "agent:two")


def test_each_actor_is_named_once_with_the_last_they_did(world: World) -> None:
    task = world.task("dig", "sow")
    for actor in ("agent:one", "agent:two", "agent:one"):
        world.caller = Caller(actor)
        world.ok("tasks_note", task=task, path="s:1", note=f"{actor} was here.")

    first, second, third = world.ok("workspace_overview")["actors"]

    assert [row["actor"] for row in (first, second, third)] == ["agent:one", "agent:two", "tester"]
    assert (first["type"], first["task"], first["path"], first["title"]) == ("step_noted", task, "s:1", "sow")
    assert first["at"] > second["at"] > third["at"]
    assert "note" not in first


def test_activity_is_titled_by_what_it_is_about_as_long_as_that_is_there(world: World) -> None:
    task = world.task("dig", "sow", title="Garden")
    world.ok("tasks_note", task=task, path="s:0", note="Deep.")
    world.ok("tasks_delete", task=task, path="s:0")
    world.ok("tasks_define", task=task, path="s:1", title="sow again")

    told = {event["type"]: event for event in world.ok("workspace_overview")["activity"]}

    assert told["step_defined"]["title"] == "sow again"
    assert told["task_created"]["title"] == "Garden"
    assert "title" not in told["step_noted"]


def test_blocked_steps_are_counted_and_long_texts_do_not_swell_it(world: World) -> None:
    task = world.task("a", "b", "c", description="d" * 15_000)
    for path in ("s:0", "s:2"):
        world.ok("tasks_block", task=task, path=path, reason="r" * 15_000)
    for _ in range(60):
        world.ok("tasks_note", task=task, note="n" * 16_000)

    shown = world.ok("workspace_overview")

    assert shown["open"] == {"tasks": 1, "blocked": 2}
    assert 20 <= len(shown["activity"]) <= 50
    assert shown["activity"][0]["seq"] == shown["seq"]
    assert len(world.ask("workspace_overview").text) < 40_000


def test_counting_stops_where_the_number_tells_no_more() -> None:
    world = World(memory_store())
    for _ in range(1_001):
        world.task()

    assert world.ok("workspace_overview", limit=1)["open"] == {"tasks": 1_000, "blocked": 0, "at_least": True}


def test_a_bound_caller_is_told_of_no_other_workspace(world: World) -> None:
    world.task("mine")
    world.ok("tasks_create", workspace="their/repo", kind="task", title="Theirs")

    assert world.ok("workspace_overview")["workspaces"] == ["acme/repo", "their/repo"]
    world.caller = Caller("tester", "acme/repo")
    assert world.ok("workspace_overview")["workspaces"] == ["acme/repo"]


@pytest.mark.requirement("tasks.views.cost-further")
def test_it_costs_what_it_shows_however_much_is_done_and_logged(one_world: World) -> None:
    def grow(tasks: int) -> Any:
        for _ in range(tasks):
            done(one_world, title="Done with")
        one_world.task(*["x"] * tasks)
        return work(one_world, lambda world: world.ok("workspace_overview", limit=10))

    small, large = grow(100), grow(900)

    assert (large.scans, large.sorts) == (0, 0)
    assert large.statements <= small.statements + 5
    assert large.instructions <= small.instructions * 1.2 + 500
