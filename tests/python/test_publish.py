"""A session that is published: its todo list in the log of a workspace, as long as it lives."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.operations import sessions
from gatepost.runtime import Dispatcher, Session
from gatepost.tools import TodoList, TodoToolsSection, todo_write

WORKSPACE = "acme/repo"


@pytest.fixture
def gp(tmp_path: Path) -> Iterator[gatepost.Gatepost]:
    with gatepost.connect(str(tmp_path / "gatepost.db"), synchronous="NORMAL") as opened:
        yield opened


def log(gp: gatepost.Gatepost) -> list[tuple[Any, ...]]:
    events = gp.call("tasks_delta", workspace=WORKSPACE)["events"]
    return [(event["type"], event["session"], event.get("items")) for event in events]


@pytest.mark.requirement("todo.session.published")
def test_every_list_that_a_published_session_writes_is_in_the_log_under_its_id(gp: gatepost.Gatepost) -> None:
    session = Session(id="researcher")
    section = TodoToolsSection(session=session)

    session.publish(gp, WORKSPACE)
    section.tools[1].call({"items": ["Read"]})
    todo_write(session, ["Read", "Sketch"])
    todo_write(session, ["Read", "Sketch"])

    assert log(gp) == [
        ("todo_written", "researcher", ["Read"]),
        ("todo_written", "researcher", ["Read", "Sketch"]),
        ("todo_written", "researcher", ["Read", "Sketch"]),
    ]
    read = gp.call("todo_read", workspace=WORKSPACE, session="researcher")
    assert (read["items"], read["revision"]) == (["Read", "Sketch"], 3)


@pytest.mark.requirement("todo.session.published")
def test_what_was_written_before_is_shown_by_publishing(gp: gatepost.Gatepost) -> None:
    session = Session(id="late")
    todo_write(session, ["old"])
    todo_write(session, ["new"])

    session.publish(gp, WORKSPACE)

    assert log(gp) == [("todo_written", "late", ["new"])]


@pytest.mark.requirement("todo.session.end-clears-scope")
def test_the_end_of_a_session_clears_its_list_and_says_so(gp: gatepost.Gatepost) -> None:
    with Session(id="brief") as session:
        session.publish(gp, WORKSPACE)
        todo_write(session, ["one"])

    assert log(gp)[-1] == ("todo_cleared", "brief", None)
    assert gp.call("todo_read", workspace=WORKSPACE, session="brief")["items"] == []


def test_a_session_that_wrote_nothing_leaves_nothing_in_the_log(gp: gatepost.Gatepost) -> None:
    with Session() as session:
        session.publish(gp, WORKSPACE)

    assert log(gp) == []


def test_publishing_can_be_ended_before_the_session(gp: gatepost.Gatepost) -> None:
    session = Session(id="shy")
    stop = session.publish(gp, WORKSPACE)
    todo_write(session, ["seen"])

    stop()
    todo_write(session, ["unseen"])
    session.end()

    assert [kind for kind, *_ in log(gp)] == ["todo_written", "todo_cleared"]


def test_what_is_restored_is_shown(gp: gatepost.Gatepost) -> None:
    session = Session(id="back")
    session.publish(gp, WORKSPACE)
    before = session.snapshot()
    todo_write(session, ["first"])
    first = session.snapshot()
    todo_write(session, ["second"])

    session.restore(first)
    session.restore(before)

    assert log(gp)[2:] == [("todo_written", "back", ["first"]), ("todo_cleared", "back", None)]
    assert session[TodoList].all() == ()


def test_sessions_that_share_a_dispatcher_show_each_its_own_list(gp: gatepost.Gatepost) -> None:
    dispatcher = Dispatcher()
    one, other, hidden = (Session(id=name, dispatcher=dispatcher) for name in ("one", "other", "hidden"))
    one.publish(gp, WORKSPACE)
    other.publish(gp, WORKSPACE)

    todo_write(one, ["mine"])
    todo_write(other, ["theirs"])
    todo_write(hidden, ["nobody's"])
    one.end()

    assert log(gp) == [
        ("todo_written", "one", ["mine"]),
        ("todo_written", "other", ["theirs"]),
        ("todo_cleared", "one", None),
    ]


def test_a_clone_is_not_published_with_its_original(gp: gatepost.Gatepost) -> None:
    session = Session(id="original")
    session.publish(gp, WORKSPACE)

    todo_write(session.clone(), ["elsewhere"])

    assert log(gp) == []


def test_a_list_that_cannot_be_shown_is_stored_all_the_same_and_the_log_says_so(
    gp: gatepost.Gatepost, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session()
    session.publish(gp, WORKSPACE)

    todo_write(session, ["x"] * 201)

    assert log(gp) == []
    assert len(session[TodoList].all()) == 1
    assert "200" in caplog.text


def test_what_could_not_be_shown_is_shown_as_soon_as_something_happens(gp: gatepost.Gatepost) -> None:
    class Failing:
        fails = True

        def for_session(self, session: str) -> "Failing":
            self.asked = gp.for_session(session)
            return self

        def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
            if self.fails:
                raise OSError("unplugged")
            return self.asked.call(tool, **arguments)

    publisher = Failing()
    session = Session(id="patient")
    session.publish(publisher, WORKSPACE)
    todo_write(session, ["unseen"])
    publisher.fails = False

    session.restore(session.snapshot())

    assert [(kind, items) for kind, _, items in log(gp)] == [("todo_written", ["unseen"])]


def test_a_list_longer_than_a_workspace_takes_is_refused_by_publishing_itself(gp: gatepost.Gatepost) -> None:
    session = Session()
    todo_write(session, ["x"] * 201)

    with pytest.raises(gatepost.Refusal, match="200"):
        session.publish(gp, WORKSPACE)


def test_publishing_again_is_no_news_and_ending_it_once_is_enough(gp: gatepost.Gatepost) -> None:
    session = Session(id="twice")
    session.publish(gp, WORKSPACE)
    stop = session.publish(gp, WORKSPACE)
    todo_write(session, ["once"])

    stop()
    session.end()

    assert [kind for kind, *_ in log(gp)] == ["todo_written", "todo_cleared"]


def test_the_list_of_a_killed_process_is_swept(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    program = (
        "import os, sys, gatepost\n"
        "from gatepost.runtime import Session\n"
        "from gatepost.tools import todo_write\n"
        "session = Session(id='doomed')\n"
        "session.publish(gatepost.connect(sys.argv[1]), 'acme/repo')\n"
        "todo_write(session, ['never done'])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "gatepost.db")], timeout=240)

    assert log(gp) == [("todo_written", "doomed", ["never done"])]
    assert gp.call("todo_read", workspace=WORKSPACE, session="doomed")["items"] == []
    assert sessions.sweep(gp.engine, WORKSPACE) == 1
    assert log(gp)[-1] == ("todo_cleared", "doomed", None)
