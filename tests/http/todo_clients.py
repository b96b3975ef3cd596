"""Clients of the todo stream that trust nobody: cut anywhere, and every promise checked as it is read."""

import json
import random
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache, partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Condition, Lock, Thread
from threading import Event as Flag
from typing import Any, NamedTuple
from urllib.parse import urlencode

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it comes without types
from referencing import Registry, Resource

from docs.todo_contracts import EVENT, TODO
from gatepost.todo import Outcome, TodoStore, follow
from gatepost.views.session_events import SNAPSHOT
from tests.http.givens import PATIENCE
from tests.views.bridge_contract import complaints

PUBLISHED = Path(__file__).parents[2] / "docs/contracts"
BEAT = b": still here"
SILENT_BEATS = 1_000
DELTAS = ("patch", "upsert", "delete")

Event = dict[str, Any]


class Told(NamedTuple):
    """An event as it came: the id that the stream gave it, and what it says."""

    id: str
    event: Event

    @property
    def todo(self) -> Event | None:
        """The envelope, where there is one."""
        found: Event | None = self.event["payload"].get("todo")
        return found


class Ended(Exception):
    """The connection is no more."""


class Connection:
    """One request for a stream. Whatever it is answered with is held to what the contract says of a connection."""

    def __init__(self, port: int, target: str, last_id: str, living: Iterable[str], *, narrow: bool) -> None:
        self.living = set(living)
        """The scopes that have been there ever since the request was sent; whoever writes keeps it so."""
        self._rest = b""
        self._seq = 0
        self._calls: dict[str, str] = {}
        self._whole: set[str] = set()
        self._revisions: dict[str, int] = {}
        self._changing = False
        self._http = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._http.sock = _connected(port, narrow=narrow)
        self._http.request("GET", target, headers={"last-event-id": last_id} if last_id else {})
        self._response = self._http.getresponse()
        assert self._response.status == 200, self._response.read()

    def close(self) -> None:
        """Go, whatever is under way."""
        self._response.close()
        self._http.close()

    def read(self, most: int) -> tuple[int, list[Told | None]]:
        """How many bytes came next, and the events that they complete; nothing in the place of a heartbeat."""
        try:
            data = self._response.read1(most)
        except TimeoutError:
            raise AssertionError("a stream that neither tells nor beats") from None
        except (OSError, HTTPException):
            raise Ended from None
        if not data:
            raise Ended
        *blocks, self._rest = (self._rest + data).split(b"\n\n")
        return len(data), [told for block in blocks for told in self._read_block(block)]

    def _read_block(self, block: bytes) -> Iterator[Told | None]:
        fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if not line.startswith(":"))
        if block.endswith(BEAT):
            self._check_known()
            yield None
        if "data" in fields:
            check_schemas(fields["data"])
            told = Told(fields["id"], json.loads(fields["data"]))
            self._check(told)
            yield told

    def _check(self, told: Told) -> None:
        event, payload = told.event, told.event["payload"]
        assert told.id == str(event["seq"])
        assert event["seq"] >= self._seq, f"{event['seq']} after {self._seq}"
        self._seq = event["seq"]
        if event["type"] == "tool_call":
            assert "todo" not in payload
            self._calls[payload["call_id"]] = payload["tool"]
            return
        assert event["type"] == "tool_result"
        assert self._calls.get(payload["call_id"]) == payload["tool"], f"no call came before {event}"
        if "todo" in payload:
            self._check_todo(payload["tool"], payload["todo"])

    def _check_todo(self, tool: str, todo: Event) -> None:
        key, ids = todo["scopeKey"], [item["id"] for item in todo.get("items", ())]
        assert len(set(ids)) == len(ids), todo
        if todo["op"] in DELTAS:
            assert tool != SNAPSHOT
            assert key in self._whole, f"a delta to {key}, which this connection was not told whole"
        if tool != SNAPSHOT:
            self._check_known()
            assert todo["revision"] > self._revisions.get(key, 0), f"{key} went back to {todo['revision']}"
            self._revisions[key] = todo["revision"]
        if todo["op"] not in DELTAS:
            self._whole.add(key)

    def _check_known(self) -> None:
        """Where snapshots end, there was one of all that is there."""
        if not self._changing:
            self._changing = True
            assert self.living <= self._whole, f"{self.living - self._whole} came without a snapshot"


