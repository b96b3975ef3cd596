from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import Implementation, TextContent, jsonrpc_message_adapter, methods

from gatepost.surfaces.mcp import protocol, stdio
from tests.wire.credentials import EVERY

SERVER = str(Path(__file__).with_name("toolbox_server.py"))
# Nothing inherited but the path: PYTHONUNBUFFERED, say, would hide a print that is held back.
ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(protocol.__file__).parents[3])}
PATIENCE = 120
VERSION = "2025-11-25"
HELLO: dict[str, object] = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


class Transcript(NamedTuple):
    lines: list[bytes]
    replies: list[dict[str, Any]]
    stderr: str
    code: int


def call(name: str, request_id: object = 1, **arguments: object) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


def cancel(request_id: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}


def converse(folder: Path, *messages: dict[str, object] | bytes) -> Transcript:
    """What a server says to a whole input, which is a file: so it is all there before the first reply."""
    script = folder / "input"
    script.write_bytes(
        b"\n".join(m if isinstance(m, bytes) else json.dumps(m).encode() for m in (HELLO, *messages))
    )
    with script.open("rb") as source:
        done = subprocess.run(
            [sys.executable, SERVER],
            stdin=source,
            capture_output=True,
            env=ENVIRONMENT,
            timeout=PATIENCE,
        )
    lines = done.stdout.split(b"\n")
    assert lines.pop() == b""
    for line in lines:
        jsonrpc_message_adapter.validate_json(line)
    replies = [json.loads(line) for line in lines]
    assert replies.pop(0)["id"] == "hello"
    return Transcript(lines[1:], replies, done.stderr.decode(), done.returncode)


@contextmanager
def spawned(*options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server on pipes, ended at the latest when the test ends."""
    with subprocess.Popen(
        [sys.executable, SERVER, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def exchange(process: subprocess.Popen[bytes], message: dict[str, object]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    assert ready, "no reply in time"
    return json.loads(process.stdout.readline())


def with_client(folder: Path, mode: str, use: Callable[[Client], Awaitable[None]]) -> None:
    """Run `use` with the official SDK's client, connected to the fixture server in the given mode."""

    async def main() -> None:
        parameters = StdioServerParameters(command=sys.executable, args=[SERVER], env=ENVIRONMENT)
        with (folder / "stderr").open("w") as errlog, anyio.fail_after(PATIENCE):
            transport = stdio_client(parameters, errlog=errlog)
            info = Implementation(name="sdk client", version="2")
            async with Client(transport, mode=mode, client_info=info) as client:
                await use(client)

    anyio.run(main)


@pytest.mark.parametrize(
    ("mode", "version"),
    [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")],
)
def test_the_official_client_lists_calls_and_is_refused_in_either_era(
    tmp_path: Path, mode: str, version: str
) -> None:
    async def use(client: Client) -> None:
        listed = await client.list_tools()
        echoed = await client.call_tool("echo", {"text": "\u2028 \U0001f600"})
        refused = await client.call_tool("refuse", {})
        noisy = await client.call_tool("noisy", {})

        assert client.protocol_version == version
        assert [tool.name for tool in listed.tools][:2] == ["echo", "refuse"]
        assert echoed.structured_content == {
            "arguments": {"text": "\u2028 \U0001f600"},
            "caller": "sdk client",
        }
        assert isinstance(echoed.content[0], TextContent)
        assert json.loads(echoed.content[0].text) == echoed.structured_content
        assert (echoed.is_error, refused.is_error) == (False, True)
        assert noisy.structured_content == {"quiet": True}
        with pytest.raises(MCPError, match="unknown tool 'ekko'"):
            await client.call_tool("ekko", {})
        with pytest.raises(MCPError, match=r"unknown tool '\[redacted: GitHub token\]'"):
            await client.call_tool(EVERY["ghp"], {})
        with pytest.raises(MCPError, match="internal error"):
            await client.call_tool("broken", {})
        assert (await client.call_tool("echo", {})).is_error is False

    with_client(tmp_path, mode, use)


def test_every_tool_result_on_the_wire_is_valid(tmp_path: Path) -> None:
    talk = converse(tmp_path, *(call(name, name) for name in ("echo", "refuse", "half_pair", "pretty")))

    assert [reply["id"] for reply in talk.replies] == ["echo", "refuse", "half_pair", "pretty"]
    for reply in talk.replies:
        methods.validate_server_result("tools/call", VERSION, reply["result"])


def test_stray_output_of_a_tool_lands_on_stderr_at_once_and_never_in_the_protocol(tmp_path: Path) -> None:
    talk = converse(tmp_path, call("noisy"), call("echo", 2))

    assert [reply["id"] for reply in talk.replies] == [1, 2]
    assert talk.stderr.splitlines() == ["stray print", "stray write", "stray child", "stray original stdout"]


def test_a_tools_child_cannot_eat_the_messages_that_follow(tmp_path: Path) -> None:
    talk = converse(tmp_path, call("thirsty"), call("echo", 2))

    assert talk.replies[0]["result"]["structuredContent"] == {"drunk": ""}
    assert talk.replies[1]["id"] == 2


def test_faults_and_exits_of_tools_are_answered_and_the_next_call_is_served(tmp_path: Path) -> None:
    talk = converse(tmp_path, call("broken"), call("exits", 2), call("echo", 3))

    assert [reply.get("error", {}).get("code") for reply in talk.replies] == [-32603, -32603, None]
    assert talk.replies[0]["error"]["data"]["fault"] in talk.stderr
    assert "a bug, not an unknown tool" in talk.stderr
    assert "a bug" not in talk.replies[0]["error"]["message"]
    assert talk.code == 0


def test_a_line_beyond_the_limit_is_refused_and_one_within_it_served(tmp_path: Path) -> None:
    frame = len(json.dumps(call("echo", 1, text="")).encode())
    fits = call("echo", 1, text="x" * (stdio.LINE_LIMIT - frame))

    long = b'{"jsonrpc":"2.0","id":7,"method":"' + b"z" * (3 * stdio.LINE_LIMIT)
    talk = converse(tmp_path, b"y" * (stdio.LINE_LIMIT + 1), fits, long, call("echo", 2))

    assert [reply["id"] for reply in talk.replies] == [None, 1, 7, 2]
    assert [reply.get("error", {}).get("code") for reply in talk.replies] == [-32600, None, -32600, None]


def test_malformed_lines_are_answered_in_their_place_and_blank_ones_skipped(tmp_path: Path) -> None:
    bomb = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100_000

    talk = converse(tmp_path, b"{", b"", b" \r", bomb, b"\xff", b"[]", call("echo", 5))

    codes = [reply.get("error", {}).get("code") for reply in talk.replies]
    assert codes == [-32700, -32700, -32700, -32600, None]


def test_an_escaped_half_pair_is_refused_and_line_separators_pass(tmp_path: Path) -> None:
    half = rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"t":"\ud800"}}}'

    talk = converse(tmp_path, half, call("echo", 2, t="a\u2028b\u0085c"), call("half_pair", 3))

    assert (talk.replies[0]["id"], talk.replies[0]["error"]["code"]) == (1, -32602)
    assert talk.replies[1]["result"]["structuredContent"]["arguments"] == {"t": "a\u2028b\u0085c"}
    assert talk.replies[2]["result"]["structuredContent"] == {"text": "half \ufffd pair"}


