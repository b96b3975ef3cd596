"""What becomes of MCP sessions over HTTP that end, fall silent, or are too many, and of their todo lists."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import anyio
import pytest

from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.storage.sqlite import connection_pool
from gatepost.surfaces.http import mcp_sessions
from gatepost.surfaces.http.mcp_sessions import McpSession
from gatepost.surfaces.http.problems import Problem
from gatepost.surfaces.http.session_cleanup import SessionCleaner
from gatepost.surfaces.http.toolbox import HttpTools
from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.exchange import Exchange
from tests.givens import WORKSPACE, World
from tests.http.givens import PATIENCE, Site, client_of, site
from tests.http.test_mcp import HELLO, called, opened, post
from tests.http.test_mcp_streams import streaming
from tests.http.test_session_cleanup import Doomed, sweeping

OTHER = "acme/other"
SOON = 0.02

Key = dict[str, str]


def todo(here: Site, key: Key, tool: str, /, **arguments: Any) -> Any:
    """What a call about lists is answered with."""
    return called(post(here, "tools/call", {"name": tool, "arguments": {"workspace": WORKSPACE, **arguments}}, key))


def wrote(here: Site, key: Key, workspace: str = WORKSPACE) -> str:
    """A session's list; the name that the session has there."""
    name: str = todo(here, key, "todo_write", workspace=workspace, items=["mine"])["session"]
    return name


def found(here: Site, key: Key) -> McpSession:
    """The session of a key, which has come back thereby."""
    session = here.server.application.mcp.sessions.find(key["mcp-session-id"])
    assert session is not None
    return session


def open_still(here: Site, *keys: Key) -> list[bool]:
    """Which of the sessions can still be used."""
    return [post(here, "ping", {}, key).status_code == 200 for key in keys]


def items(world: World, name: str, workspace: str = WORKSPACE) -> list[str]:
    """A session's list, as others see it."""
    seen: list[str] = world.ok("todo_read", session=name, workspace=workspace)["items"]
    return seen


def cleared(world: World) -> list[tuple[str, str]]:
    """The lists that were cleared, each with why: as soon as there is one, but not for ever."""
    pause = Event()
    for _ in range(int(PATIENCE / SOON)):
        if events := world.ok("tasks_delta", types=["todo_cleared"])["events"]:
            return [(event["session"], event["because"]) for event in events]
        pause.wait(SOON)
    raise AssertionError("no list was cleared")


@contextmanager
def swept(here: Site) -> Iterator[None]:
    """Sweep again and again what the server's own sessions left."""
    sweeper = SessionCleaner(here.world.engine, None, SOON, here.server.application.mcp.sessions)
    try:
        yield
    finally:
        sweeper.stop()
        assert sweeper.join(PATIENCE)


@pytest.mark.requirement("call.workspace.mismatch")
@pytest.mark.parametrize(("tool", "given"), [("todo_read", {}), ("todo_write", {"items": ["there"]})])
def test_a_refused_call_to_another_workspace_of_a_bound_server_changes_nothing_there(
    world: World, tool: str, given: dict[str, Any]
) -> None:
    gone = "/".join([*processes.this().split("/")[:-1], "1"])  # the same process number, begun at another time
    ended = Caller("other", session="ended", process=gone)
    assert answer(world.engine, "todo_write", {"workspace": OTHER, "items": ["x"]}, ended).refusal is None
    before = world.everything(OTHER)

    with site(world, bound=WORKSPACE) as here:
        refused = todo(here, opened(here), tool, workspace=OTHER, **given)

    assert processes.gone(gone)
    assert refused["error"]["code"] == "WORKSPACE_MISMATCH"
    assert world.everything(OTHER) == before


def test_only_workspaces_in_which_a_session_wrote_are_remembered(world: World) -> None:
    with site(world, bound=WORKSPACE) as here:
        key = opened(here)
        for number in range(5):
            todo(here, key, "todo_write", workspace=f"acme/no-{number}", items=["x"])
        todo(here, key, "todo_write", items=["x"] * 1000)
        todo(here, key, "todo_read")
        before = found(here, key).workspaces()
        wrote(here, key)

        assert before == []
        assert found(here, key).workspaces() == [WORKSPACE]


@pytest.mark.requirement("todo.server.lives-with-session")
def test_a_session_that_wrote_in_more_workspaces_than_are_remembered_leaves_a_list_in_none(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_sessions, "MOST_WORKSPACES", 2)
    workspaces = [f"acme/repo-{number}" for number in range(4)]
    mine, theirs = opened(here), opened(here)
    names = {wrote(here, mine, workspace) for workspace in workspaces}
    other = wrote(here, theirs, workspaces[0])
    (name,) = names

    here.client.delete("/mcp", headers=mine)

    assert [items(here.world, name, workspace) for workspace in workspaces] == [[], [], [], []]
    assert items(here.world, other, workspaces[0]) == ["mine"]