class Habits(NamedTuple):
    """What a client asks for, how it says where it stopped, and what it does with what it hears."""

    scope: str | None = None
    session: bool = False
    by_event: bool = False
    twice: bool = False
    again: bool = False
    shuffled: bool = False
    narrow: bool = False

    def target(self, workspace: str, last: Told | None) -> str:
        """What it asks for."""
        asked = {"workspace": workspace}
        if self.by_event and last is not None:
            asked["from_id"] = last.event["id"]
        if self.session:
            return f"/v1/sessions/{self.scope or workspace}/events?{urlencode(asked)}"
        return f"/v1/todo?{urlencode(asked if self.scope is None else asked | {'scope': self.scope})}"


class Watcher:
    """A client with a `TodoStore`, which may be cut, go back to an earlier moment, repeat, reorder and dawdle."""

    def __init__(self, workspace: str, habits: Habits, chance: random.Random) -> None:
        self.workspace = workspace
        self.habits = habits
        self.heard: list[Told] = []
        self.revisions: dict[str, int] = {}
        self.store = TodoStore()
        self.connection: Connection | None = None
        self._held: list[Event] = []
        self._chance = chance
        self._beaten = False

    def connect(self, port: int, living: set[str]) -> None:
        """Come, or come back to where it stopped."""
        self.cut()
        habits, last = self.habits, self.heard[-1] if self.heard else None
        header = "" if last is None or habits.by_event else last.id
        mine = living if habits.scope is None else living & {habits.scope}
        target = habits.target(self.workspace, last)
        self.connection = Connection(port, target, header, mine, narrow=habits.narrow)
        if habits.again:
            self._take([told.event for told in self.heard])

    def cut(self) -> None:
        """Be cut off."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def rewind(self, count: int) -> None:
        """Be as it was after so many events, as a client that was ended then. After none, it knows nothing."""
        self.cut()
        heard, self.heard, self.revisions = self.heard[:count], [], {}
        self.store, self._held = TodoStore(), []
        for told in heard:
            self._hear(told)

    def as_of(self, count: int) -> "Watcher":
        """Another client, as this one was after so many events."""
        other = Watcher(self.workspace, self.habits, self._chance)
        other.heard = self.heard
        other.rewind(count)
        return other

    def sip(self, most: int, is_enough: Callable[["Watcher"], bool]) -> None:
        """Read so many bytes, or less if that is enough."""
        try:
            while most > 0 and self.connection is not None and not is_enough(self):
                most -= self._read(most)
        except Ended:
            self.cut()

    def catch_up(self, is_enough: Callable[["Watcher"], bool], connect: Callable[["Watcher"], None]) -> None:
        """Read until that is enough; a lost connection is made again."""
        silent = 0
        while not is_enough(self):
            before, self._beaten = len(self.heard), False
            try:
                if self.connection is None:
                    connect(self)
                self._read(65_536)
            except Ended:
                self.cut()
            silent = silent + self._beaten if len(self.heard) == before else 0
            assert silent < SILENT_BEATS, f"{self.habits} waits for what does not come"

    def settle(self, is_enough: Callable[["Watcher"], bool], connect: Callable[["Watcher"], None]) -> None:
        """Read until that is enough, and then until the stream itself says that there is nothing more."""
        self.catch_up(is_enough, connect)
        self._beaten = False
        self.catch_up(lambda it: it._beaten, connect)
        self.deliver()

    def deliver(self) -> None:
        """Hand what was held back to the store: in any order, but each scope's in its own."""
        queues: dict[str, list[Event]] = {}
        for event in self._held:
            queues.setdefault(event["payload"].get("todo", {}).get("scopeKey", ""), []).append(event)
        self._held = []
        while queues:
            key = self._chance.choice(sorted(queues))
            self._apply(queues[key].pop(0))
            if not queues[key]:
                del queues[key]

    def _read(self, most: int) -> int:
        assert self.connection is not None
        count, found = self.connection.read(most)
        for told in found:
            self._beaten = told is None
            if told is not None:
                self._hear(told)
        return count

    def _hear(self, told: Told) -> None:
        self.heard.append(told)
        if told.todo is not None:
            key = told.todo["scopeKey"]
            assert self.habits.scope in (None, key)
            self.revisions[key] = max(told.todo["revision"], self.revisions.get(key, 0))
        self._take([told.event] * (1 + self.habits.twice))

    def _take(self, events: list[Event]) -> None:
        self._held += events
        if not self.habits.shuffled:
            while self._held:
                self._apply(self._held.pop(0))

    def _apply(self, event: Event) -> None:
        outcome = self.store.apply(event)
        assert outcome not in (Outcome.GAP, Outcome.IGNORED), f"{outcome} of {event}"


