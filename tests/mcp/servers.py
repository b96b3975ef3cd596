"""A `gatepost mcp` on pipes, which a test can talk to, hang up on and kill."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.givens import WORKSPACE

PATIENCE = 120
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


class Server:
    """One server process and its client."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._requests = 0
        self._request("initialize", HELLO)

    def tools(self) -> list[str]:
        """The names of the tools that it lists."""
        return [tool["name"] for tool in self._request("tools/list", {})["result"]["tools"]]

    def ask(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Whatever a call is answered with."""
        called = self._request("tools/call", {"name": tool, "arguments": {"workspace": WORKSPACE, **arguments}})
        assert "result" in called, called
        assert "structuredContent" not in called["result"]
        (block,) = called["result"]["content"]
        answered: dict[str, Any] = json.loads(block["text"])
        return answered

    def ok(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of a call that must be accepted."""
        answered = self.ask(tool, **arguments)
        assert "error" not in answered, answered
        return answered

    def no(self, code: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The refusal of a call that must be refused so."""
        error: dict[str, Any] = self.ask(tool, **arguments)["error"]
        assert error["code"] == code, error
        return error

    def hang_up(self) -> int:
        """Close the server's input, as a client does that goes; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End it without a word (SIGKILL)."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def begin(self, tool: str, /, **arguments: Any) -> int:
        """Send a call and wait for nothing; its id."""
        return self._send("tools/call", {"name": tool, "arguments": {"workspace": WORKSPACE, **arguments}})

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def ping(self) -> None:
        """Be answered, though there is nothing to say."""
        assert self._request("ping", {})["result"] == {}

    def next(self) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        sent = self._send(method, params)
        answered = self.next()
        assert answered["id"] == sent, answered
        return answered

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._requests += 1
        self._write({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params})
        return self._requests

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


@contextmanager
def server(folder: Path, *options: str) -> Iterator[Server]:
    """A server on the store and the root of a folder, ended at the latest when the test ends."""
    store = ("--store", str(folder / "gp.db"), "--root", str(folder))
    with (
        (folder / "stderr").open("ab") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "gatepost", "mcp", *store, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={
                "PATH": os.environ["PATH"],
                "GATEPOST_SYNCHRONOUS": "NORMAL",
                "XDG_CONFIG_HOME": str(folder / "config"),
            },
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        try:
            yield Server(process)
        finally:
            process.kill()
