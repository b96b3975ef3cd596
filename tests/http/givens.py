"""What tests of HTTP start from: a real server on a free port of this machine, and clients that talk to it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import httpx

from gatepost.surfaces.http.app import Terms
from gatepost.surfaces.http.server import Server
from tests.givens import WORKSPACE, World

PATIENCE = 20.0


class Site:
    """A server, a client of it, and what the server wrote into its log."""

    def __init__(self, world: World, server: Server, log: list[dict[str, Any]]) -> None:
        self.world = world
        self.server = server
        self.log = log
        self.url = f"http://127.0.0.1:{server.port}"
        self.client = httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)

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
            httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False) as client,
            client.stream("GET", "/v1/events", params=asked, headers=headers) as response,
        ):
            yield Stream(response)

    def metric(self, name: str) -> float:
        """A number of the metrics; the name with its labels."""
        lines = self.client.get("/metrics").text.splitlines()
        found = [line.removeprefix(name) for line in lines if line.startswith(f"{name} ")]
        return float(found[0]) if found else 0.0

    def logged(self, count: int) -> list[dict[str, Any]]:
        """The first lines of the log; they are written after the answers were sent."""
        pause = Event()
        for _ in range(int(PATIENCE / 0.02)):
            if len(self.log) >= count:
                return self.log[:count]
            pause.wait(0.02)
        raise AssertionError(f"the log has {len(self.log)} lines, not {count}")

    def until(self, metric: str, value: float) -> None:
        """Wait until a number of the metrics is so, but not for ever."""
        pause = Event()
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
    server = Server(world.engine, Terms(**terms), 0, log.append)
    try:
        made = Site(world, server, log)
        with made.client:
            yield made
    finally:
        server.stop()
        assert server.ended.is_set()
