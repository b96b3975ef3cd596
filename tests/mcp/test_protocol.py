from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_types import UnsupportedProtocolVersionErrorData, jsonrpc_message_adapter, methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from gatepost.surfaces.mcp import messages, protocol
from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.messages import Peer, RpcError, RpcReply, UnknownName, read, refusal
from gatepost.surfaces.mcp.protocol import McpDispatcher

MODERN = "2026-07-28"
TOOL: dict[str, object] = {"name": "echo", "description": "Echo.", "inputSchema": {"type": "object"}}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "modern client", "version": "1"},
}


class Echo:
    """Answers with its own arguments unless a test gives it something else to do."""

    name = "echo server"
    version = "9.9"
    instructions = "Echo."

    def __init__(self, reply: Callable[[], CallToolResult] | None = None) -> None:
        self._reply = reply

    def tools(self) -> list[dict[str, object]]:
        return [TOOL]

    def call(self, name: str, arguments: dict[str, object], caller: str | None) -> CallToolResult:
        if name != "echo":
            raise UnknownName(name)
        if self._reply is not None:
            return self._reply()
        return CallToolResult(
            json.dumps({"arguments": arguments, "caller": caller}, ensure_ascii=False), structured=True
        )


def ask(message: object, peer: Peer | None = None, toolbox: Echo | None = None) -> Any:
    return ask_raw(json.dumps(message).encode(), peer, toolbox)


def ask_raw(line: bytes, peer: Peer | None = None, toolbox: Echo | None = None) -> Any:
    """The reply as the official types read it, which have judged its envelope; None for silence."""
    dispatcher = McpDispatcher(toolbox or Echo())
    try:
        reply = dispatcher.answer(read(line), peer or Peer("legacy client", "2025-11-25"))
    except RpcError as error:
        reply = refusal(error)
    if reply is None:
        return None
    assert isinstance(reply, RpcReply)
    assert b"\n" not in reply.body
    if not reply.body.startswith(b"["):
        jsonrpc_message_adapter.validate_json(reply.body)
    return json.loads(reply.body)


def request(method: object, request_id: object = 1, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def modern(method: str, **params: object) -> dict[str, object]:
    return request(method, **params, _meta=ENVELOPE)


def initialize(version: object) -> dict[str, object]:
    client = {"name": "c", "version": "1"}
    return request("initialize", protocolVersion=version, capabilities={}, clientInfo=client)


def test_the_versions_served_are_those_the_official_types_know() -> None:
    assert messages.LEGACY_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert messages.MODERN_VERSIONS == MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_a_known_legacy_version_is_agreed_to_and_its_results_are_valid(version: str) -> None:
    peer = Peer()

    greeting = ask(initialize(version), peer)["result"]
    pong = ask(request("ping"), peer)["result"]
    listed = ask(request("tools/list"), peer)["result"]
    called = ask(request("tools/call", name="echo", arguments={"a": 1}), peer)["result"]

    assert greeting["protocolVersion"] == version
    assert greeting["serverInfo"] == {"name": "echo server", "version": "9.9"}
    assert greeting["capabilities"] == {"tools": {}}
    assert pong == {}
    assert listed == {"tools": [TOOL]}
    assert called["structuredContent"] == {"arguments": {"a": 1}, "caller": "c"}
    assert "resultType" not in called
    methods.validate_server_result("initialize", version, greeting)
    methods.validate_server_result("tools/list", version, listed)
    methods.validate_server_result("tools/call", version, called)


@pytest.mark.parametrize("version", ["2026-07-28", "1999-01-01", ""])
def test_any_other_version_in_a_handshake_is_answered_with_the_latest_legacy_one(version: str) -> None:
    assert ask(initialize(version), Peer())["result"]["protocolVersion"] == "2025-11-25"


def test_a_handshake_is_legacy_even_in_a_modern_envelope() -> None:
    message = request("initialize", protocolVersion="2025-06-18", _meta=ENVELOPE)

    assert ask(message, Peer())["result"]["protocolVersion"] == "2025-06-18"


def test_of_what_a_client_says_of_itself_only_a_short_name_and_what_it_can_be_asked_for_is_kept() -> None:
    peer, long = Peer(), "x" * 1_000_000
    capabilities = {"elicitation": {long: long}, "experimental": {long: long}, long: {}}
    hello = request(
        "initialize", protocolVersion="2025-11-25", capabilities=capabilities, clientInfo={"name": f"c{long}"}
    )

    ask(hello, peer)

    assert peer.name == "c" + "x" * 79
    assert peer.capabilities == {"elicitation"}


@pytest.mark.parametrize("capabilities", [None, 7, ["elicitation"], {}])
def test_capabilities_that_are_none_are_no_capabilities(capabilities: object) -> None:
    peer = Peer()

    ask(request("initialize", protocolVersion="2025-11-25", capabilities=capabilities), peer)

    assert (peer.version, peer.name, peer.capabilities) == ("2025-11-25", None, frozenset())


@pytest.mark.parametrize("version", [None, 7, ["2025-11-25"]])
def test_a_handshake_without_a_version_is_refused_and_leaves_the_peer_ungreeted(version: object) -> None:
    peer = Peer()

    assert ask(initialize(version), peer)["error"]["code"] == -32602
    assert peer.version is None


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "tools/call"])
def test_a_modern_result_is_valid_stamped_and_needs_no_handshake(method: str) -> None:
    params: dict[str, object] = {"name": "echo"} if method == "tools/call" else {}

    result = ask(modern(method, **params), Peer())["result"]

    methods.validate_server_result(method, MODERN, result)
    assert result["resultType"] == "complete"
    stamp = {"name": "echo server", "version": "9.9"}
    assert result["_meta"] == {"io.modelcontextprotocol/serverInfo": stamp}
    assert (result.get("cacheScope") == "private") is (method in methods.CACHEABLE_METHODS)


