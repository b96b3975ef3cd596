"""Whatever comes in, a well-formed answer or silence goes out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.messages import Peer, RpcError, RpcReply, UnknownName, read, refusal
from gatepost.surfaces.mcp.protocol import McpDispatcher
from tests.conformance.fixtures import FixtureTools

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "modern client", "version": "1"},
}


class Echo:
    name = "echo server"
    version = "9.9"
    instructions = "Echo."

    def tools(self) -> list[dict[str, object]]:
        return [{"name": "echo", "inputSchema": {"type": "object"}}]

    def call(self, name: str, arguments: dict[str, object], caller: str | None) -> CallToolResult:
        if name != "echo":
            raise UnknownName(name)
        return CallToolResult(
            json.dumps({"arguments": arguments, "caller": caller}, ensure_ascii=False), structured=True
        )


def ask_raw(line: bytes, version: str | None = "2025-11-25") -> Any:
    """The reply, after the official types have judged its envelope; None for silence."""
    try:
        reply = McpDispatcher(Echo()).answer(read(line), Peer("c", version))
    except RpcError as error:
        reply = refusal(error)
    if reply is None:
        return None
    assert isinstance(reply, RpcReply)
    assert b"\n" not in reply.body
    decoded = json.loads(reply.body)
    for single in decoded if isinstance(decoded, list) else [decoded]:
        jsonrpc_message_adapter.validate_python(single)
    return decoded


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":NaN}}', 7),
        (b'{"jsonrpc":"2.0","id":"a\\"b","method":"ping"', 'a"b'),
        (b'{"jsonrpc":"2.0","params":{"id":3},"id":8,"method":oops}', 8),
        (b'{"method":"ping","params":' + b"[" * 200_000 + b'],"id":9}', 9),
        (b'{"id":0,"text":"\xff"}', 0),
        (b'{"params":{"id":3,', None),
        (b'{"text":"\\"id\\":5', None),
        (b'[{"id":5}', None),
        (b'{"id":' + b"9" * 5000 + b',"method":"ping"}', None),
        (b'{"id":1.5,"x":NaN}', None),
        (b'"id":5}', None),
        (b'{"x":{"id":5}}}', None),
    ],
)
def test_a_message_that_cannot_be_read_is_answered_with_its_id_where_it_can_be_found(
    line: bytes, found: str | int | None
) -> None:
    with pytest.raises(RpcError) as unread:
        read(line)

    assert unread.value.id == found


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe{}", -32700),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}', -32700),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700),
        (b"[" * 200_000, -32700),
        (b'{"a":' * 200_000, -32700),
        (b"42", -32600),
        (b'"ping"', -32600),
        (b"null", -32600),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":null}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["echo"]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":"a"}}', -32602),
        (rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}', -32602),
        (rb'{"jsonrpc":"2.0","id":"\uDC00","method":"ping"}', -32602),
    ],
)
def test_a_malformed_message_is_answered_with_its_error_code(line: bytes, code: int) -> None:
    assert ask_raw(line)["error"]["code"] == code


def test_a_refused_half_pair_keeps_the_requests_id_so_that_nobody_waits() -> None:
    line = rb'{"jsonrpc":"2.0","id":"x7","method":"tools/call","params":{"arguments":{"\udfff":1}}}'

    assert ask_raw(line)["id"] == "x7"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("2.0"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
METHOD_NAMES = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "server/discover",
    "notifications/cancelled",
]
METAS = st.dictionaries(st.sampled_from(sorted(ENVELOPE)), JSON | st.just(MODERN)) | st.just(ENVELOPE) | JSON
PARAMS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "_meta": METAS,
        "name": st.just("echo") | JSON,
        "arguments": JSON,
        "cursor": JSON,
        "protocolVersion": st.sampled_from(HANDSHAKE_PROTOCOL_VERSIONS) | JSON,
        "clientInfo": JSON,
    },
)
ENVELOPES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | st.text() | JSON,
        "method": st.sampled_from(METHOD_NAMES) | JSON,
        "params": PARAMS,
        "result": JSON,
    },
)


@settings(max_examples=300, deadline=None, database=None)
@given(
    message=ENVELOPES | JSON | st.lists(ENVELOPES, max_size=3),
    version=st.sampled_from([None, *HANDSHAKE_PROTOCOL_VERSIONS]),
)
def test_any_json_gets_a_valid_reply_or_silence_and_never_a_fault(message: object, version: str | None) -> None:
    reply = ask_raw(json.dumps(message).encode(), version)

    for single in reply if isinstance(reply, list) else [reply] if reply else []:
        assert single.get("error", {}).get("code") != -32603


MORE_METHODS = [
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "subscriptions/listen",
    "logging/setLevel",
    "tools/call",
]
NAMED = st.sampled_from(["test_simple_prompt", "test_input_required_result_prompt", "test_simple_text"]) | JSON
REFS = st.fixed_dictionaries({}, optional={"type": st.just("ref/prompt") | JSON, "name": NAMED, "uri": JSON}) | JSON
MORE_PARAMS = st.fixed_dictionaries(
    {"_meta": st.just(ENVELOPE) | st.just({})},
    optional={
        "name": NAMED,
        "arguments": JSON,
        "ref": REFS,
        "argument": st.fixed_dictionaries({}, optional={"name": st.text() | JSON, "value": st.text() | JSON})
        | JSON,
        "context": JSON | st.fixed_dictionaries({"arguments": JSON}),
        "uri": st.just("test://static-text") | JSON,
        "notifications": st.fixed_dictionaries({"resourceSubscriptions": JSON}) | JSON,
        "inputResponses": JSON,
        "requestState": JSON,
        "level": st.just("info") | JSON,
    },
)


@settings(max_examples=300, deadline=None, database=None)
@given(method=st.sampled_from(MORE_METHODS), params=MORE_PARAMS)
def test_whatever_is_asked_of_prompts_resources_and_the_like_is_never_a_fault(method: str, params: object) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    try:
        outcome = McpDispatcher(FixtureTools(), listens=True).answer(read(line), Peer("c", "2025-11-25"))
    except RpcError as error:
        outcome = refusal(error)

    assert outcome is not None
    if isinstance(outcome, RpcReply):
        jsonrpc_message_adapter.validate_json(outcome.body)
        assert outcome.code != -32603


@settings(max_examples=200, deadline=None, database=None)
@given(line=st.binary(max_size=200))
def test_any_bytes_get_an_error_or_silence(line: bytes) -> None:
    reply = ask_raw(line)

    assert reply is None or reply["error"]["code"] in {-32700, -32600}
