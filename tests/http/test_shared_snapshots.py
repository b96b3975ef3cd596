"""Snapshots are made once for all who connect: each client is sent the same bytes, and costs no list of its own."""

import asyncio
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest

from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.surfaces.http import snapshot_cache
from gatepost.surfaces.http.snapshot_cache import CachedList, SnapshotCache, WantedList
from tests.http.givens import PATIENCE, Site
from tests.http.test_todo import pairs, three_scopes, watching
from tests.http.todo_clients import check_schemas

CLIENTS = 12


def made(here: Site) -> int:
    """How many lists were made for streams so far."""
    found = re.search(r"^gatepost_todo_snapshots_total (\d+)$", here.client.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def connected(here: Site, path: str = "/v1/todo", count: int = 3, **asked: Any) -> list[dict[str, Any]]:
    with watching(here, path, **asked) as stream:
        return pairs(stream, count)


@pytest.mark.requirement("stream.snapshot.shared")
def test_many_clients_that_connect_at_once_are_sent_one_making_of_each_list(here: Site) -> None:
    three_scopes(here.world)
    together = Barrier(CLIENTS)

    def client(_number: int) -> list[dict[str, Any]]:
        together.wait(PATIENCE)
        return connected(here)

    with watching(here), ThreadPoolExecutor(CLIENTS) as threads:  # somebody watches throughout
        heard = list(threads.map(client, range(CLIENTS)))

    assert all(one == heard[0] for one in heard)
    assert [todo["scopeKey"] for todo in heard[0]] == ["TASK-001", "TASK-002", "errands"]
    assert made(here) == 3


@pytest.mark.requirement("stream.snapshot.shared")
def test_those_who_come_while_a_list_is_made_wait_for_that_one(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    three_scopes(here.world)
    begun, go_on = Event(), Event()
    snapshot = todo_stream.snapshot

    def slow(reader: Reader, scope: str) -> Any:
        begun.set()
        assert go_on.wait(PATIENCE)
        return snapshot(reader, scope)

    monkeypatch.setattr(todo_stream, "snapshot", slow)
    with ThreadPoolExecutor(CLIENTS) as threads:
        heard = [threads.submit(connected, here)]
        assert begun.wait(PATIENCE)
        heard += [threads.submit(connected, here) for _ in range(CLIENTS - 1)]
        answered = here.client.get("/healthz").status_code  # and they keep nobody else waiting
        go_on.set()
        lists = [one.result(PATIENCE) for one in heard]

    assert answered == 200
    assert all(one == lists[0] for one in lists)
    assert made(here) == 3


@pytest.mark.requirement("stream.snapshot.shared")
def test_only_what_changed_is_made_again_for_who_comes_later(here: Site) -> None:
    three_scopes(here.world)
    with watching(here) as first:
        pairs(first, 3)
        here.world.close("TASK-001", "s:0")
        later = connected(here)
        makings = made(here)

    assert later[0]["revision"] == 2
    assert later[0]["items"][0]["status"] == "done"
    assert makings == 4


@pytest.mark.requirement("stream.snapshot.shared")
def test_sessions_one_list_and_those_who_resume_share_what_was_made(here: Site) -> None:
    three_scopes(here.world)
    with watching(here) as first:
        whole = pairs(first, 3)
        alone = connected(here, scope="TASK-001", count=1)
        session = connected(here, "/v1/sessions/TASK-001/events", count=1)
        with watching(here, last=1) as resumed:
            events = [event for _, event in resumed.take(6)]
        makings = made(here)

    assert alone == session == whole[:1]
    assert [event["payload"]["todo"] for event in events[1::2]] == whole
    assert [event["seq"] for event in events][:-1] == [1] * 5
    assert makings == 3


def test_what_is_put_together_from_parts_is_one_valid_event(here: Site) -> None:
    here.world.task(*(f'Step "{number}" with a "todo":"%list%" in it' for number in range(1_000)), title="Long")
    with watching(here) as stream:
        events = [event for _, event in stream.take(2)]

    for event in events:
        check_schemas(json.dumps(event))
    assert len(events[1]["payload"]["todo"]["items"]) == 1_000


def test_when_the_last_client_leaves_nothing_is_held(here: Site) -> None:
    three_scopes(here.world)
    connected(here)
    while "\ngatepost_open_streams 0\n" not in here.client.get("/metrics").text:
        pass  # until the server has noticed that the client is gone

    connected(here)

    assert made(here) == 6


def listed(**revisions: int) -> list[WantedList]:
    return [WantedList(scope, revision) for scope, revision in revisions.items()]


def test_a_list_is_found_at_its_revision_or_a_later_one() -> None:
    async def looked() -> Iterator[list[CachedList]]:
        shelf = SnapshotCache()
        shelf.hold("a", CachedList(3, b"x"))
        shelf.hold("b", CachedList(1, b"y"))
        return iter([shelf.find(listed(a=number, b=1, c=1), 0, 100) for number in (2, 3, 4)])

    earlier, same, later = asyncio.run(looked())

    assert earlier == same == [CachedList(3, b"x"), CachedList(1, b"y")]
    assert later == []


def test_no_more_is_held_than_a_bound_and_always_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_cache, "HELD_BYTES", 10)

    async def held() -> list[list[str]]:
        shelf = SnapshotCache()
        seen = []
        for scope, size in (("a", 4), ("b", 4), ("c", 4), ("d", 50), ("e", 1)):
            shelf.hold(scope, CachedList(1, b"x" * size))
            seen.append([each for each in "abcde" if shelf.find(listed(**{each: 1}), 0, 1)])
        return seen

    assert asyncio.run(held()) == [["a"], ["a", "b"], ["b", "c"], ["d"], ["e"]]


def test_what_nobody_asks_for_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_cache, "HELD_SECONDS", 0.01)

    async def held() -> None:
        shelf = SnapshotCache()
        shelf.hold("a", CachedList(1, b"x"))
        while shelf._held:
            await asyncio.sleep(0.005)

    asyncio.run(asyncio.wait_for(held(), PATIENCE))