def test_discovery_names_every_version_served() -> None:
    discovered = ask(modern("server/discover"))["result"]["supportedVersions"]

    assert sorted(discovered) == sorted([*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
    assert discovered[0] == MODERN


def test_one_peer_may_speak_both_eras_and_each_request_has_its_own_caller() -> None:
    peer = Peer("legacy client", "2025-06-18")

    new = ask(modern("tools/call", name="echo"), peer)["result"]["structuredContent"]
    old = ask(request("tools/call", name="echo"), peer)["result"]["structuredContent"]

    assert (new["caller"], old["caller"]) == ("modern client", "legacy client")


@pytest.mark.parametrize("info", [None, "x", {}, {"name": 5}])
def test_a_misshapen_client_info_only_costs_the_callers_name(info: object) -> None:
    meta = {**ENVELOPE, "io.modelcontextprotocol/clientInfo": info}

    called = ask(request("tools/call", name="echo", _meta=meta))["result"]

    assert called["structuredContent"]["caller"] is None


@pytest.mark.parametrize(
    ("key", "value"),
    [("protocolVersion", 7), ("clientCapabilities", ...), ("clientCapabilities", None)],
)
def test_an_incomplete_modern_envelope_is_invalid(key: str, value: object) -> None:
    meta: dict[str, object] = {**ENVELOPE, f"io.modelcontextprotocol/{key}": value}
    if value is ...:
        del meta[f"io.modelcontextprotocol/{key}"]

    error = ask(request("tools/list", _meta=meta))["error"]

    assert error["code"] == -32602
    assert f"io.modelcontextprotocol/{key}" in error["message"]


def test_an_unsupported_modern_version_is_refused_with_what_is_supported() -> None:
    meta = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}

    error = ask(request("server/discover", _meta=meta))["error"]

    data = UnsupportedProtocolVersionErrorData.model_validate(error["data"])
    assert error["code"] == -32022
    assert data.requested == "2031-01-01"
    assert MODERN in data.supported


def test_discovery_without_an_envelope_is_refused_naming_the_missing_keys() -> None:
    error = ask(request("server/discover"), Peer())["error"]

    assert error["code"] == -32602
    assert "io.modelcontextprotocol/protocolVersion" in error["message"]


@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
def test_tools_before_the_handshake_are_refused_and_ping_is_not(method: str) -> None:
    peer = Peer()

    assert ask(request(method, name="echo"), peer)["error"]["code"] == -32602
    assert ask(request("ping"), peer)["result"] == {}


@pytest.mark.parametrize(
    "message",
    [
        request("tasks/list"),
        request("resources/list"),
        request(""),
        modern("ping"),
        modern("subscriptions/listen"),
        modern("notifications/initialized"),
    ],
)
def test_an_unknown_method_is_not_found(message: dict[str, object]) -> None:
    assert ask(message)["error"]["code"] == -32601
    assert ask(message)["id"] == 1


@pytest.mark.parametrize("text", ["\u2028\u2029", "\U0001f600", "\u0000\x7f", "zażółć"])
def test_unicode_survives_the_round_trip_escaped_or_not(text: str) -> None:
    message = request("tools/call", name="echo", arguments={"text": text})

    for ascii_only in (True, False):
        line = json.dumps(message, ensure_ascii=ascii_only).encode()
        result = ask_raw(line)["result"]
        assert result["structuredContent"]["arguments"] == {"text": text}
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize("request_id", [0, -1, 10**30, "", "7", "ü"])
def test_a_request_id_comes_back_as_it_was(request_id: object) -> None:
    assert ask(request("ping", request_id))["id"] == request_id


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}},
        {"jsonrpc": "2.0", "method": "notifications/never/heard/of", "params": []},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo"}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}},
    ],
)
def test_notifications_and_responses_are_met_with_silence(message: dict[str, object]) -> None:
    assert ask(message) is None


