"""`Idempotency-Key`: a request id as HTTP clients send it."""

import pytest

from gatepost.surfaces.http.openapi import document
from tests.http.givens import Site

NOTE = {"task": "TASK-001", "note": "On it."}


@pytest.mark.parametrize("again", [{"Idempotency-Key": "key-1"}, {"idempotency-key": '"key-1"'}, None])
def test_a_call_with_a_known_key_is_answered_the_same_however_the_key_is_sent(
    here: Site, again: dict[str, str] | None
) -> None:
    here.world.task()
    first = here.call("tasks_note", {"Idempotency-Key": "key-1"}, **NOTE)

    more = {"request_id": "key-1"} if again is None else {}
    second = here.call("tasks_note", again, **NOTE, **more)

    assert (first.status_code, second.status_code) == (200, 200)
    assert second.content == first.content
    assert len(here.world.ok("tasks_delta")["events"]) == 2


def test_a_known_key_with_other_arguments_is_refused(here: Site) -> None:
    here.world.task()
    here.call("tasks_note", {"Idempotency-Key": "key-1"}, **NOTE)

    refused = here.call("tasks_note", {"Idempotency-Key": "key-1"}, task="TASK-001", note="Off it.")

    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_INPUT")
    assert "new request_id" in refused.json()["recovery"]


@pytest.mark.parametrize("key", ["", "two words", "a/b", "x" * 129])
def test_a_key_of_another_form_is_refused_and_named(here: Site, key: str) -> None:
    here.world.task()

    refused = here.call("tasks_note", {"Idempotency-Key": key}, **NOTE)

    assert refused.status_code == 400
    assert refused.json()["message"].startswith("`Idempotency-Key` must be 1 to 128 letters")
    assert len(here.world.ok("tasks_delta")["events"]) == 1


def test_a_key_and_a_request_id_must_be_the_same(here: Site) -> None:
    here.world.task()

    refused = here.call("tasks_note", {"Idempotency-Key": "one"}, **NOTE, request_id="two")
    same = here.call("tasks_note", {"Idempotency-Key": "one"}, **NOTE, request_id="one")

    assert (refused.status_code, refused.json()["recovery"]) == (400, "Send only one of them.")
    assert same.status_code == 200


def test_a_read_goes_without_a_key(here: Site) -> None:
    here.world.task("first")
    before = here.call("tasks_radar", {"Idempotency-Key": "key-1"}).json()
    here.world.close("TASK-001", "s:0")

    after = here.call("tasks_radar", {"Idempotency-Key": "key-1"}).json()

    assert before["now"]["path"] == "s:0"
    assert after != before
    assert here.call("no_such_tool", {"Idempotency-Key": "key-1"}).status_code == 404


def test_a_rehearsal_with_a_key_is_not_remembered(here: Site) -> None:
    here.world.task()
    given = {"workspace": "acme/repo", **NOTE}
    here.client.post("/v1/operations/tasks_note?rehearse=1", json=given, headers={"Idempotency-Key": "key-1"})

    other = here.call("tasks_note", {"Idempotency-Key": "key-1"}, task="TASK-001", note="Off it.")

    assert other.status_code == 200


def test_the_document_names_the_key_for_writes_alone() -> None:
    paths = document()["paths"]
    keyed = {
        path.rpartition("/")[2]
        for path, found in paths.items()
        if any(one["name"] == "Idempotency-Key" for one in found.get("post", {}).get("parameters", ()))
    }

    assert {"tasks_note", "tasks_batch", "todo_write"} <= keyed
    assert not {"tasks_radar", "tasks_context", "todo_read"} & keyed
