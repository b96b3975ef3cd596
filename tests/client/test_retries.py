"""A client of a server whose answers are lost: every write is applied exactly once."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

import gatepost
from gatepost.client import retries
from gatepost.client.remote import RemoteClient
from tests.client.givens import remote
from tests.client.lossy_proxy import LossyProxy, lossy_proxy
from tests.givens import CONFIRMED, WORKSPACE, World
from tests.http.givens import site

LOSSES = ("drop", "reset", "half", "502", "503", "504")
NOTE = {"workspace": WORKSPACE, "task": "TASK-001", "note": "On it."}


@pytest.fixture
def proxy(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[LossyProxy]:
    """A proxy before a server with a task of two steps. Nobody waits between two attempts."""
    monkeypatch.setattr(retries, "PAUSES", (0.0, 0.0, 0.0))
    world.task("first", "second")
    with site(world) as here, lossy_proxy(here.url) as lossy:
        yield lossy


def types(world: World) -> list[str]:
    return [event["type"] for event in world.ok("tasks_delta", since=2, limit=200)["events"]]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_write_whose_answer_is_lost_is_applied_once_and_answered(
    world: World, proxy: LossyProxy, loss: str
) -> None:
    proxy.lose(loss, loss, loss)

    reply = remote(proxy.url).text("tasks_note", NOTE)

    assert len(types(world)) == 1
    assert proxy.answers == [reply.encode()] * 4
    assert len(set(proxy.keys)) == 1
    assert proxy.keys[0] is not None


def test_an_answer_that_comes_too_late_is_asked_for_again(world: World, proxy: LossyProxy) -> None:
    proxy.lose("late")

    reply = RemoteClient(proxy.url, timeout=1.0).text("tasks_note", NOTE)

    assert proxy.answers == [reply.encode()] * 2
    assert len(types(world)) == 1


def test_every_kind_of_call_survives_a_connection_that_loses_half_of_all_answers(
    world: World, proxy: LossyProxy
) -> None:
    chance = random.Random(7)
    client = remote(proxy.url)

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        proxy.lose(*chance.choices([*LOSSES, "busy"], k=chance.randrange(4)))
        return client.call(tool, workspace=WORKSPACE, **arguments)

    tasks = [call("tasks_create", kind="task", title=f"Task {n}", steps=[{"title": "x"}])["id"] for n in range(10)]
    for task in tasks:
        call("tasks_note", task=task, path="s:0", note="Half way.")
        call("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    note = {"tool": "tasks_note", "arguments": {"task": tasks[0], "note": "All done."}}
    call("tasks_batch", operations=[note, note])
    call("tasks_batch", operations=[note, note], atomic=False)
    call("tasks_undo", task=tasks[1])

    assert len(proxy.answers) > 34, "nothing was lost"
    assert tasks == [f"TASK-{n:03d}" for n in range(2, 12)]
    log = world.ok("tasks_delta", since=2, limit=200)["events"]
    assert sum(event["type"] == "task_created" for event in log) == 10
    assert sum(event["type"] == "step_done" for event in log) == 10
    assert sum(event["type"] == "operation_undone" for event in log) == 1
    assert sum(event.get("note") == "Half way." for event in log) == 10
    assert sum(event.get("note") == "All done." for event in log) == 4


def test_a_write_whose_answers_are_all_lost_says_how_to_send_it_again(world: World, proxy: LossyProxy) -> None:
    client = remote(proxy.url)
    proxy.lose(*["drop"] * 4)

    with pytest.raises(gatepost.Refusal) as no:
        client.call("tasks_note", **NOTE)
    key = no.value.details["request_id"]
    again = client.text("tasks_note", {**NOTE, "request_id": key})

    assert no.value.code == "STORE_UNREACHABLE"
    assert f"request_id {key}" in no.value.recovery
    assert proxy.answers == [again.encode()] * 5
    assert len(types(world)) == 1


def test_an_id_that_the_caller_chose_is_kept_for_every_attempt(world: World, proxy: LossyProxy) -> None:
    proxy.lose("drop", "502")

    remote(proxy.url).call("tasks_note", **NOTE, request_id="mine")

    assert proxy.keys == [None] * 3
    with world.store.reading(WORKSPACE) as snapshot:
        assert snapshot.request("mine") is not None
    assert len(types(world)) == 1


def test_two_calls_that_are_alike_are_two_calls(world: World, proxy: LossyProxy) -> None:
    client = remote(proxy.url)

    client.call("tasks_note", **NOTE)
    client.call("tasks_note", **NOTE)

    assert len(types(world)) == 2
    assert len(set(proxy.keys)) == 2


def test_a_busy_server_is_asked_again_and_a_full_disk_is_not(world: World, proxy: LossyProxy) -> None:
    client = remote(proxy.url)
    proxy.lose("busy", "busy", "full")

    with pytest.raises(gatepost.Refusal) as no:
        client.call("tasks_note", **NOTE)

    assert no.value.code == "STORE_FULL"
    assert (len(proxy.keys), types(world)) == (3, [])


def test_a_server_that_stays_busy_is_not_asked_for_ever(proxy: LossyProxy) -> None:
    proxy.lose(*["busy"] * 9)

    with pytest.raises(gatepost.Refusal) as no:
        remote(proxy.url).call("tasks_note", **NOTE)

    assert no.value.code == "BUSY"
    assert len(proxy.keys) == 4


def test_a_read_and_a_rehearsal_are_sent_once(world: World, proxy: LossyProxy) -> None:
    client = remote(proxy.url)
    proxy.lose("drop", "drop")

    with pytest.raises(gatepost.Refusal) as read:
        client.call("tasks_radar", workspace=WORKSPACE)
    with pytest.raises(gatepost.Refusal):
        client.rehearse("tasks_note", NOTE)

    assert len(proxy.answers) == 2
    assert "request_id" not in read.value.details
    assert types(world) == []


def test_a_refusal_is_no_lost_answer(proxy: LossyProxy) -> None:
    with pytest.raises(gatepost.Refusal) as no:
        remote(proxy.url).call("tasks_note", **{**NOTE, "task": "TASK-404"})

    assert no.value.code == "UNKNOWN_ID"
    assert len(proxy.answers) == 1


def test_a_server_that_is_not_there_is_asked_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with site(world) as here:
        url = here.url
    monkeypatch.setattr("time.sleep", lambda _: pytest.fail("it was asked again"))

    with pytest.raises(gatepost.Refusal) as no:
        remote(url).call("tasks_note", **NOTE)

    assert "gatepost up" in no.value.recovery


def test_typed_methods_are_sent_again_too_and_take_an_id(world: World, proxy: LossyProxy) -> None:
    with gatepost.connect(proxy.url) as gp:
        proxy.lose("drop")
        gp.workspace(WORKSPACE).tasks.note(task="TASK-001", note="One.")
        again = gp.workspace(WORKSPACE).tasks.note(task="TASK-001", note="Two.", request_id="two")
        assert gp.workspace(WORKSPACE).tasks.note(task="TASK-001", note="Two.", request_id="two") == again

    assert len(types(world)) == 2
