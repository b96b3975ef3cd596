"""What a client asks before it follows: whether the server runs, what there is, and what one of them is."""

from typing import Any

import pytest

from gatepost import __version__
from tests.givens import WORKSPACE, World
from tests.http.givens import Site, site
from tests.http.test_todo import pairs, three_scopes, watching

FIELDS = {"session_id", "status", "created_at", "last_activity_at", "metadata"}


def got(here: Site, path: str, **asked: str) -> Any:
    answer = here.client.get(path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(sessions: list[dict[str, Any]]) -> list[str]:
    return [session["session_id"] for session in sessions]


def test_health_says_what_is_spoken(here: Site) -> None:
    assert got(here, "/health") == {"status": "ok", "protocol_version": "1.0", "version": __version__}


def test_the_sessions_of_a_workspace_are_itself_and_its_lists_each_of_which_can_be_followed(here: Site) -> None:
    three_scopes(here.world)

    sessions = got(here, "/v1/sessions", workspace=WORKSPACE)

    assert names(sessions) == [WORKSPACE, "errands", "TASK-002", "TASK-001"]
    assert all(session.keys() == FIELDS for session in sessions)
    assert {session["metadata"]["kind"] for session in sessions} == {"workspace", "task", "session"}
    assert all(session["created_at"] <= session["last_activity_at"] for session in sessions)
    for name in names(sessions)[1:]:
        with watching(here, f"/v1/sessions/{name}/events") as stream:
            assert [todo["scopeKey"] for todo in pairs(stream, 1)] == [name]


def test_without_a_workspace_each_workspace_is_a_session(here: Site) -> None:
    three_scopes(here.world)
    here.call("todo_write", items=["Mow"], session="garden", workspace="other/one")

    assert names(got(here, "/v1/sessions")) == sorted([WORKSPACE, "other/one"])


def test_where_nothing_was_written_there_is_no_session(here: Site) -> None:
    assert got(here, "/v1/sessions") == got(here, "/v1/sessions", workspace="new/one") == []


def test_no_more_are_listed_than_asked_for(here: Site) -> None:
    three_scopes(here.world)

    assert names(got(here, "/v1/sessions", workspace=WORKSPACE, limit="2")) == [WORKSPACE, "errands"]
    assert got(here, "/v1/sessions", workspace=WORKSPACE, limit="0") == []


def test_one_session_is_found_by_its_name_alone_and_says_when_it_is_over(here: Site) -> None:
    three_scopes(here.world)
    before = got(here, "/v1/sessions/TASK-001")
    for path in ("s:0", "s:1"):
        here.world.close("TASK-001", path)
    here.world.ok("tasks_complete", task="TASK-001")

    after = got(here, "/v1/sessions/TASK-001", workspace=WORKSPACE)

    assert (before["status"], after["status"]) == ("running", "completed")
    assert after["last_activity_at"] >= before["last_activity_at"] >= before["created_at"] == after["created_at"]
    assert got(here, "/v1/sessions/errands")["metadata"] == {
        "workspace": WORKSPACE,
        "kind": "session",
        "label": "errands",
    }
    assert got(here, f"/v1/sessions/{WORKSPACE}")["session_id"] == WORKSPACE


@pytest.mark.parametrize("name", ["nobody", "TASK-999", "new/one", "a b"])
@pytest.mark.parametrize("workspace", [None, WORKSPACE])
def test_what_is_no_session_is_not_found(here: Site, name: str, workspace: str | None) -> None:
    three_scopes(here.world)
    asked = {} if workspace is None else {"workspace": workspace}

    answer = here.client.get(f"/v1/sessions/{name}", params=asked)

    assert (answer.status_code, answer.json()["code"]) in [(404, "UNKNOWN_ID"), (400, "INVALID_INPUT")]
    assert answer.json()["recovery"]


@pytest.mark.parametrize("asked", [{"limit": "-1"}, {"limit": "x"}, {"sort": "name"}, {"workspace": "../x"}])
def test_what_cannot_be_meant_is_refused(here: Site, asked: dict[str, str]) -> None:
    answer = here.client.get("/v1/sessions", params=asked)

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_INPUT")


def test_a_bound_server_lists_its_own_workspace_and_no_other(world: World) -> None:
    three_scopes(world)
    world.ok("todo_write", items=["Mow"], session="garden", workspace="other/one")
    with site(world, bound=WORKSPACE) as here:
        listed = names(got(here, "/v1/sessions"))
        others = [
            here.client.get(path, params={"workspace": "other/one"})
            for path in ("/v1/sessions", "/v1/sessions/garden")
        ]
        elsewhere = here.client.get("/v1/sessions/garden")

    assert listed == [WORKSPACE, "errands", "TASK-002", "TASK-001"]
    assert {(one.status_code, one.json()["code"]) for one in others} == {(403, "WORKSPACE_MISMATCH")}
    assert elsewhere.status_code == 404


@pytest.mark.parametrize("path", ["/health", "/v1/sessions", "/v1/sessions/errands"])
def test_a_server_with_a_token_tells_nobody_without_it(world: World, path: str) -> None:
    three_scopes(world)
    with site(world, token="let me in") as here:  # noqa: S106 - a test's own
        without = here.client.get(path, headers={"Authorization": ""}).status_code
        with_it = here.client.get(path, headers={"Authorization": "Bearer let me in"}).status_code

    assert (without, with_it) == (401, 200)
