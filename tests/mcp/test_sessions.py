"""In `gatepost mcp` a session is the process: its lists are its own, go with it, and are swept if it was killed."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.engine import doctor
from gatepost.settings import Settings
from gatepost.storage.sqlite import connection_pool
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.givens import WORKSPACE
from tests.mcp.servers import PATIENCE, server

OTHER = "acme/other"
PROGRAM = """
import sys, gatepost
gp = gatepost.connect(sys.argv[1], synchronous="NORMAL").for_session("x")
gp.call("todo_write", workspace=sys.argv[2], items=["from Python"])
print("ready", flush=True)
input()
"""


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[gatepost.Gatepost]:
    """The same store, asked by a program that has no session."""
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL", actor="looker") as opened:
        yield opened


def items(gp: gatepost.Gatepost, session: str, workspace: str = WORKSPACE) -> list[str]:
    found: list[str] = gp.call("todo_read", workspace=workspace, session=session)["items"]
    return found


def cleared(gp: gatepost.Gatepost, workspace: str = WORKSPACE) -> list[dict[str, Any]]:
    """The events of lists that were cleared, oldest first."""
    found: list[dict[str, Any]] = gp.call("tasks_delta", workspace=workspace, types=["todo_cleared"])["events"]
    return found


@pytest.mark.requirement("todo.server.session", "todo.session.local")
def test_two_servers_on_one_store_have_lists_of_their_own(tmp_path: Path) -> None:
    with server(tmp_path) as one, server(tmp_path) as two:
        mine = one.ok("todo_write", items=["mine"])
        theirs = two.ok("todo_write", items=["theirs"])

        assert mine["session"] != theirs["session"]
        assert one.ok("todo_read")["items"] == ["mine"]
        assert two.ok("todo_read")["items"] == ["theirs"]
        assert two.ok("todo_read", session=mine["session"])["items"] == ["mine"]


@pytest.mark.requirement("todo.server.lives-with-session", "todo.session.cleared-at-end")
def test_when_the_client_hangs_up_all_lists_of_its_session_are_cleared_and_the_log_says_so(
    tmp_path: Path, plain: gatepost.Gatepost
) -> None:
    with server(tmp_path) as one, server(tmp_path) as two:
        mine = one.ok("todo_write", items=["mine"])["session"]
        one.ok("todo_write", items=["named"], session="named")
        one.ok(
            "tasks_batch", operations=[{"tool": "todo_write", "arguments": {"items": ["b"], "session": "batch"}}]
        )
        one.ok("todo_write", items=["there"], workspace=OTHER)
        theirs = two.ok("todo_write", items=["theirs"])["session"]

        code = one.hang_up()

        assert code == 0
        assert {event["session"] for event in cleared(plain)} == {mine, "named", "batch"}
        assert {event["session"] for event in cleared(plain, OTHER)} == {mine}
        assert [items(plain, session) for session in (mine, "named", "batch")] == [[], [], []]
        assert items(plain, theirs) == ["theirs"]
        assert doctor.examine(plain.engine.store, WORKSPACE).findings == []


@pytest.mark.requirement("todo.server.lives-with-session")
def test_a_server_that_is_asked_to_end_clears_its_lists_too(tmp_path: Path, plain: gatepost.Gatepost) -> None:
    with server(tmp_path) as one:
        mine = one.ok("todo_write", items=["mine"])["session"]
        one.process.send_signal(signal.SIGTERM)
        one.process.wait(PATIENCE)

    assert [event["session"] for event in cleared(plain)] == [mine]


@pytest.mark.requirement("todo.server.swept")
def test_the_lists_of_a_killed_server_are_read_by_nobody_and_swept_by_the_next(
    tmp_path: Path, plain: gatepost.Gatepost
) -> None:
    with server(tmp_path) as one, server(tmp_path) as living:
        dead = one.ok("todo_write", items=["dead"])["session"]
        one.ok("todo_write", items=["named"], session="named")
        mine = living.ok("todo_write", items=["living"])["session"]
        one.kill()

        unswept = [items(plain, dead), items(plain, "named"), living.ok("todo_read", session=dead)["items"]]
        before = cleared(plain)
        with server(tmp_path) as following:
            following.ok("todo_read")

            assert unswept == [[], [], []]
            assert before == []
            assert {(event["session"], event["actor"]) for event in cleared(plain)} == {
                (dead, "gatepost"),
                ("named", "gatepost"),
            }
            assert living.ok("todo_read")["items"] == ["living"]
            assert items(plain, mine) == ["living"]


@pytest.mark.requirement("todo.server.swept")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("todo_read", {}),
        ("todo_write", {"items": ["mine"]}),
        ("tasks_batch", {"operations": [{"tool": "todo_read", "arguments": {}}]}),
    ],
)
def test_every_use_of_a_list_sweeps(
    tmp_path: Path, plain: gatepost.Gatepost, tool: str, arguments: dict[str, Any]
) -> None:
    with server(tmp_path) as one:
        one.ok("todo_write", items=["dead"])
        one.kill()

    with server(tmp_path) as following:
        following.ok(tool, **arguments)

        assert len(cleared(plain)) == 1


@pytest.mark.requirement("todo.server.swept")
def test_what_no_process_wrote_outlives_every_server(tmp_path: Path, plain: gatepost.Gatepost) -> None:
    plain.call("todo_write", workspace=WORKSPACE, items=["from Python"], session="python")
    call = ["call", "todo_write", '{"items": ["from the CLI"], "session": "cli"}', "--workspace", WORKSPACE]
    subprocess.run(
        [sys.executable, "-m", "gatepost", *call, "--store", str(tmp_path / "gp.db")], check=True, timeout=PATIENCE
    )

    with server(tmp_path) as one, server(tmp_path) as two:
        seen = [one.ok("todo_read", session=session)["items"] for session in ("python", "cli")]
        two.ok("todo_read")
        one.hang_up()
        two.kill()
    with server(tmp_path) as three:
        three.ok("todo_read")

    assert seen == [["from Python"], ["from the CLI"]]
    assert [items(plain, session) for session in ("python", "cli")] == seen
    assert cleared(plain) == []


@pytest.mark.requirement("todo.server.swept")
def test_the_lists_of_a_python_session_live_as_long_as_its_process(
    tmp_path: Path, plain: gatepost.Gatepost
) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "gp.db"), WORKSPACE]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program,
        server(tmp_path) as early,
    ):
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        alive = early.ok("todo_read", session="x")["items"]
        program.kill()
        program.wait(PATIENCE)
        unswept = items(plain, "x")
        with server(tmp_path) as late:
            late.ok("todo_read")

    assert (alive, unswept) == (["from Python"], [])
    assert [(event["session"], event["actor"]) for event in cleared(plain)] == [("x", "gatepost")]


@pytest.mark.requirement("todo.read.never-writes")
def test_reading_lists_where_nothing_was_ever_written_creates_no_store(tmp_path: Path) -> None:
    with server(tmp_path) as one:
        read = one.ok("todo_read")
        code = one.hang_up()

    assert (read["items"], read["revision"], code) == ([], 0, 0)
    assert not (tmp_path / "gp.db").exists()


@pytest.mark.requirement("todo.server.session", "call.workspace.mismatch")
def test_a_bound_server_keeps_and_clears_lists_in_its_workspace_alone(
    tmp_path: Path, plain: gatepost.Gatepost
) -> None:
    with server(tmp_path) as dying:
        dying.ok("todo_write", items=["dead"], workspace=OTHER)
        dying.kill()

    with server(tmp_path, "--workspace", WORKSPACE) as one:
        one.ok("todo_write", items=["mine"])
        one.no("WORKSPACE_MISMATCH", "todo_write", items=["there"], workspace=OTHER)
        one.no("WORKSPACE_MISMATCH", "todo_read", workspace=OTHER)
        one.hang_up()

    assert len(cleared(plain)) == 1
    assert cleared(plain, OTHER) == []


def test_the_end_of_another_session_does_not_stand_in_the_way_of_undoing_work(
    tmp_path: Path, plain: gatepost.Gatepost
) -> None:
    with server(tmp_path) as one:
        one.ok("tasks_create", kind="task", title="Task")
        one.ok("todo_write", items=["mine"])
        one.hang_up()

    with server(tmp_path) as two:
        two.ok("tasks_edit", task="TASK-001", title="Edited")
        with server(tmp_path) as three:
            three.ok("todo_write", items=["theirs"])
            three.hang_up()
        undone = two.ok("tasks_undo")

    assert undone["tool"] == "tasks_edit"


@pytest.mark.requirement("call.busy.typed")
@pytest.mark.parametrize("tool", ["todo_read", "todo_write"])
def test_a_sweep_that_finds_the_store_busy_makes_no_fault_of_a_call(
    tmp_path: Path, plain: gatepost.Gatepost, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)
    with server(tmp_path) as dying:
        dying.ok("todo_write", items=["dead"])
        dying.kill()
    toolbox = GatepostTools(
        Settings(str(tmp_path), {"store": str(tmp_path / "gp.db")}), "core", output_schemas=False
    )
    given: dict[str, object] = {"workspace": WORKSPACE, **({"items": ["A"]} if tool == "todo_write" else {})}

    with plain.engine.store.writing(WORKSPACE):
        answered = json.loads(toolbox.call(tool, given, None).text)

    assert answered.get("items") == [] or answered["error"]["code"] == "BUSY"
    toolbox.close()
