"""MCP over HTTP where a reply is not enough: slow calls, questions to the client, and changes as they happen."""

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from gatepost.surfaces.http import mcp_exchange
from gatepost.surfaces.mcp.answers import Blocks
from gatepost.surfaces.mcp.exchange import Exchange
from tests.conformance.fixtures import FixtureResources, FixtureTools
from tests.givens import World
from tests.http.givens import PATIENCE, Site, client_of, site
from tests.http.test_mcp import HELLO, META, MODERN, opened, post

RADAR = "gatepost://radar/acme%2Frepo"
TODO = "gatepost://todo/acme%2Frepo/crew"
BEAT = ": still here"
STREAMS = {"accept": "application/json, text/event-stream"}
ASKING = {"name": "test_elicitation", "arguments": {"message": "Who?"}}


class Slow(FixtureTools):
    """Has one tool, which waits until it is let go."""

    def __init__(self) -> None:
        self.go = Event()

    def converse(self, _name: str, arguments: dict[str, object], exchange: Exchange) -> Blocks:
        assert self.go.wait(PATIENCE)
        return super().converse("test_simple_text", arguments, exchange)


class Flood(FixtureTools):
    """Says more than anybody keeps."""

    def converse(self, _name: str, arguments: dict[str, object], exchange: Exchange) -> Blocks:
        for number in range(3 * mcp_exchange.KEPT):
            exchange.progress(number)
        return super().converse("test_simple_text", arguments, exchange)


class Messages:
    """The messages on a stream, one after the other."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def next(self) -> dict[str, Any]:
        """The next message, unless there are only signs of life."""
        beats = 0
        for line in self._lines:
            beats += line == BEAT
            assert beats < 3, "no message, and the stream lives on"
            if line.startswith("data: "):
                message: dict[str, Any] = json.loads(line[6:])
                return message
        raise AssertionError("the stream has ended")

    def begun(self) -> str:
        """The first line, which is there when the stream is."""
        return next(self._lines)

    def beat(self) -> str:
        """The next sign of life."""
        return next(line for line in self._lines if line == BEAT)

    def rest(self) -> list[dict[str, Any]]:
        """All messages until the stream ends."""
        return [json.loads(line[6:]) for line in self._lines if line.startswith("data: ")]


@contextmanager
def streaming(here: Site, method: str, message: Any, headers: dict[str, str]) -> Iterator[Messages]:
    """A request whose response is read as it comes."""
    with (
        client_of(here.url) as client,
        client.stream(method, "/mcp", json=message, headers=STREAMS | headers) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Messages(response)


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@contextmanager
def listening(here: Site, *uris: str) -> Iterator[Messages]:
    """A modern client's stream."""
    message = request("subscriptions/listen", notifications={"resourceSubscriptions": uris}, _meta=META)
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen"}
    with streaming(here, "POST", message, headers) as stream:
        assert stream.next()["method"] == "notifications/subscriptions/acknowledged"
        yield stream


def able(here: Site) -> dict[str, str]:
    """A legacy session of a client that can be asked."""
    answered = post(here, "initialize", {**HELLO, "capabilities": {"elicitation": {}}}, {})
    return {"mcp-session-id": answered.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}


def test_a_slow_call_shows_signs_of_life_to_who_takes_streams_and_is_answered_on_the_stream(world: World) -> None:
    slow = Slow()
    with site(world, heartbeat=0.05) as here:
        here.server.application.mcp.toolbox = lambda *_: slow
        mine = opened(here)

        with streaming(here, "POST", request("tools/call", name="slow"), mine) as stream:
            stream.beat()
            slow.go.set()
            (reply,) = stream.rest()

        assert reply["id"] == 1
        assert reply["result"]["content"][0]["type"] == "text"


def test_who_takes_no_streams_waits_for_its_json(world: World) -> None:
    slow = Slow()
    with site(world, heartbeat=0.05) as here:
        here.server.application.mcp.toolbox = lambda *_: slow
        mine = opened(here)
        Thread(target=slow.go.set).start()

        plain = post(here, "tools/call", {"name": "slow"}, {**mine, "accept": "application/json"})

        assert plain.headers["content-type"] == "application/json"
        assert plain.json()["result"]["isError"] is False


def test_who_takes_no_streams_cannot_be_asked(here: Site) -> None:
    here.server.application.mcp.toolbox = lambda *_: FixtureTools()

    asked = post(here, "tools/call", ASKING, {**able(here), "accept": "application/json"})

    assert asked.json()["error"]["code"] == -32021
    assert asked.json()["id"] == 1


