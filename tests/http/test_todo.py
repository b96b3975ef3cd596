"""The todo stream on the wire: snapshots, then changes, as session events."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import pytest

from docs.todo_contracts import EVENT, TODO
from gatepost.surfaces.http import feeds
from gatepost.surfaces.http.app import ServerSettings
from gatepost.todo import TodoStore
from gatepost.views import todo_payload
from tests.givens import CONFIRMED, WORKSPACE, World
from tests.http.givens import PATIENCE, Site, Stream, client_of, site
from tests.views.bridge_contract import complaints
from tests.views.test_todo_contracts import valid

Told = dict[str, Any]


@contextmanager
def watching(here: Site, path: str = "/v1/todo", /, **asked: Any) -> Iterator[Stream]:
    """A stream of lists. `last` is where it goes on from."""
    last = asked.pop("last", None)
    headers = {} if last is None else {"last-event-id": str(last)}
    params = {name: value for name, value in {"workspace": WORKSPACE, **asked}.items() if value is not None}
    with (
        client_of(here.url) as client,
        client.stream("GET", path, params=params, headers=headers) as response,
    ):
        assert response.status_code == 200, response.read()
        yield Stream(response)


def pairs(stream: Stream, count: int) -> list[Told]:
    """The next so many envelopes, each on the result of a call that was told before."""
    found = []
    for _ in range(count):
        (_, call), (number, result) = stream.take(2)
        assert (call["type"], result["type"]) == ("tool_call", "tool_result")
        assert call["payload"]["call_id"] == result["payload"]["call_id"]
        assert number == result["seq"]
        found.append(result["payload"]["todo"])
    return found


def three_scopes(world: World) -> None:
    world.task("Sow", "Reap", title="Bread")
    world.task("Brew", title="Beer")
    world.ok("todo_write", items=["Shop"], session="errands")


@pytest.mark.requirement("stream.connect.snapshots-first", "stream.connect.deltas-after", "stream.event.under-v1")
def test_a_stream_begins_with_every_list_and_goes_on_with_what_changes(here: Site) -> None:
    three_scopes(here.world)
    with watching(here) as stream:
        first = pairs(stream, 3)
        here.world.close("TASK-001", "s:0")
        here.ok("todo_write", items=["Shop", "Cook"], session="errands")
        then = pairs(stream, 2)

    assert [(todo["scopeKey"], todo["op"], todo["revision"]) for todo in first] == [
        ("TASK-001", "replace", 1),
        ("TASK-002", "replace", 1),
        ("errands", "replace", 1),
    ]
    assert [item["title"] for item in first[0]["items"]] == ["Sow", "Reap"]
    assert [(todo["scopeKey"], todo["op"], todo["revision"]) for todo in then] == [
        ("TASK-001", "patch", 2),
        ("errands", "upsert", 2),
    ]


@pytest.mark.requirement(
    "stream.event.shape",
    "stream.event.sse-id",
    "stream.event.rides-on-result",
    "stream.schema.emitted-valid",
)
def test_every_event_is_as_the_schemas_say_and_goes_by_its_seq(here: Site) -> None:
    three_scopes(here.world)
    with watching(here) as stream:
        seen = stream.take(6)
        here.world.close("TASK-001", "s:0")
        seen += stream.take(2)

    for number, event in seen:
        assert list(event) == [
            "id",
            "seq",
            "type",
            "session_id",
            "turn",
            "timestamp_ms",
            "timestamp",
            "payload",
            "protocol_version",
        ]
        assert valid(EVENT, event)
        assert complaints(event) == []
        assert number == event["seq"]
        assert event["protocol_version"] == "1.0"
        if event["type"] == "tool_result":
            assert valid(TODO, event["payload"]["todo"], "#/$defs/emitted")
            assert (event["payload"]["status"], event["payload"]["error"]) == ("ok", False)
        else:
            payload = event["payload"]
            assert payload["call"] == {"id": payload["call_id"], "name": payload["tool"]}
        assert event["timestamp"] == event["timestamp_ms"] > 0
    assert len({event["id"] for _, event in seen}) == len(seen)
    assert [number for number, _ in seen] == sorted(number for number, _ in seen)
    assert seen[-1][1]["payload"]["tool"] == "tasks_close_step"
    assert seen[-1][1]["seq"] == here.world.everything()["head"].seq


@pytest.mark.requirement("stream.event.resumes")
def test_a_client_that_comes_back_hears_of_what_ended_while_it_was_away(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepost.operations.todo_stream.RECENT", 0)
    three_scopes(here.world)
    seen = here.world.everything()["head"].seq
    here.ok("todo_clear", session="errands")
    here.ok("tasks_delete", task="TASK-002")

    with watching(here) as stream:
        fresh = pairs(stream, 1)
    with watching(here, last=seen) as stream:
        resumed = pairs(stream, 3)

    assert [todo["scopeKey"] for todo in fresh] == ["TASK-001"]
    assert sorted((todo["scopeKey"], todo["op"]) for todo in resumed) == [
        ("TASK-001", "replace"),
        ("TASK-002", "clear"),
        ("errands", "clear"),
    ]


def test_a_client_cut_off_among_the_snapshots_is_not_past_them(here: Site) -> None:
    three_scopes(here.world)
    with watching(here, last=1) as stream:
        numbers = [number for number, _ in stream.take(6)]

    head = here.world.everything()["head"].seq
    assert numbers == [1, 1, 1, 1, 1, head]


@pytest.mark.requirement("stream.session.scope", "stream.session.end-sends-clear")
def test_a_session_s_list_is_on_the_stream_under_its_name_until_it_ends(here: Site) -> None:
    with watching(here) as stream:
        here.until("gatepost_open_streams", 1)
        here.ok("todo_write", items=["Shop"], session="errands")
        (written,) = pairs(stream, 1)
        here.ok("todo_clear", session="errands")
        (cleared,) = pairs(stream, 1)

    assert (written["scopeKey"], written["items"][0]["title"]) == ("errands", "Shop")
    assert (cleared["scopeKey"], cleared["op"], cleared["revision"]) == ("errands", "clear", 2)


def test_a_client_can_ask_for_one_list_alone(here: Site) -> None:
    three_scopes(here.world)
    with watching(here, scope="TASK-002") as stream:
        (first,) = pairs(stream, 1)
        here.world.close("TASK-001", "s:0")
        here.world.close("TASK-002", "s:0")
        (then,) = pairs(stream, 1)

    assert first["scopeKey"] == then["scopeKey"] == "TASK-002"


def test_a_snapshot_answers_once_with_all_lists(here: Site) -> None:
    three_scopes(here.world)

    found = here.client.get("/v1/todo", params={"workspace": WORKSPACE, "snapshot": "1"})
    one = here.client.get("/v1/todo", params={"workspace": WORKSPACE, "snapshot": "true", "scope": "errands"})

    assert found.headers["content-type"] == "application/json"
    assert [todo["scopeKey"] for todo in found.json()["todos"]] == ["TASK-001", "TASK-002", "errands"]
    assert found.json()["seq"] == here.world.everything()["head"].seq
    assert all(valid(TODO, todo, "#/$defs/emitted") for todo in found.json()["todos"])
    assert [todo["scopeKey"] for todo in one.json()["todos"]] == ["errands"]


def test_acp_clients_are_told_whole_plans(here: Site) -> None:
    here.world.task("Sow", "Reap", title="Bread", priority="HIGH")
    with watching(here, format="acp") as stream:
        ((_, first),) = stream.take(1)
        here.world.close("TASK-001", "s:0")
        ((number, then),) = stream.take(1)

    assert number == here.world.everything()["head"].seq
    assert first["method"] == "session/update"
    assert first["params"]["update"]["entries"] == [
        {"content": "Sow", "priority": "high", "status": "pending"},
        {"content": "Reap", "priority": "high", "status": "pending"},
    ]
    assert [entry["status"] for entry in then["params"]["update"]["entries"]] == ["completed", "in_progress"]
    assert then["params"]["update"]["sessionUpdate"] == "plan"


def test_an_acp_snapshot_holds_the_updates_of_all_lists(here: Site) -> None:
    three_scopes(here.world)

    found = here.client.get("/v1/todo", params={"workspace": WORKSPACE, "snapshot": "1", "format": "acp"}).json()

    assert [update["params"]["sessionId"] for update in found["updates"]] == ["TASK-001", "TASK-002", "errands"]


@pytest.mark.requirement("stream.event.heartbeat")
def test_a_quiet_stream_shows_that_it_is_there(world: World) -> None:
    with site(world, heartbeat=0.05) as here, watching(here) as stream:
        comments = [stream.comment() for _ in range(3)]

    assert comments[1:] == [": still here"] * 2
    assert ServerSettings().heartbeat < 15


@pytest.mark.requirement("stream.event.window-exceeded")
@pytest.mark.parametrize("path", ["/v1/todo", "/v1/sessions/errands/events"])
def test_a_window_that_is_gone_is_refused_with_what_to_do(
    here: Site, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_scopes(here.world)
    ahead = here.client.get(path, params={"workspace": WORKSPACE}, headers={"last-event-id": "999"})
    monkeypatch.setattr("gatepost.surfaces.http.todo.WINDOW", 1)
    behind = here.client.get(path, params={"workspace": WORKSPACE}, headers={"last-event-id": "1"})

    for refused in (ahead, behind):
        assert refused.status_code == 409
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["code"] == "resume_window_exceeded"
        assert "without Last-Event-ID" in refused.json()["recovery"]


def test_a_client_that_fell_behind_is_sent_snapshots_again(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEPT", 2)
    monkeypatch.setattr(feeds, "KEPT_BYTES", 2_000)
    monkeypatch.setattr(feeds, "AT_ONCE", 1)
    here.world.task(*(f"Step {number}" for number in range(40)))
    store = TodoStore()
    with watching(here) as stream:
        store.apply({"todo": pairs(stream, 1)[0]})
        for number in range(40):
            here.world.close("TASK-001", f"s:{number}")
        while {item.status for item in store.items("TASK-001")} != {"done"}:
            store.apply({"todo": pairs(stream, 1)[0]})

    assert not store.needs_snapshot()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "`workspace` is missing"),
        ({"workspace": "a/b", "scop": "x"}, "Unknown parameter `scop`"),
        ({"workspace": "a/b", "scope": "../x"}, "session's name"),
        ({"workspace": "a/b", "format": "xml"}, "`format` must be one of events, acp"),
        ({"workspace": "a/b", "snapshot": "maybe"}, "`snapshot` must be 1 or 0"),
        ({"workspace": "../b"}, "workspace"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_stream_begins(
    here: Site, asked: dict[str, str], said: str
) -> None:
    refused = here.client.get("/v1/todo", params=asked)

    assert refused.status_code == 400
    assert said in refused.json()["message"]
    assert refused.json()["recovery"]


def test_a_bound_server_streams_no_other_workspace(world: World) -> None:
    with site(world, bound=WORKSPACE) as here:
        refused = here.client.get("/v1/todo", params={"workspace": "other/one"})

    assert (refused.status_code, refused.json()["code"]) == (403, "WORKSPACE_MISMATCH")


def test_closing_through_the_stream_s_own_ids_works(here: Site) -> None:
    """An item's id is the step's, so what is seen can be acted on."""
    here.world.task("Sow")
    with watching(here) as stream:
        (first,) = pairs(stream, 1)
        here.ok("tasks_close_step", task="TASK-001", step_id=first["items"][0]["id"], checkpoints=CONFIRMED)
        (then,) = pairs(stream, 1)

    assert then["patches"][0]["status"] == "done"


@pytest.mark.requirement("stream.projection.one-place")
def test_every_list_that_leaves_the_server_is_made_in_one_place(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = todo_payload.Envelope

    def marked(**fields: Any) -> todo_payload.Envelope:
        return made(**{**fields, "scope_label": "marked"})

    monkeypatch.setattr(todo_payload, "Envelope", marked)
    three_scopes(here.world)
    with (
        watching(here) as stream,
        watching(here, "/v1/sessions/errands/events") as session,
        watching(here, format="acp") as acp,
    ):
        told = [*pairs(stream, 3), *pairs(session, 1)]
        plans = [update for _, update in acp.take(3)]
        here.world.close("TASK-001", "s:0")
        here.ok("todo_write", items=["Shop", "Cook"], session="errands")
        told += [*pairs(stream, 2), *pairs(session, 1)]
        plans += [update for _, update in acp.take(2)]
    once = here.client.get("/v1/todo", params={"workspace": WORKSPACE, "snapshot": "1"}).json()["todos"]

    assert {todo["scopeLabel"] for todo in [*told, *once]} == {"marked"}
    assert {plan["params"]["update"]["_meta"]["scopeLabel"] for plan in plans} == {"marked"}


def test_a_client_of_one_list_hears_that_the_server_lives_while_others_are_written(world: World) -> None:
    quiet, busy = world.task(title="Quiet"), world.task(title="Busy")
    enough = Event()

    def write() -> None:
        while not enough.wait(0.02):
            world.ok("tasks_note", task=busy, note="Still busy.")

    with site(world, heartbeat=0.1) as here:
        writer = Thread(target=write)
        writer.start()
        try:
            with watching(here, scope=quiet) as stream:
                pairs(stream, 1)
                beats = (stream.beat() for _ in range(500))
                first = next(beat for beat in beats if beat > 0)
                later = next((beat for beat in beats if beat > first), None)
        finally:
            enough.set()
            writer.join(PATIENCE)

    assert later is not None, "who comes back has to hear of all that others did"