def test_a_batch_is_served_only_to_the_one_revision_that_has_batches() -> None:
    quiet = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [request("ping", 1), quiet, request("nope", 2), 42, [request("ping", 3)]]

    replies = ask(batch, Peer("c", "2025-03-26"))
    refused = ask(batch, Peer("c", "2025-06-18"))

    assert [reply["id"] for reply in replies] == [1, 2, None, None]
    assert [reply.get("error", {}).get("code") for reply in replies] == [None, -32601, -32600, -32600]
    assert refused["error"]["code"] == -32600
    assert ask([quiet], Peer("c", "2025-03-26")) is None
    assert ask([], Peer("c", "2025-03-26"))["error"]["code"] == -32600


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}])
def test_absent_arguments_are_empty_arguments(arguments: dict[str, object]) -> None:
    result = ask(request("tools/call", name="echo", **arguments))["result"]

    assert result["structuredContent"]["arguments"] == {}


def test_a_refusal_is_a_result_marked_as_an_error_whose_text_is_its_content() -> None:
    text = '{"error":{"code":"STEP_DONE"}}'

    result = ask(
        request("tools/call", name="echo"),
        toolbox=Echo(lambda: CallToolResult(text, refused=True, structured=True)),
    )["result"]

    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": text}]
    assert result["structuredContent"] == json.loads(text)


def test_the_reply_is_spliced_in_without_being_encoded_again() -> None:
    text = '{"exact":1.50,"twice":1,"twice":2}'
    message = request("tools/call", name="echo")

    reply = McpDispatcher(Echo(lambda: CallToolResult(text, structured=True))).answer(
        message, Peer("c", "2025-11-25")
    )

    assert isinstance(reply, RpcReply)
    assert f'"structuredContent":{text}'.encode() in reply.body


def test_half_a_pair_in_an_answer_becomes_a_replacement_character() -> None:
    result = ask(
        request("tools/call", name="echo"),
        toolbox=Echo(lambda: CallToolResult('{"t":"a\ud83db"}', structured=True)),
    )

    assert result["result"]["structuredContent"] == {"t": "a\ufffdb"}


def test_an_unknown_tool_is_an_error_that_names_its_neighbour() -> None:
    error = ask(request("tools/call", name="ecco"))["error"]

    assert error["code"] == -32602
    assert "'ecco'" in error["message"]
    assert error["message"].endswith("the nearest are: echo: Echo.")


@pytest.mark.parametrize("bug", [KeyError("k"), IndexError("i"), ValueError("v"), SystemExit(3), RecursionError()])
def test_a_fault_shows_its_id_and_keeps_its_details_on_stderr(
    bug: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> CallToolResult:
        raise bug

    error = ask(request("tools/call", name="echo"), toolbox=Echo(fail))["error"]

    assert error["code"] == -32603
    assert error["message"].startswith("internal error")
    assert error["data"]["fault"] in error["message"]
    stderr = capsys.readouterr().err
    assert error["data"]["fault"] in stderr
    assert type(bug).__name__ in stderr
    assert "Traceback" in stderr


def test_a_transport_that_knows_the_era_may_say_so() -> None:
    dispatcher = McpDispatcher(Echo())

    reply = dispatcher.answer(request("tools/list"), Peer("c", "2025-11-25"), modern=True)

    assert isinstance(reply, RpcReply)
    assert reply.code == -32602


def test_the_import_adds_nothing_to_json_that_a_start_would_feel() -> None:
    heavy = ["typing", "dataclasses", "logging", "pathlib", "asyncio", "threading", "traceback", "inspect"]
    script = "import sys, gatepost.surfaces.mcp.stdio; print([m for m in sys.argv[1:] if m in sys.modules])"
    source = str(Path(protocol.__file__).parents[3])

    done = subprocess.run(
        [sys.executable, "-S", "-c", script, *heavy],
        env={"PYTHONPATH": source},
        capture_output=True,
        text=True,
    )

    assert (done.stdout.strip(), done.stderr) == ("[]", "")