@pytest.mark.requirement("todo.server.lives-with-session")
def test_a_session_that_ends_while_the_store_is_locked_is_cleared_once_it_is_free(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = opened(here)
    name = wrote(here, key)
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)

    with here.world.store.writing(WORKSPACE), swept(here):
        status = here.client.delete("/mcp", headers=key).status_code
    left = items(here.world, name)
    with swept(here):
        gone = cleared(here.world)

    assert (status, left) == (204, ["mine"])
    assert gone == [(name, "ended")]
    assert here.server.application.mcp.sessions.expire() == []


class Late(HttpTools):
    """Tools that wait, before they do anything, until they are let go."""

    begun, go = Event(), Event()

    def converse(self, name: str, arguments: dict[str, object], exchange: Exchange) -> CallToolResult:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().converse(name, arguments, exchange)


@pytest.mark.requirement("todo.server.lives-with-session")
def test_what_a_call_writes_after_its_session_has_ended_is_cleared_as_well(here: Site) -> None:
    mcp, key, told = here.server.application.mcp, opened(here), list[str]()
    mcp.toolbox = lambda toolset, note, session: Late(
        here.world.engine, toolset, note, session, bound=None, default=None
    )
    writing = Thread(target=lambda: told.append(wrote(here, key)))

    writing.start()
    assert Late.begun.wait(PATIENCE)
    with client_of(here.url) as another:
        ended = another.delete("/mcp", headers=key).status_code
    Late.go.set()
    writing.join(PATIENCE)
    left = items(here.world, told[0])
    with swept(here):
        gone = cleared(here.world)

    assert (ended, left) == (204, ["mine"])
    assert gone == [(told[0], "ended")]


@pytest.mark.requirement("todo.server.shared")
def test_a_list_that_another_process_shares_outlives_its_session(here: Site) -> None:
    key, other = opened(here), Doomed()
    name, alone = wrote(here, key), wrote(here, second := opened(here))
    given = {"workspace": WORKSPACE, "session": name, "items": ["ours"]}
    assert answer(here.world.engine, "todo_write", given, Caller("agent", process=other.name)).refusal is None

    for each in (key, second):
        here.client.delete("/mcp", headers=each)
    kept = (items(here.world, name), items(here.world, alone))
    other.kill()

    assert kept == (["ours"], [])


def test_no_call_begins_in_a_session_that_has_ended() -> None:
    async def begin() -> None:
        session = McpSession()
        session.end()
        with pytest.raises(Problem, match="This session has ended") as no, session.serving():
            pass
        assert no.value.status == 404
        assert session.idle

    anyio.run(begin)


def test_who_never_came_back_after_initialize_is_given_less_time_than_who_did(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_sessions, "UNPROVEN", -1.0)
    knocked, came_back = opened(here), opened(here)
    post(here, "ping", {}, came_back)

    here.server.application.mcp.sessions.expire()

    assert open_still(here, knocked, came_back) == [False, True]


def test_who_was_silent_for_long_has_ended_unless_it_listens(here: Site) -> None:
    silent, listening = opened(here), opened(here)
    with streaming(here, "GET", None, listening) as stream:
        stream.begun()
        for key in (silent, listening):
            found(here, key).seen -= mcp_sessions.IDLE + 1

        here.server.application.mcp.sessions.expire()

        assert open_still(here, silent, listening) == [False, True]


@pytest.mark.requirement("todo.server.lives-with-session")
def test_the_list_of_a_client_that_went_without_a_word_is_cleared_when_it_was_silent_for_long(world: World) -> None:
    with sweeping(world, SOON) as here:
        gone, living = opened(here), opened(here)
        names = [wrote(here, key) for key in (gone, living)]

        found(here, gone).seen -= mcp_sessions.IDLE + 1

        assert cleared(world) == [(names[0], "ended")]
        assert items(world, names[1]) == ["mine"]
        assert open_still(here, gone, living) == [False, True]


def test_where_too_many_sessions_are_open_the_longest_silent_gives_way(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_sessions, "MOST", 3)
    first, second, third = opened(here), opened(here), opened(here)
    assert open_still(here, second, third, first) == [True, True, True]
    name = wrote(here, second)
    found(here, second).seen -= 60

    fourth = opened(here)
    with swept(here):
        gone = cleared(here.world)

    assert gone == [(name, "ended")]
    assert open_still(here, first, second, third, fourth) == [True, False, True, True]


def test_who_only_knocks_gives_way_before_who_works_here(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sessions, "MOST", 2)
    working = opened(here)
    wrote(here, working)

    knocking = [opened(here) for _ in range(5)]

    assert open_still(here, working, *knocking) == [True, False, False, False, False, True]


def test_who_listens_never_gives_way_and_where_all_do_a_newcomer_is_told_to_come_again(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_sessions, "MOST", 1)
    listening = opened(here)
    with streaming(here, "GET", None, listening) as stream:
        stream.begun()
        refused = post(here, "initialize", HELLO, {})
        assert open_still(here, listening) == [True]
    here.until("gatepost_open_streams", 0)
    newcomer = opened(here)

    assert (refused.status_code, refused.json()["code"]) == (503, "BUSY")
    assert refused.json()["recovery"]
    assert open_still(here, listening, newcomer) == [False, True]
