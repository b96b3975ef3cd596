"""Sessions of the session library on a server: published lists, durable events, and tools for a model."""

import pytest

import gatepost
from gatepost.runtime import Session, append
from gatepost.tools import TaskToolsSection, TodoToolsSection, todo_write
from tests.givens import WORKSPACE, World
from tests.http.givens import site
from tests.runtime.values import Note


def test_a_published_list_a_durable_session_and_task_tools_work_on_a_server(world: World) -> None:
    def prepare(session: Session) -> None:
        session[Note].register(Note, append)
        TodoToolsSection(session=session)

    with site(world) as here, gatepost.connect(here.url) as gp:
        with Session.open(gp, "agent", workspace=WORKSPACE, prepare=prepare, types=(Note,)) as session:
            session.publish(gp, WORKSPACE)
            todo_write(session, ["Read"])
            session.dispatch(Note("kept"))
            shown = gp.call("todo_read", workspace=WORKSPACE, session="agent")["items"]
            tools = {
                tool.name: tool for tool in TaskToolsSection(session=session, gp=gp, workspace=WORKSPACE).tools
            }
            tools["tasks_create"].call({"kind": "task", "title": "By a tool"})
        with Session.open(gp, "agent", workspace=WORKSPACE, prepare=prepare, types=(Note,)) as again:
            kept = again[Note].all()

    assert shown == ["Read"]
    assert kept == (Note("kept"),)
    assert world.ok("tasks_context")["items"][0]["title"] == "By a tool"


@pytest.mark.parametrize("name", ["two words", "", "TASK-001"])
def test_a_session_header_that_is_no_session_s_name_is_refused_rather_than_ignored(world: World, name: str) -> None:
    before = world.everything()

    with site(world) as here:
        answered = here.call("todo_write", headers={"X-Gatepost-Session": name}, items=["one"])

    assert (answered.status_code, answered.json()["code"]) == (400, "INVALID_INPUT")
    assert "X-Gatepost-Session" in answered.json()["message"]
    assert world.everything() == before
