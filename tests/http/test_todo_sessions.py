"""`/v1/sessions/{id}/events`: the todo stream in the words of Breadboard's clients."""

import pytest

from docs.todo_contracts import EVENT
from tests.givens import WORKSPACE
from tests.http.givens import Site
from tests.http.test_todo import pairs, three_scopes, watching
from tests.views.bridge_contract import complaints
from tests.views.test_todo_contracts import valid


def test_a_session_is_told_alone_with_both_time_stamps(here: Site) -> None:
    three_scopes(here.world)
    with watching(here, "/v1/sessions/errands/events", schema="2", include_legacy="false") as stream:
        (_, call), (_, result) = stream.take(2)

    assert valid(EVENT, result)
    assert complaints(call) == complaints(result) == []
    assert call["session_id"] == result["session_id"] == "errands"
    assert result["timestamp"] == result["timestamp_ms"] > 0
    assert result["payload"]["todo"]["scopeKey"] == "errands"


def test_a_workspace_is_a_session_of_all_its_lists(here: Site) -> None:
    three_scopes(here.world)
    with watching(here, f"/v1/sessions/{WORKSPACE}/events") as stream:
        told = pairs(stream, 3)

    assert [todo["scopeKey"] for todo in told] == ["TASK-001", "TASK-002", "errands"]


def test_without_a_workspace_the_only_one_with_such_a_session_is_meant(here: Site) -> None:
    three_scopes(here.world)
    with watching(here, "/v1/sessions/errands/events", workspace=None) as stream:
        (told,) = pairs(stream, 1)
    here.call("todo_write", items=["Mow"], session="errands", workspace="other/one")
    several = here.client.get("/v1/sessions/errands/events")
    nobody = here.client.get("/v1/sessions/nobody/events")

    assert told["items"][0]["title"] == "Shop"
    assert (several.status_code, nobody.status_code) == (400, 404)
    assert "other/one" in several.json()["message"]


def test_a_replay_tells_the_calls_before_and_then_the_list(here: Site) -> None:
    three_scopes(here.world)
    here.world.close("TASK-001", "s:0")
    asked = {"replay": "true", "limit": "1"}
    with watching(here, "/v1/sessions/TASK-001/events", **asked) as stream:
        events = [event for _, event in stream.take(4)]

    assert [event["payload"]["tool"] for event in events] == ["tasks_close_step"] * 2 + ["todo_snapshot"] * 2
    assert "todo" not in events[1]["payload"]
    assert [complaints(event) for event in events] == [[]] * 4
    assert events[3]["payload"]["todo"]["revision"] == 2
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)


def test_from_an_id_only_later_calls_are_replayed(here: Site) -> None:
    three_scopes(here.world)
    before = here.world.everything()["head"].seq
    here.world.close("TASK-001", "s:0")
    with watching(here, f"/v1/sessions/{WORKSPACE}/events", from_id=str(before)) as stream:
        events = [event for _, event in stream.take(8)]
    with watching(here, f"/v1/sessions/{WORKSPACE}/events", from_id=events[1]["id"]) as stream:
        again = [event for _, event in stream.take(2)]

    assert [event["payload"]["tool"] for event in events] == ["tasks_close_step"] * 2 + ["todo_snapshot"] * 6
    assert again[0]["payload"]["tool"] in ("tasks_close_step", "todo_snapshot")


@pytest.mark.parametrize(
    "asked", [{"schema": "9"}, {"replay": "perhaps"}, {"limit": "-1"}, {"from_id": "yesterday"}, {"since": "1"}]
)
def test_what_cannot_be_meant_is_refused(here: Site, asked: dict[str, str]) -> None:
    refused = here.client.get("/v1/sessions/errands/events", params={"workspace": WORKSPACE, **asked})

    assert refused.status_code == 400
    assert refused.json()["recovery"]


def test_sessions_share_a_feed_and_each_is_told_by_its_own_name(here: Site) -> None:
    three_scopes(here.world)
    with (
        watching(here, "/v1/sessions/TASK-001/events") as one,
        watching(here, "/v1/sessions/TASK-002/events") as other,
    ):
        names = [{event["session_id"] for _, event in stream.take(2)} for stream in (one, other)]
        here.world.ok("tasks_note", task="TASK-001", note='"session_id":"acme/repo"')
        named = {event["session_id"] for _, event in one.take(2)}
        threads = here.feeds()

    assert names == [{"TASK-001"}, {"TASK-002"}]
    assert named == {"TASK-001"}
    assert len(threads) == 1
