"""What tests of HTTP start from: a real server on a free port of this machine, and clients that talk to it."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx

from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.givens import WORKSPACE, World

PATIENCE = 60.0
"""When to call something broken. It costs nothing where all is well, and machines can be slow."""
_PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Never used; but without one, each client would read all authorities of the system, which is dear."""


def client_of(url: str) -> httpx.Client:
    """A client of a server on this machine."""
    return httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, verify=_PLAIN)


class Site:
    """A server, a client of it, and what the server wrote into its log."""

    def __init__(self, world: World, server: Server, log: list[dict[str, Any]]) -> None:
        self.world = world
        self.server = server
        self.log = log
        self.url = f"http://127.0.0.1:{server.port}"
        self.client = client_of(self.url)
        self._others = set(threading.enumerate())

    def call(self, tool: str, /, headers: dict[str, str] | None = None, **arguments: Any) -> httpx.Response:
        """Whatever a call is answered with."""
        given = {"workspace": WORKSPACE, **arguments}
        return self.client.post(f"/v1/operations/{tool}", json=given, headers=headers)

    def ok(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of a call that must be accepted."""
        answered = self.call(tool, **arguments)
        assert answered.status_code == 200, answered.text
        reply: dict[str, Any] = answered.json()
        return reply

    def tasks(self, count: int) -> None:
        """So many events in the log."""
        for number in range(count):
            self.world.task(title=f"Task {number}")

    @contextmanager
    def following(self, after: int | None = None, **headers: str) -> Iterator["Stream"]:
        """A stream of the log."""
        asked = {"workspace": WORKSPACE} | ({} if after is None else {"after": str(after)})
        with (
            client_of(self.url) as client,
            client.stream("GET", "/v1/events", params=asked, headers=headers) as response,
        ):
            yield Stream(response)

    def feeds(self) -> list[threading.Thread]:
        """The threads that read logs for this server."""
        found = set(threading.enumerate()) - self._others
        return [thread for thread in found if thread.name.startswith("feed ")]

    def metric(self, name: str) -> float:
        """A number of the metrics; the name with its labels."""
        lines = self.client.get("/metrics").text.splitlines()
        found = [line.removeprefix(name) for line in lines if line.startswith(f"{name} ")]
        return float(found[0]) if found else 0.0

    def logged(self, count: int) -> list[dict[str, Any]]:
        """The first lines of the log; they are written after the answers were sent."""
        pause = threading.Event()
        for _ in range(int(PATIENCE / 0.02)):
            if len(self.log) >= count:
                return self.log[:count]
            pause.wait(0.02)
        raise AssertionError(f"the log has {len(self.log)} lines, not {count}")

    def until(self, metric: str, value: float) -> None:
        """Wait until a number of the metrics is so, but not for ever."""
        pause = threading.Event()
        for _ in range(int(PATIENCE / 0.02)):
            if self.metric(metric) == value:
                return
            pause.wait(0.02)
        raise AssertionError(f"{metric} is {self.metric(metric)}, not {value}")


class Stream:
    """One client's view of a stream."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def take(self, count: int) -> list[tuple[int, dict[str, Any]]]:
        """The next events, each with its id."""
        found: list[tuple[int, dict[str, Any]]] = []
        seen = 0
        while len(found) < count:
            line = next(self._lines)
            if line.startswith("id: "):
                seen = int(line[4:])
            if line.startswith("data: "):
                found.append((seen, json.loads(line[6:])))
        return found

    def as_far_as(self, seq: int) -> list[int]:
        """The ids of what comes, up to this one or until the stream is cut off."""
        found: list[int] = []
        with suppress(httpx.RemoteProtocolError, httpx.ReadError):
            for line in self._lines:
                found += [int(line[4:])] if line.startswith("id: ") else []
                if found and found[-1] == seq:
                    break
        return found

    def beat(self) -> int:
        """The position that the next heartbeat carries."""
        seen = 0
        for line in self._lines:
            if line.startswith("id: "):
                seen = int(line[4:])
            if line.startswith(": still here"):
                return seen
        raise AssertionError("the stream has ended")

    def comment(self) -> str:
        """The next comment."""
        return next(line for line in self._lines if line.startswith(":"))

    def rest(self) -> list[str]:
        """What comes until the stream ends."""
        return list(self._lines)


@contextmanager
def site(world: World, **terms: Any) -> Iterator[Site]:
    """A running server, stopped in the end."""
    log: list[dict[str, Any]] = []
    server = Server(world.engine, ServerSettings(access_log=True, **terms), 0, log.append)
    try:
        made = Site(world, server, log)
        with made.client:
            yield made
    finally:
        server.stop()
        assert server.ended.is_set()
