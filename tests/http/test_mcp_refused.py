"""MCP over HTTP where a message is not served: a model is told what it can do, a client which message it was."""

import json
from typing import Any

import httpx
import pytest

from gatepost.storage.sqlite import connection_pool
from gatepost.surfaces.http import bodies
from tests.givens import WORKSPACE
from tests.http.givens import Site
from tests.http.test_mcp import RADAR, modern, opened, post


def refusal_in(answered: httpx.Response) -> dict[str, Any]:
    """The refusal in a tool's result."""
    assert answered.status_code == 200, answered.text
    result = answered.json()["result"]
    assert (answered.json()["id"], result["isError"]) == (1, True)
    error: dict[str, Any] = json.loads(result["content"][0]["text"])["error"]
    return error


@pytest.mark.requirement("call.busy.typed")
def test_a_busy_server_tells_a_model_to_send_the_call_again(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = opened(here)
    monkeypatch.setattr(here.server.application.workers, "_most", 0)
    large = {"name": "tasks_radar", "arguments": {"workspace": WORKSPACE, "x": "x" * 70_000}}

    answers = [
        modern(here, "tools/call", RADAR),
        post(here, "tools/call", RADAR, mine),
        modern(here, "tools/call", RADAR, accept="application/json, text/event-stream"),
        modern(here, "tools/call", large),
        post(here, "tools/call", large, mine),
    ]

    for answered in answers:
        error = refusal_in(answered)
        assert (error["code"], error["retry_after_ms"]) == ("BUSY", 1_000)
        assert "Send the same call again" in error["recovery"]
    assert answers[0].json()["result"]["resultType"] == "complete"
    listed = modern(here, "tools/list", {}).json()
    assert (listed["id"], listed["error"]["data"]["code"]) == (1, "BUSY")


@pytest.mark.requirement("call.busy.typed")
def test_a_busy_store_tells_a_model_to_send_the_call_again(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    here.world.task("Form")
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)
    note = {"name": "tasks_note", "arguments": {"workspace": WORKSPACE, "task": "TASK-001", "note": "x"}}

    with here.world.store.writing(WORKSPACE):
        error = refusal_in(modern(here, "tools/call", note))

    assert error["code"] == "BUSY"
    assert error["retry_after_ms"]


def test_too_much_at_once_tells_a_model_to_send_the_call_again(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_IN_FLIGHT", 10)

    assert refusal_in(modern(here, "tools/call", RADAR))["code"] == "BUSY"


def test_a_message_that_cannot_be_read_is_answered_with_its_id(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":NaN}}'
    answered = here.client.post("/mcp", content=broken, headers={"content-type": "application/json"})
    assert (answered.status_code, answered.json()["id"], answered.json()["error"]["code"]) == (400, 7, -32700)

    monkeypatch.setattr(bodies, "LIMIT", 100)
    large = modern(here, "tools/call", RADAR)
    assert (large.status_code, large.json()["id"]) == (413, 1)
    assert large.json()["error"]["data"]["code"] == "TOO_LARGE"

    monkeypatch.setattr(bodies, "LIMIT", 1_000_000)
    monkeypatch.setattr(bodies, "MOST_BRACKETS", 3)
    nested = modern(here, "tools/call", RADAR)
    assert (nested.status_code, nested.json()["id"]) == (413, 1)