def test_a_request_cancelled_before_it_starts_is_dropped_and_others_are_not(tmp_path: Path) -> None:
    cancel_two, cancel_hello, cancel_odd = (cancel(request_id) for request_id in (2, "hello", True))

    talk = converse(
        tmp_path, call("echo", 1), call("echo", 2), cancel_two, cancel_hello, cancel_odd, call("echo", 3)
    )

    assert [reply["id"] for reply in talk.replies] == [1, 3]


def test_an_id_that_still_waits_cannot_be_used_again_and_one_answered_can(tmp_path: Path) -> None:
    with spawned() as process:
        exchange(process, HELLO)
        again = [exchange(process, call("echo", 1)) for _ in range(2)]
    talk = converse(tmp_path, call("echo", 1, n=1), call("echo", 1, n=2), call("echo", 2))

    assert all("result" in reply for reply in again)
    assert [reply["id"] for reply in talk.replies] == [1, 1, 2]
    assert talk.replies[0]["result"]["structuredContent"]["arguments"] == {"n": 1}
    assert talk.replies[1]["error"]["code"] == -32600


def test_the_end_of_input_ends_the_server_after_a_last_line_without_its_end(tmp_path: Path) -> None:
    talk = converse(tmp_path, call("echo", 1))

    assert (len(talk.replies), talk.code, talk.stderr) == (1, 0, "")


def test_the_warm_up_runs_once_after_the_tools_were_listed(tmp_path: Path) -> None:
    listing: dict[str, object] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

    talk = converse(
        tmp_path, call("warmth", 1), listing, call("warmth", 3), {**listing, "id": 4}, call("warmth", 5)
    )

    warmed = [reply["result"]["structuredContent"]["warmed"] for reply in talk.replies[::2]]
    assert warmed == [0, 1, 1]


def test_the_warm_up_also_runs_when_nothing_follows_the_handshake() -> None:
    with spawned("--announce") as process:
        exchange(process, HELLO)

        assert process.stderr is not None
        announced, _, _ = select.select([process.stderr], [], [], PATIENCE)

        assert announced
        assert process.stderr.readline() == b"warm\n"
        assert exchange(process, call("warmth"))["result"]["structuredContent"] == {"warmed": 1}


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_without_a_traceback(stop: signal.Signals) -> None:
    with spawned() as process:
        exchange(process, HELLO)

        process.send_signal(stop)

        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_client_that_reads_no_more_ends_the_server_quietly() -> None:
    with spawned() as process:
        exchange(process, HELLO)
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None

        process.stdout.close()
        process.stdin.write(json.dumps(call("echo")).encode() + b"\n")
        process.stdin.flush()

        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""
