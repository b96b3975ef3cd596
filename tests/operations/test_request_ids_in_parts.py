"""Request ids of calls in several parts, such as checks and batches, and of calls that are sent twice at once."""

import json
import threading
from typing import Any

import pytest

from tests.givens import World
from tests.operations.calls import STEP
from tests.operations.test_checks import CRITERIA, checked
from tests.operations.test_request_ids import NOTE, remembered, seq


def test_two_senders_in_one_process_get_one_application_and_equal_answers(one_world: World) -> None:
    one_world.task("first")
    texts: list[str] = []
    start = threading.Barrier(4)

    def send() -> None:
        start.wait()
        texts.append(one_world.ask("tasks_note", **NOTE, request_id="mine").text)

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(texts) == 4
    assert len(set(texts)) == 1
    assert [event["type"] for event in one_world.ok("tasks_delta", since=2)["events"]] == ["step_noted"]


@pytest.mark.parametrize(
    ("tool", "more"), [("tasks_check", {}), ("tasks_close_step", {"run_checks": True, "checkpoints": CRITERIA})]
)
def test_a_check_that_is_sent_twice_at_once_runs_once(one_world: World, tool: str, more: dict[str, Any]) -> None:
    task = checked(one_world, "true")
    texts: list[str] = []
    second = threading.Thread(target=lambda: texts.append(send()))
    ran_twice = threading.Event()

    def send() -> str:
        return one_world.ask(tool, task=task, path="s:0", **more, request_id="mine").text

    def meanwhile() -> None:
        one_world.checks.meanwhile = ran_twice.set
        second.start()
        ran_twice.wait(0.5)

    one_world.checks.meanwhile = meanwhile
    texts.append(send())
    second.join()

    assert not ran_twice.is_set()
    assert texts[0] == texts[1]
    assert "error" not in json.loads(texts[0])
    assert one_world.checks.ran == [("true",)]


def test_a_close_with_checks_is_answered_the_same_with_what_they_gave(world: World) -> None:
    task = checked(world, "true")
    close = {"task": task, "path": "s:0", "run_checks": True, "checkpoints": CRITERIA, "request_id": "close"}

    first = world.ask("tasks_close_step", **close)
    again = world.ask("tasks_close_step", **close)

    reply = json.loads(first.text)
    assert reply["events"][0]["type"] == "evidence_captured"
    assert reply["checks"][0]["passed"]
    assert again.text == first.text
    assert world.checks.ran == [("true",)]


def noted(*notes: str) -> list[dict[str, Any]]:
    return [{"tool": "tasks_note", "arguments": {**STEP, "note": note}} for note in notes]


@pytest.mark.parametrize("atomic", [True, False])
def test_a_call_of_a_batch_has_no_id_of_its_own(world: World, atomic: bool) -> None:
    world.task("first")
    calls = [{"tool": "tasks_note", "arguments": {**NOTE, "request_id": "inner"}}]

    answered = world.ask("tasks_batch", operations=calls, atomic=atomic)

    found = json.loads(answered.text)
    error = found["error"]["error"] if atomic else found["results"][0]["error"]
    assert error["code"] == "INVALID_INPUT"
    assert "belongs to the batch" in error["message"]
    assert seq(world) == 2


def test_a_batch_that_broke_off_goes_on_and_applies_nothing_twice(world: World) -> None:
    task = checked(world, "true")
    calls = [*noted("one"), {"tool": "tasks_check", "arguments": {"task": task, "path": "s:0"}}, *noted("two")]
    asked = {"operations": calls, "atomic": False, "request_id": "batch"}
    world.checks.meanwhile = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        world.ask("tasks_batch", **asked)
    world.checks.meanwhile = int

    first = world.ask("tasks_batch", **asked)
    again = world.ask("tasks_batch", **asked)

    types = [event["type"] for event in world.ok("tasks_delta", since=2)["events"]]
    assert types == ["step_noted", "evidence_captured", "step_verified", "step_noted"]
    assert first.refusal is None
    assert again.text == first.text


def test_the_refused_calls_of_a_batch_are_tried_again_and_the_others_keep_their_answers(world: World) -> None:
    task = world.task("first")
    close = {"task": task, "path": "s:0", "checkpoints": {"criteria": {"confirmed": True}}}
    calls = [*noted("one"), {"tool": "tasks_close_step", "arguments": close}]
    asked = {"operations": calls, "atomic": False, "request_id": "batch"}
    first = world.ok("tasks_batch", **asked)
    assert first["results"][1]["error"]["code"] == "CHECKPOINTS_NOT_CONFIRMED"
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"tests": {"confirmed": True}})

    second = world.ask("tasks_batch", **asked)
    third = world.ask("tasks_batch", **asked)

    results = json.loads(second.text)["results"]
    assert results[0] == first["results"][0]
    assert results[1]["events"]
    assert third.text == second.text


def test_a_refused_batch_is_not_remembered(world: World) -> None:
    world.task("first")
    calls = [*noted("one"), {"tool": "tasks_note", "arguments": {"task": "TASK-404", "note": "x"}}]

    answered = world.ask("tasks_batch", operations=calls, request_id="batch")

    assert answered.refusal is not None
    assert remembered(world, "batch") is None
