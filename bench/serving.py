"""A real server in a process of its own, and the least that a client of its streams must do."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.rig import WORKSPACE

_PATIENCE: Final = 60.0
_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:([0-9]+)")
_STATUS_RSS: Final = re.compile(r"VmRSS:\s+([0-9]+) kB")


class Served:
    """A running server, and one connection for calls."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self._pid = pid
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)

    def ok(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of a call that must be accepted."""
        body = json.dumps({"workspace": WORKSPACE, **arguments})
        self._connection.request("POST", f"/v1/operations/{tool}", body, {"content-type": "application/json"})
        answered = self._connection.getresponse()
        text = answered.read()
        assert answered.status == 200, f"{tool} was answered with {answered.status}: {text.decode()[:300]}"
        reply: dict[str, Any] = json.loads(text)
        return reply

    def afresh(self) -> None:
        """Call on a new connection from now on: a server closes one that was silent for long."""
        self._connection.close()

    def seconds(self) -> float:
        """How long the server has worked, on all processors."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """MiB that the server holds."""
        found = _STATUS_RSS.search(Path(f"/proc/{self._pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0


@contextmanager
def serving(store: Path) -> Iterator[Served]:
    """`gatepost up` on a store, until it is no longer needed."""
    words = [
        sys.executable,
        "-m",
        "gatepost",
        "up",
        "--port",
        "0",
        "--store",
        str(store),
        "--root",
        str(store.parent),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GATEPOST_")}
    with (
        (store.parent / "server.log").open("wb") as log,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process,
    ):
        try:
            assert process.stdout is not None
            found = next(match for line in process.stdout if (match := _ADDRESS.search(line)))
            yield Served(int(found[1]), process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(_PATIENCE)


def opened(port: int, path: str) -> socket.socket:
    """A connection on which a stream was asked for, by HTTP/1.0: then what comes is the stream and nothing else."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
    connection.sendall(f"GET {path} HTTP/1.0\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode())
    return connection
