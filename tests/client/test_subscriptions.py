"""Subscriptions of either client: everything as it is, then every change, once, across cuts and other logs."""

from pathlib import Path

import pytest

import gatepost
from gatepost.client import remote_subscription
from gatepost.client.protocol import Client, Update
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from gatepost.todo import Status
from tests.client.givens import Inbox, local, remote
from tests.givens import WORKSPACE, World
from tests.http.givens import site
from tests.tui.givens import a_login_page

TOKEN = "t" * 32


def test_a_subscription_begins_with_everything_and_continues_with_every_event(world: World, client: Client) -> None:
    task = a_login_page(world)

    with Inbox(client) as inbox:
        inbox.until(lambda: inbox.state == "live" and set(inbox.todos.scopes) == {task, "TASK-002", "main"})
        for path in ("s:1", "s:2"):
            world.close(task, path)
        world.ok("todo_write", items=[])
        inbox.until(lambda: inbox.todos.items("main") == () and inbox.todos.items(task)[2].status is Status.DONE)
        head = world.ok("workspace_overview")["seq"]
        inbox.until(lambda: inbox.seqs and inbox.seqs[-1] == head)

    assert inbox.seqs == list(range(1, head + 1))
    assert inbox.todos.scopes[task].revision == world.revision(task)
    assert inbox.todos.ignored == 0
    assert not any(update.new_log for update in inbox.updates)


def test_one_list_can_be_followed_alone(world: World, client: Client) -> None:
    task = a_login_page(world)

    with Inbox(client, scope="main") as inbox:
        inbox.until(lambda: inbox.todos.items("main"))
        world.close(task, "s:1")
        world.ok("todo_write", items=["only this"])
        inbox.until(lambda: [item.title for item in inbox.todos.items("main")] == ["only this"])

    assert set(inbox.todos.scopes) == {"main"}


def test_after_close_nothing_is_received(world: World, client: Client) -> None:
    task = world.task("One")

    with Inbox(client) as inbox:
        inbox.until(lambda: inbox.state == "live" and inbox.todos.items(task))
    count = len(inbox.updates)
    world.close(task, "s:0")

    assert len(inbox.updates) == count


def test_a_store_that_cannot_be_used_is_lost_with_its_own_words_and_recovers(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_subscription, "_REFUSED_PAUSE", 0.05)
    world.task("Form")
    world.store.close()
    path = Path(world.store.describe()["path"])
    sound = path.read_bytes()
    path.write_bytes(b"no database " * 5_000)

    with pytest.raises(gatepost.Refusal, match="is not a Gatepost store") as refused:
        client.call("tasks_radar", workspace=WORKSPACE)
    with Inbox(client) as inbox:
        inbox.until(lambda: any("is not a Gatepost store" in update.reason for update in inbox.updates))
        path.write_bytes(sound)
        inbox.until(lambda: inbox.state == "live")

    assert (refused.value.code, refused.value.family) == ("NOT_A_STORE", "store")
    assert "Check --store" in refused.value.recovery


def test_a_server_that_stops_is_lost_and_nothing_is_missed_or_repeated_when_it_is_back(world: World) -> None:
    task = a_login_page(world)
    with site(world) as running:
        port, client = running.server.port, remote(running.url)
        inbox = Inbox(client)
        inbox.__enter__()
        inbox.until(lambda: inbox.state == "live" and inbox.todos.items(task))
        events = client.follow(WORKSPACE, after=0)
        followed = [next(events)["seq"]]
    try:
        inbox.until(lambda: inbox.state == "lost" and inbox.reason)
        with pytest.raises(gatepost.Refusal) as gone:
            client.call("tasks_note", workspace=WORKSPACE, task=task, note="lost")
        assert inbox.todos.items(task)[1].status is Status.IN_PROGRESS
        world.close(task, "s:1")
        again = Server(world.engine, ServerSettings(), port)
        try:
            inbox.until(lambda: inbox.state == "live" and inbox.todos.items(task)[1].status is Status.DONE)
            head = world.ok("workspace_overview")["seq"]
            inbox.until(lambda: head in inbox.seqs)
            followed += [next(events)["seq"] for _ in range(head - 1)]
        finally:
            again.stop()
    finally:
        inbox.__exit__()

    assert (gone.value.code, "gatepost up" in gone.value.recovery) == ("STORE_UNREACHABLE", True)
    assert inbox.seqs == followed == list(range(1, head + 1))


def test_a_server_that_needs_a_token_is_refused_and_live_with_it(world: World) -> None:
    with site(world, token=TOKEN) as running:
        for token, reason in ((None, "needs a token"), ("x" * 32, "does not accept this token")):
            with Inbox(remote(running.url, token)) as inbox:
                inbox.until(lambda: inbox.state == "refused")
            assert inbox.reason == f"{reason}: --token-file"
        with Inbox(remote(running.url, TOKEN)) as let_in:
            let_in.until(lambda: let_in.state == "live")


def test_a_refused_stream_is_tried_again_as_soon_as_a_call_is_answered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_subscription, "_REFUSED_PAUSE", 3_600.0)
    task = world.task("One")
    with site(world, token=TOKEN) as running:
        port, client = running.server.port, remote(running.url)
        inbox = Inbox(client)
        inbox.__enter__()
        inbox.until(lambda: inbox.state == "refused")
    try:
        again = Server(world.engine, ServerSettings(), port)
        try:
            client.call("tasks_note", workspace=WORKSPACE, task=task, note="now")
            inbox.until(lambda: inbox.state == "live" and inbox.todos.items(task))
        finally:
            again.stop()
    finally:
        inbox.__exit__()


def test_a_store_that_is_created_later_is_followed(world: World) -> None:
    client = local(world)

    with Inbox(client) as inbox:
        inbox.until(lambda: inbox.state == "live")
        task = world.task("One")
        inbox.until(lambda: inbox.todos.items(task))


def test_a_call_to_a_file_that_is_gone_names_it_and_the_next_step(world: World) -> None:
    world.task("One")
    client = local(world)

    with Inbox(client) as inbox:
        inbox.until(lambda: inbox.state == "live")
        path = Path(world.store.describe()["path"])
        path.unlink()
        with pytest.raises(gatepost.Refusal) as no:
            client.call("tasks_radar", workspace=WORKSPACE)

    assert no.value.code == "STORE_MOVED"
    assert str(path) in no.value.message
    assert "--store" in no.value.recovery


def test_a_new_log_discards_every_update_before_it() -> None:
    old = Update(events=({"seq": 7},), todo=({},), gap=True)
    new = Update(events=({"seq": 1},), new_log=True, state="lost", reason="another")

    assert old + new == new
    assert (new + Update(events=({"seq": 2},))).new_log
    assert [event["seq"] for event in (old + new + Update(events=({"seq": 2},))).events] == [1, 2]
