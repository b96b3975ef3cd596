"""Following the log with an iterator: each event once across restarts, and never on in another log."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import gatepost
from gatepost.client.remote_log import ServerAddress, follow
from gatepost.engine.caller import Caller
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.client.givens import remote
from tests.givens import WORKSPACE, World, worlds
from tests.http.givens import site


@pytest.fixture
def other(tmp_path: Path) -> Iterator[World]:
    """Another world, on a file of its own."""
    (tmp_path / "other").mkdir()
    yield from worlds("sqlite", tmp_path / "other")


def test_a_restart_repeats_no_event_and_leaves_none_out(world: World) -> None:
    world.task("One")
    with site(world) as here:
        port = here.server.port
        events = remote(here.url).follow(WORKSPACE)
        seen = [next(events)["seq"]]
    world.task("Two")
    head = world.ok("workspace_overview")["seq"]
    again = Server(world.engine, ServerSettings(), port)
    try:
        seen += [next(events)["seq"] for _ in range(head - 1)]
    finally:
        again.stop()

    assert seen == list(range(1, head + 1))


@pytest.mark.parametrize("tasks", [1, 5])
def test_another_log_behind_the_same_address_is_refused(world: World, other: World, tasks: int) -> None:
    for _ in range(3):
        world.task("One")
    head = world.ok("workspace_overview")["seq"]
    other.caller = Caller("somebody else")
    for _ in range(tasks):
        other.task("Another")
    with site(world) as here:
        port = here.server.port
        events = remote(here.url).follow(WORKSPACE)
        for _ in range(head):
            next(events)
    again = Server(other.engine, ServerSettings(), port)
    try:
        with pytest.raises(gatepost.Refusal) as no:
            next(events)
    finally:
        again.stop()

    assert no.value.code == "STORE_MOVED"
    assert f"event {head} is not the one that was received" in no.value.message


def test_a_position_that_the_log_has_not_reached_is_refused(world: World) -> None:
    world.task("One")

    with site(world) as here, pytest.raises(gatepost.Refusal, match="no event 900 to resume from"):
        next(follow(ServerAddress(here.url, None), WORKSPACE, 900))


def test_a_store_that_was_replaced_ends_the_iterator_and_the_next_call_reads_the_new_one(
    world: World, other: World
) -> None:
    world.task("One")
    other.task("Another", title="New")
    path, new = (Path(one.store.describe()["path"]) for one in (world, other))
    other.store.close()
    with gatepost.connect(str(path)) as gp:
        events = gp.follow(WORKSPACE)
        head = world.ok("workspace_overview")["seq"]
        for _ in range(head):
            next(events)
        world.store.close()
        gp.close()
        new.replace(path)

        with pytest.raises(gatepost.Refusal) as no:
            next(events)
        title = gp.call("tasks_context", workspace=WORKSPACE)["items"][0]["title"]

    assert (no.value.code, title) == ("STORE_MOVED", "New")


def test_a_store_whose_content_was_replaced_in_place_ends_the_iterator(world: World, other: World) -> None:
    world.task("One")
    world.task("Two")
    other.task("Another")
    path, new = (Path(one.store.describe()["path"]) for one in (world, other))
    other.store.close()
    with gatepost.connect(str(path)) as gp:
        events = gp.follow(WORKSPACE)
        for _ in range(world.ok("workspace_overview")["seq"]):
            next(events)
        world.store.close()
        gp.close()
        path.write_bytes(new.read_bytes())

        with pytest.raises(gatepost.Refusal) as no:
            next(events)

    assert no.value.code == "STORE_MOVED"
