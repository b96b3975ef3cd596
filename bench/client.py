"""A client of an MCP server on stdio, `gatepost mcp` or another one: one line out, one line in."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from bench.rig import WORKSPACE

PROTOCOL: Final = "2025-06-18"
_PATIENCE: Final = 60.0
_HELLO: Final = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_UNKNOWN_METHOD: Final = {"code": -32601, "message": "This client answers no requests."}


class ServerSilent(Exception):
    """The server ended, or did not answer in time. The message holds what it said on stderr."""


class CallRefused(Exception):
    """The server did not accept a call."""


def gatepost(store: Path, *more: str, tools: str = "all", synchronous: str = "NORMAL") -> "Client":
    """Our own server. Unless told otherwise it does not wait for the disk, which would drown the protocol."""
    program = str(Path(sys.executable).with_name("gatepost"))
    command = [program, "mcp", "--store", str(store), "--tools", tools, *more]
    return Client(command, store.parent, {"GATEPOST_SYNCHRONOUS": synchronous}, always={"workspace": WORKSPACE})


class Client:
    """A server and the conversation with it. `always` is sent with every call."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        always: Mapping[str, Any] | None = None,
    ) -> None:
        self._ids = 0
        self._always = always or {}
        self._name = Path(command[0]).name
        self._log = folder / f"{self._name}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                bufsize=0,
                env={**os.environ, **environment},
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._rest = b""

    def greet(self) -> dict[str, Any]:
        """The handshake, up to the list of tools."""
        self.ask("initialize", _HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self.ask("tools/list", {})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request."""
        self._ids += 1
        self._send({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        reply = json.loads(self._line())
        while "method" in reply:
            if "id" in reply:  # some servers ask for roots, whatever their client says that it can do
                self._send({"jsonrpc": "2.0", "id": reply["id"], "error": _UNKNOWN_METHOD})
            reply = json.loads(self._line())
        assert reply.get("id") == self._ids, f"not an answer to {self._ids}: {reply}"
        if "result" not in reply:
            raise CallRefused(f"{method} failed: {reply}")
        result: dict[str, Any] = reply["result"]
        return result

    def ok(self, tool: str, /, **arguments: Any) -> None:
        """A tool's call that must be accepted."""
        self.text(tool, **arguments)

    def text(self, tool: str, /, **arguments: Any) -> str:
        """The text that a call answers, which must be accepted."""
        result = self.ask("tools/call", {"name": tool, "arguments": {**self._always, **arguments}})
        if result.get("isError"):
            raise CallRefused(f"{tool} {arguments} was refused: {result}")
        return "".join(block["text"] for block in result["content"])

    def memory(self) -> float | None:
        """The server's resident memory in MiB, with that of programs that it started, where the system tells."""
        if not Path(f"/proc/{self._process.pid}/status").exists():
            return None
        return sum(_resident(process) for process in _family(self._process.pid))

    def kill(self) -> None:
        """End a server that does not answer, and what it started."""
        for process in reversed(_family(self._process.pid)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _send(self, message: dict[str, Any]) -> None:
        try:
            os.write(self._to, json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            raise ServerSilent(self._last_words()) from None

    def _line(self) -> bytes:
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            if not select.select([self._from], [], [], _PATIENCE)[0]:
                raise ServerSilent(f"no answer within {_PATIENCE:g} s. {self._last_words()}")
            parts.append(os.read(self._from, 1 << 20))
            if not parts[-1]:
                raise ServerSilent(self._last_words())
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def _last_words(self) -> str:
        return f"`{self._name}` said: {self._log.read_text(errors='replace')[-2_000:] or 'nothing'}"

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _family(process: int) -> list[int]:
    """A process and its descendants, where the system tells."""
    children = Path(f"/proc/{process}/task/{process}/children")
    listed = children.read_text().split() if children.exists() else []
    return [process, *(member for child in listed for member in _family(int(child)))]


def _resident(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