def test_a_question_of_a_step_is_not_put_to_who_takes_no_streams(here: Site) -> None:
    task = here.world.task("Port")
    asked = {"workspace": here.world.workspace, "task": task, "path": "s:0", "ask": "Which port?"}
    plain = {**able(here), "accept": "application/json"}

    reply = post(here, "tools/call", {"name": "tasks_block", "arguments": asked}, plain)

    answered = json.loads(reply.json()["result"]["content"][0]["text"])
    assert (answered["elicited"]["outcome"], answered["events"][0]["type"]) == ("waits", "step_blocked")


def test_of_what_is_said_too_fast_the_newest_is_kept_and_the_reply_comes(here: Site) -> None:
    here.server.application.mcp.toolbox = lambda *_: Flood()
    call = request("tools/call", name="flood", _meta={"progressToken": "t"})

    with streaming(here, "POST", call, opened(here)) as stream:
        *said, reply = stream.rest()

    assert said[-1]["params"]["progress"] == 3 * mcp_exchange.KEPT - 1
    assert reply["id"] == 1


def test_a_legacy_client_is_asked_on_the_stream_and_answers_with_a_request_of_its_own(here: Site) -> None:
    here.server.application.mcp.toolbox = lambda *_: FixtureTools()
    mine, theirs = able(here), able(here)
    yes = {"action": "accept", "content": {"username": "ada", "email": "ada@example.org"}}

    with streaming(here, "POST", request("tools/call", **ASKING), mine) as stream:
        question = stream.next()
        forged = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": yes}
        statuses = [
            here.client.post("/mcp", json=message, headers=headers).status_code
            for message, headers in ((forged, theirs), ({**answer, "id": "other"}, mine), (answer, mine))
        ]
        (reply,) = stream.rest()

    assert question["method"] == "elicitation/create"
    assert statuses == [202, 202, 202]
    assert json.loads(reply["result"]["content"][0]["text"].removeprefix("User response: ")) == yes


@pytest.mark.parametrize("answer", [{"error": {"code": -1, "message": "no person here"}}, {"result": 7}])
def test_a_client_that_cannot_answer_counts_as_one_whose_user_gave_no_answer(
    here: Site, answer: dict[str, Any]
) -> None:
    here.server.application.mcp.toolbox = lambda *_: FixtureTools()
    mine = able(here)

    with streaming(here, "POST", request("tools/call", **ASKING), mine) as stream:
        question = stream.next()
        here.client.post("/mcp", json={"jsonrpc": "2.0", "id": question["id"], **answer}, headers=mine)
        (reply,) = stream.rest()

    assert reply["result"]["content"][0]["text"] == 'User response: {"action": "cancel"}'
    assert reply["id"] == 1


def test_an_answer_without_what_every_answer_has_fails_the_call_and_says_why(here: Site) -> None:
    here.server.application.mcp.toolbox = lambda *_: FixtureTools()
    mine = able(here)

    with streaming(here, "POST", request("tools/call", **ASKING), mine) as stream:
        question = stream.next()
        here.client.post("/mcp", json={"jsonrpc": "2.0", "id": question["id"], "result": {}}, headers=mine)
        (reply,) = stream.rest()

    assert "has no action" in reply["error"]["message"]


def test_a_question_that_nobody_answers_is_withdrawn_and_the_call_goes_on_without(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_exchange, "PATIENCE", 0.1)
    with site(world, heartbeat=0.05) as here:
        here.server.application.mcp.toolbox = lambda *_: FixtureTools()

        with streaming(here, "POST", request("tools/call", **ASKING), able(here)) as stream:
            question, withdrawn, reply = stream.rest()

    assert (withdrawn["method"], withdrawn["params"]["requestId"]) == ("notifications/cancelled", question["id"])
    assert reply["result"]["content"][0]["text"] == 'User response: {"action": "cancel"}'


def test_the_stream_of_a_session_begins_with_what_changed_while_nobody_listened(here: Site) -> None:
    mine = opened(here)
    for uri in (RADAR, TODO):
        assert post(here, "resources/subscribe", {"uri": uri}, mine).json()["result"] == {}
    here.world.task()

    with streaming(here, "GET", None, mine) as stream:
        missed = stream.next()
        here.world.ok("todo_write", session="crew", items=["Look"])
        told = stream.next()

    assert (missed["method"], missed["params"]) == ("notifications/resources/updated", {"uri": RADAR})
    assert told["params"] == {"uri": TODO}


