"""A session's list lives as long as the process it lives in: cleared at its end, or swept by whoever comes next."""

import string
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gatepost
from gatepost.engine import doctor, processes
from gatepost.operations import sessions
from tests.givens import WORKSPACE, World

A_BATCH = 200
ANOTHER_START = "1"


def write(world: World, *items: str, **arguments: Any) -> dict[str, Any]:
    return world.ok("todo_write", items=list(items), **arguments)


def items(world: World, **arguments: Any) -> list[str]:
    found: list[str] = world.ok("todo_read", **arguments)["items"]
    return found


def cleared(world: World) -> list[tuple[str, str]]:
    """Whose lists were cleared, and by whom, in the log's order."""
    events = world.ok("tasks_delta", types=["todo_cleared"])["events"]
    return [(event["session"], event["actor"]) for event in events]


def dead_process() -> str:
    """The name of a process that had this one's number before."""
    return "/".join([*processes.this().split("/")[:-1], ANOTHER_START])


def living_in(world: World, process: str | None) -> None:
    """Let the caller's sessions end with a process."""
    world.caller = replace(world.caller, process=process)


@pytest.mark.requirement("todo.server.swept")
def test_the_list_of_a_process_that_is_gone_is_read_by_nobody_swept_or_not(world: World) -> None:
    living_in(world, dead_process())
    write(world, "A", session="theirs")

    unswept = [items(world, session="theirs")]
    living_in(world, None)
    unswept.append(items(world, session="theirs"))
    swept = sessions.sweep(world.engine, world.workspace)

    assert unswept == [[], []]
    assert swept == 1
    assert cleared(world) == [("theirs", "gatepost")]
    assert world.ok("todo_read", session="theirs")["revision"] == 2
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("todo.server.swept", "todo.server.lives-with-session")
def test_a_sweep_leaves_the_lists_of_living_processes_and_of_none(world: World) -> None:
    living_in(world, processes.this())
    write(world, "living", session="living")
    living_in(world, None)
    write(world, "lasting", session="lasting")
    before = world.everything()

    swept = sessions.sweep(world.engine, world.workspace)

    assert swept == 0
    assert world.everything() == before
    assert (items(world, session="living"), items(world, session="lasting")) == (["living"], ["lasting"])


@pytest.mark.requirement("todo.server.swept")
def test_one_sweep_clears_the_lists_of_all_the_dead_however_many_they_are(one_world: World) -> None:
    living_in(one_world, dead_process())
    names = [f"{one}{two}{three}" for one in string.ascii_lowercase for two in "abcdefg" for three in "1234567"]
    for start in range(0, len(names), A_BATCH):
        calls = [
            {"tool": "todo_write", "arguments": {"items": ["A"], "session": name}}
            for name in names[start : start + A_BATCH]
        ]
        one_world.ok("tasks_batch", operations=calls)

    sessions.sweep(one_world.engine, one_world.workspace)

    assert len(names) > 1_000
    assert sessions.sweep(one_world.engine, one_world.workspace) == 0
    assert doctor.examine(one_world.store, one_world.workspace).findings == []


def test_a_list_that_a_dead_session_left_is_no_ones_when_another_writes_it(world: World) -> None:
    living_in(world, dead_process())
    write(world, "A", session="shared")
    living_in(world, None)

    written = write(world, "B", session="shared")

    assert written["revision"] == 2
    assert sessions.sweep(world.engine, world.workspace) == 0
    assert items(world, session="shared") == ["B"]


@pytest.mark.requirement("todo.server.lives-with-session")
def test_the_end_of_a_process_clears_its_own_lists_and_no_others(world: World) -> None:
    living_in(world, processes.this())
    ending = world.caller
    write(world, "A")
    write(world, "B", session="second")
    living_in(world, dead_process())
    write(world, "C", session="theirs")
    living_in(world, None)
    write(world, "D", session="lasting")

    ended = sessions.end(world.engine, world.workspace, ending)

    assert ended == 2
    assert sorted(cleared(world)) == [("main", "tester"), ("second", "tester")]
    assert items(world, session="lasting") == ["D"]


@pytest.mark.requirement("todo.server.lives-with-session")
def test_a_list_lives_with_its_session_also_after_another_without_a_process_wrote_it(world: World) -> None:
    living_in(world, processes.this())
    ending = world.caller
    write(world, "A", session="shared")
    living_in(world, None)
    write(world, "B", session="shared")

    assert sessions.end(world.engine, world.workspace, ending) == 1
    assert items(world, session="shared") == []


@pytest.mark.requirement("todo.server.swept")
def test_a_sweep_does_not_stand_in_the_way_of_undoing_work(world: World) -> None:
    task = world.task("One")
    world.ok("tasks_edit", task=task, title="Edited")
    living_in(world, dead_process())
    write(world, "A", session="theirs")
    living_in(world, None)
    sessions.sweep(world.engine, world.workspace)

    undone = world.ok("tasks_undo")

    assert undone["tool"] == "tasks_edit"
    assert items(world, session="theirs") == []


def test_a_session_of_a_python_program_has_lists_under_its_own_name(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as gp:
        mine = gp.for_session("mine")
        written = mine.call("todo_write", workspace=WORKSPACE, items=["A"])

        assert written["session"] == "mine"
        assert gp.call("todo_read", workspace=WORKSPACE)["items"] == []
        assert gp.call("todo_read", workspace=WORKSPACE, session="mine")["items"] == ["A"]


@pytest.mark.parametrize("name", ["TASK-001", "__proto__", "constructor", "a" * 65, "a/b", ""])
def test_a_python_program_cannot_open_a_session_that_a_call_could_not_name(tmp_path: Path, name: str) -> None:
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as gp:
        with pytest.raises(gatepost.Refusal) as caught:
            gp.for_session(name).call("todo_write", workspace=WORKSPACE, items=["A"])

        assert caught.value.code == "INVALID_INPUT"
        assert gp.call("tasks_delta", workspace=WORKSPACE)["events"] == []
