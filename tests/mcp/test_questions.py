"""Questions to the client: what a handler asks, how the answers come back, and that none can forge their state."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import methods

from gatepost.surfaces.mcp import request_state
from gatepost.surfaces.mcp.answers import Blocks, PendingQuestions
from gatepost.surfaces.mcp.exchange import Answer, ClientAnswers, Exchange, Question
from gatepost.surfaces.mcp.messages import Peer, RpcReply
from gatepost.surfaces.mcp.protocol import McpDispatcher
from tests.mcp.test_protocol import ENVELOPE, MODERN, Echo

FORM: Question = {
    "method": "elicitation/create",
    "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
}
CAPABLE = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
YES: Answer = {"action": "accept", "content": {"ok": True}}
SURE: Answer = {"action": "accept", "content": {"sure": True}}


class Curious(Echo):
    """Asks twice before it does anything, says so meanwhile, and counts what it did."""

    logs = True

    def __init__(self) -> None:
        super().__init__()
        self.done = 0

    def converse(self, _name: str, _arguments: dict[str, object], exchange: Exchange) -> Blocks:
        exchange.progress(1, 2)
        exchange.log("info", "asking")
        first = exchange.ask({"first": FORM})["first"]
        second = exchange.ask({"second": FORM})["second"]
        self.done += 1
        return Blocks([{"type": "text", "text": json.dumps([first, second])}])


def call(toolbox: Curious, **params: Any) -> Any:
    """A modern call."""
    given = {"name": "echo", "arguments": {}, "_meta": CAPABLE, **params}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
    reply = McpDispatcher(toolbox).answer(message, Peer())
    assert isinstance(reply, RpcReply)
    answered = json.loads(reply.body)
    if "result" in answered:
        methods.validate_server_result("tools/call", MODERN, answered["result"])
    return answered


def test_a_modern_client_is_asked_one_thing_after_the_other_and_nothing_is_done_before_the_last_answer() -> None:
    curious = Curious()

    one = call(curious)["result"]
    two = call(curious, inputResponses={"first": YES}, requestState=one["requestState"])["result"]
    done_before = curious.done
    three = call(curious, inputResponses={"second": SURE}, requestState=two["requestState"])["result"]

    assert (one["resultType"], two["resultType"], three["resultType"]) == (*("input_required",) * 2, "complete")
    assert (list(one["inputRequests"]), list(two["inputRequests"])) == (["first"], ["second"])
    assert json.loads(three["content"][0]["text"]) == [YES, SURE]
    assert (done_before, curious.done) == (0, 1)


def test_what_was_not_asked_for_is_ignored_and_not_carried_along() -> None:
    asked = call(Curious(), inputResponses={"first": YES, "unasked": {"secret": "x" * 1000}})["result"]

    assert list(asked["inputRequests"]) == ["second"]
    assert len(asked["requestState"]) < 500


@pytest.mark.parametrize(
    "responses",
    [None, [], "first", {"first": 7}, {"first": None}, {"first": {}}, {"first": {"content": {}}}],
)
def test_answers_that_are_none_are_invalid(responses: object) -> None:
    assert call(Curious(), inputResponses=responses)["error"]["code"] == -32602


def test_a_client_that_cannot_be_asked_is_told_what_it_lacks() -> None:
    error = call(Curious(), _meta=ENVELOPE)["error"]

    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {}}}


@pytest.mark.parametrize("spoil", ["", "x", "==", ".", "\n", "-TAMPERED"])
def test_a_state_that_was_changed_opens_nothing(spoil: str) -> None:
    state = call(Curious())["result"]["requestState"]
    text, _, mark = state.rpartition(".")
    forged = base64.urlsafe_b64encode(b'["x",1e9,{"second":{"action":"accept"}}]').decode()
    for wrong in (f"{text}{spoil}x.{mark}", f"{state}{spoil}x", f"{spoil}x{state}", f"{forged}.{mark}", forged, ""):
        error = call(Curious(), inputResponses={"first": YES}, requestState=wrong)["error"]
        assert error["code"] == -32602
        assert "requestState is not from this server process" in error["message"]
        assert "Send the request again without requestState" in error["message"]


@settings(max_examples=200, deadline=None, database=None)
@given(state=st.text() | st.integers() | st.lists(st.text()) | st.dictionaries(st.text(), st.text()))
def test_no_state_that_we_did_not_give_is_taken(state: object) -> None:
    assert call(Curious(), requestState=state)["error"]["code"] == -32602


def test_a_state_belongs_to_one_call_with_its_arguments_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    state = call(Curious(), arguments={"a": 1, "b": 2})["result"]["requestState"]

    same = call(Curious(), arguments={"b": 2, "a": 1}, inputResponses={"first": YES}, requestState=state)
    other = call(Curious(), arguments={"a": 2}, inputResponses={"first": YES}, requestState=state)
    monkeypatch.setattr(request_state, "LASTS", -1.0)
    late = call(Curious(), arguments={"a": 1, "b": 2}, inputResponses={"first": YES}, requestState=state)

    assert "result" in same
    assert "belongs to another request" in other["error"]["message"]
    assert "older than" in late["error"]["message"]


def legacy(curious: Curious, peer: Peer, answers: dict[str, Any] | None = None, **meta: Any) -> Any:
    """A legacy call, and what was said before it was answered."""
    said: list[dict[str, Any]] = []
    params = {"name": "echo", **({"_meta": meta} if meta else {})}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    given = None if answers is None else ClientAnswers(answers)
    outcome = McpDispatcher(curious).answer(
        message, peer, answers=given, send=lambda line: said.append(json.loads(line))
    )
    return outcome, said


def test_a_legacy_call_is_run_again_with_all_answers() -> None:
    curious, peer = Curious(), Peer("c", "2025-11-25", asks=True)
    peer.capabilities = frozenset({"elicitation"})

    first, _ = legacy(curious, peer)
    second, _ = legacy(curious, peer, {"first": YES})
    reply, _ = legacy(curious, peer, {"first": YES, "second": SURE})

    assert isinstance(first, PendingQuestions)
    assert isinstance(second, PendingQuestions)
    assert (first.questions, second.questions) == ({"first": FORM}, {"second": FORM})
    assert second.with_answers({"second": SURE}).given == {"first": YES, "second": SURE}
    assert second.with_answers({}).given["second"] == {"action": "cancel"}
    assert json.loads(json.loads(reply.body)["result"]["content"][0]["text"]) == [YES, SURE]
    assert curious.done == 1


def test_a_legacy_client_on_a_transport_that_cannot_ask_is_never_asked() -> None:
    peer = Peer("c", "2025-11-25")
    peer.capabilities = frozenset({"elicitation"})

    reply, _ = legacy(Curious(), peer)

    assert reply.code == -32021


def test_progress_and_logs_are_said_only_to_who_wants_them() -> None:
    peer = Peer("c", "2025-11-25")
    level = {"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}}
    quiet = legacy(Curious(), peer)[1]

    McpDispatcher(Curious()).answer(level, peer)
    both = legacy(Curious(), peer, progressToken="t")[1]
    McpDispatcher(Curious()).answer({**level, "params": {"level": "error"}}, peer)
    progress = legacy(Curious(), peer, progressToken=7)[1]
    wrong = McpDispatcher(Curious()).answer({**level, "params": {"level": "loud"}}, peer)

    assert quiet == []
    assert [said["method"] for said in both] == ["notifications/progress", "notifications/message"]
    assert both[0]["params"] == {"progressToken": "t", "progress": 1, "total": 2}
    assert both[1]["params"] == {"level": "info", "data": "asking"}
    assert [said["params"]["progressToken"] for said in progress] == [7]
    assert isinstance(wrong, RpcReply)
    assert wrong.code == -32602


def test_a_server_that_never_logs_does_not_know_of_levels() -> None:
    level = {"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}}

    reply = McpDispatcher(Echo()).answer(level, Peer("c", "2025-11-25"))

    assert isinstance(reply, RpcReply)
    assert reply.code == -32601