def test_a_session_has_one_stream_and_the_newest_takes_over(here: Site) -> None:
    mine = opened(here)
    post(here, "resources/subscribe", {"uri": RADAR}, mine)

    with streaming(here, "GET", None, mine) as old, streaming(here, "GET", None, mine) as new:
        assert old.rest() == []
        here.world.task()
        assert new.next()["params"] == {"uri": RADAR}
        post(here, "resources/subscribe", {"uri": TODO}, mine)
        here.world.ok("todo_write", session="crew", items=["Look"])
        assert new.next()["params"] == {"uri": TODO}


class Interrupted(FixtureTools, FixtureResources):
    """Something more is asked for while somebody looks for changes of what was asked for before."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self._meanwhile = meanwhile
        self.looks: list[set[str]] = []

    def resources(self, _client: str | None) -> FixtureResources:
        return self

    def changed(self, _workspace: str, after: int, uris: Collection[str]) -> tuple[int, list[str]]:
        self.looks.append(set(uris))
        if len(self.looks) == 1:
            self._meanwhile()
        return after + 1, list(uris)


def test_what_is_asked_for_while_somebody_looks_is_not_passed_over(here: Site) -> None:
    first, second = "test://static-text", "test://watched-resource"
    with client_of(here.url) as another:
        more = request("resources/subscribe", uri=second)
        toolbox = Interrupted(lambda: another.post("/mcp", json=more, headers=mine))
        here.server.application.mcp.toolbox = lambda *_: toolbox
        mine = opened(here)
        post(here, "resources/subscribe", {"uri": first}, mine)

        with streaming(here, "GET", None, mine) as stream:
            here.world.ok("tasks_create", workspace="conformance", kind="task", title="Something happens")
            told = {stream.next()["params"]["uri"], stream.next()["params"]["uri"]}

    assert told == {first, second}
    assert toolbox.looks == [{first}, {first, second}]


def test_an_address_of_a_megabyte_is_not_kept(here: Site) -> None:
    address = f"gatepost://task/acme%2Frepo/{'A' * 1_000_000}"
    mine = opened(here)

    refused = post(here, "resources/subscribe", {"uri": address}, mine)

    assert refused.json()["error"]["code"] == -32002
    assert len(refused.content) < 4096
    session = here.server.application.mcp.sessions.find(mine["mcp-session-id"])
    assert session is not None
    assert session.watch.workspaces() == set()


def test_the_stream_ends_with_its_session(here: Site) -> None:
    mine = opened(here)

    with streaming(here, "GET", None, mine) as stream:
        here.client.delete("/mcp", headers=mine)
        assert stream.rest() == []

    assert here.client.get("/mcp", headers=mine).status_code == 404


def test_who_listens_is_in_use(world: World) -> None:
    with site(world, heartbeat=0.02) as here:
        mine = opened(here)
        with streaming(here, "GET", None, mine) as stream:
            found = here.server.application.mcp.sessions.find(mine["mcp-session-id"])
            assert found is not None
            found.seen = 0.0
            assert any(stream.beat() and found.seen > 0.0 for _ in range(500))  # some may have been on their way


def test_only_sessions_have_a_stream_to_get(here: Site) -> None:
    modern = {**opened(here), "mcp-protocol-version": MODERN}

    assert here.client.get("/mcp").status_code == 405
    assert here.client.get("/mcp", headers=modern).status_code == 405
    assert here.client.get("/mcp", headers={"mcp-session-id": "guessed"}).status_code == 404
    assert here.client.head("/mcp", headers=opened(here)).status_code == 200


def test_listening_streams_are_ended_by_the_server_with_a_result_and_let_it_stop(here: Site) -> None:
    with listening(here, RADAR) as one, listening(here) as nothing:
        stopping = Thread(target=here.server.stop)
        stopping.start()
        last, other = one.rest(), nothing.rest()
        stopping.join(PATIENCE)

    assert [message["id"] for message in (*last, *other)] == [1, 1]
    assert last[0]["result"]["resultType"] == "complete"
    assert here.server.ended.is_set()


def test_a_stream_that_is_left_leaves_nothing_behind(here: Site) -> None:
    with listening(here, RADAR), listening(here, RADAR):
        here.until("gatepost_open_streams", 2)
    here.until("gatepost_open_streams", 0)

    here.world.task()
    with listening(here, RADAR) as stream:
        here.world.task(title="Another")
        assert stream.next()["params"]["uri"] == RADAR


def test_a_listening_stream_needs_a_client_that_takes_streams(here: Site) -> None:
    message = request("subscriptions/listen", notifications={}, _meta=META)
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen", "accept": "application/json"}

    refused = here.client.post("/mcp", json=message, headers=headers)

    assert refused.status_code == 400
    assert "text/event-stream" in refused.json()["error"]["message"]
    assert refused.json()["id"] == 1