class CuttingProxy:
    """A way to a server on which each answer is cut after so many bytes; once all cuts are made, none is."""

    def __init__(self, port: int, cuts: Iterable[int]) -> None:
        self._port, self._cuts = port, list(cuts)
        self.closed = False
        self._lock = Lock()
        self._open: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._threads = [_begun(self._accept)]

    def cut_all(self) -> None:
        """End what is open now."""
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def stop(self) -> None:
        """End, with everything that is open."""
        with self._listening:
            self._open.append(self._listening)
            self.cut_all()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                self._threads.append(_begun(partial(self._serve, near)))

    def _serve(self, near: socket.socket) -> None:
        if self.closed:
            near.close()
            return
        with near, suppress(OSError), socket.create_connection(("127.0.0.1", self._port), PATIENCE) as far:
            with self._lock:
                self._open += [near, far]
            far.sendall(near.recv(65_536))
            left = self._cuts.pop(0) if self._cuts else None
            while left is None or left > 0:
                data = far.recv(65_536 if left is None else min(left, 65_536))
                if not data:
                    return
                near.sendall(data)
                left = None if left is None else left - len(data)


class Follower:
    """`gatepost.todo.follow` in a thread, as a program would use it, but for its patience."""

    def __init__(self, port: int, workspace: str) -> None:
        self.store = TodoStore()
        self._stopping = Hurried()
        self._news = Condition()
        self._thread = _begun(partial(self._run, f"http://127.0.0.1:{port}", workspace))

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so, but not for ever."""
        with self._news:
            assert self._news.wait_for(is_so, PATIENCE), self.store.scopes

    def stop(self) -> None:
        """End, at the next sign of life."""
        self._stopping.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _run(self, url: str, workspace: str) -> None:
        for _ in follow(url, workspace, store=self.store, stop=self._stopping, quiet_seconds=PATIENCE):
            with self._news:
                self._news.notify_all()


class Hurried(Flag):
    """Lets every pause be a short one."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(min(timeout or 0.0, 0.005))


@lru_cache(maxsize=4_096)  # the same bytes go to many clients
def check_schemas(data: str) -> None:
    """An event, and the envelope that it carries, are as the published schemas say."""
    event = json.loads(data)
    assert _validator(EVENT, "").is_valid(event), data
    assert not complaints(event), data
    todo = event["payload"].get("todo")
    assert todo is None or _validator(TODO, "#/$defs/emitted").is_valid(todo), data


@cache
def _validator(name: str, part: str) -> Draft202012Validator:
    files = [json.loads(path.read_text(encoding="utf-8")) for path in PUBLISHED.glob("*.schema.json")]
    registry: Registry[Any] = Registry().with_resources((it["$id"], Resource.from_contents(it)) for it in files)
    return Draft202012Validator({"$ref": name + part}, registry=registry)


def _begun(work: Callable[[], None]) -> Thread:
    thread = Thread(target=work, daemon=True)
    thread.start()
    return thread


def _connected(port: int, *, narrow: bool) -> socket.socket:
    made = socket.socket()
    if narrow:  # so that a client that does not read is felt by the server
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    made.settimeout(PATIENCE)
    made.connect(("127.0.0.1", port))
    return made
