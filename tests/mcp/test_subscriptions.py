"""Change notifications, as the official SDK's client hears them over both transports and in both eras."""

import json
import select
from collections.abc import Collection, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import ResourceUpdatedNotification

import gatepost
from gatepost.engine.caller import Caller
from gatepost.surfaces.mcp import changes, stdio_subscriptions, subscriptions
from gatepost.surfaces.mcp.addresses import ResourceTarget
from gatepost.surfaces.mcp.messages import McpRequest, Peer, RpcError, RpcReply
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.resources import WorkspaceResources
from gatepost.surfaces.mcp.stdio_subscriptions import StdioSubscriptions
from gatepost.surfaces.mcp.watched_resources import WatchedResource
from tests.conformance.fixtures import FixtureResources
from tests.givens import WORKSPACE
from tests.mcp.sdk_clients import MODES, PATIENCE, TRANSPORTS, store, talk
from tests.mcp.test_protocol import ENVELOPE, MODERN
from tests.mcp.test_resources import Faulty

RADAR = "gatepost://radar/acme%2Frepo"
TASK = "gatepost://task/acme/repo/TASK-001"
OTHER_TASK = "gatepost://task/acme%2Frepo/TASK-002"
TASKDOC = "gatepost://taskdoc/acme%2Frepo/release"
TODO = "gatepost://todo/acme%2Frepo/crew"
STEPS = "gatepost://todo/acme%2Frepo/TASK-001"
PLAN = "gatepost://task/acme%2Frepo/PLAN-001"
# Legacy clients subscribe so, whatever has become of the method since.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")

ALL = (RADAR, TASK, OTHER_TASK, TASKDOC, TODO, STEPS, PLAN)
LOOKER = Caller("looker")
ELSEWHERE = "gatepost://radar/other%2Frepo"


@pytest.fixture
def gp(tmp_path: Path) -> Iterator[gatepost.Gatepost]:
    """A store with a task."""
    with store(tmp_path) as opened:
        opened.call("tasks_create", workspace=WORKSPACE, kind="task", title="Ship")
        yield opened


class Ears:
    """A client that hears of changes, in the way of its era."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._news = anyio.Event()

    async def handle(self, message: Any) -> None:
        """A legacy client's notifications."""
        if isinstance(message, ResourceUpdatedNotification):
            self.hear(message.params.uri)

    async def listen(self, client: Client, *uris: str, task_status: anyio.abc.TaskStatus[None]) -> None:
        """A modern client's stream."""
        async with client.listen(resource_subscriptions=uris) as stream:
            task_status.started()
            async for event in stream:
                assert isinstance(event, ResourceUpdated)
                self.hear(event.uri)

    def hear(self, uri: str) -> None:
        self.heard.append(uri)
        self._news.set()

    async def until(self, *uris: str) -> list[str]:
        """Wait until all these were heard of, since the last time; all that was."""
        while not set(uris) <= set(self.heard):
            await self._news.wait()
            self._news = anyio.Event()
        heard, self.heard = self.heard, []
        return heard


async def subscribe(client: Client, *uris: str) -> None:
    """As legacy clients do it."""
    for uri in uris:
        await client.subscribe_resource(uri)


async def call(gp: gatepost.Gatepost, tool: str, **arguments: Any) -> None:
    """A change by somebody else."""
    await anyio.to_thread.run_sync(lambda: gp.call(tool, workspace=WORKSPACE, **arguments))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_client_is_told_of_what_others_change(
    gp: gatepost.Gatepost, tmp_path: Path, transport: str, mode: str
) -> None:
    ears = Ears()

    async def use(client: Client) -> None:
        async with anyio.create_task_group() as group:
            if mode == "legacy":
                await subscribe(client, RADAR, TASK, TODO)
            else:
                await group.start(ears.listen, client, RADAR, TASK, TODO)
            await call(gp, "tasks_edit", task="TASK-001", title="Shipped")
            await ears.until(RADAR, TASK)
            assert "Shipped" in str(await client.read_resource(TASK))
            await call(gp, "todo_write", session="crew", items=["Look"])
            await ears.until(TODO)
            await client.call_tool("tasks_note", {"workspace": WORKSPACE, "task": "TASK-001", "note": "My own."})
            await ears.until(TASK)
            group.cancel_scope.cancel()

    talk(transport, mode, tmp_path, use, handler=ears.handle)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_legacy_client_that_unsubscribed_is_told_no_more(
    gp: gatepost.Gatepost, tmp_path: Path, transport: str
) -> None:
    ears = Ears()

    async def use(client: Client) -> None:
        await subscribe(client, RADAR, TASK)
        await client.unsubscribe_resource(RADAR)
        await client.unsubscribe_resource("gatepost://radar/never")
        await call(gp, "tasks_edit", task="TASK-001", title="Shipped")
        assert await ears.until(TASK) == [TASK]

    talk(transport, "legacy", tmp_path, use, handler=ears.handle)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_modern_client_learns_what_it_is_told_of_and_may_have_several_streams(
    gp: gatepost.Gatepost, tmp_path: Path, transport: str
) -> None:
    async def use(client: Client) -> None:
        uris = (RADAR, ELSEWHERE, "gatepost://nothing/x", "file:///etc/passwd")
        async with client.listen(tools_list_changed=True, resource_subscriptions=uris) as one:
            assert one.honored.resource_subscriptions == [RADAR]
            assert one.honored.tools_list_changed is None
            async with client.listen(resource_subscriptions=[TASK]) as two:
                await call(gp, "tasks_edit", task="TASK-001", title="Shipped")
                assert (await anext(one), await anext(two)) == (ResourceUpdated(RADAR), ResourceUpdated(TASK))
            await call(gp, "tasks_edit", task="TASK-001", title="Again")
            assert await anext(one) == ResourceUpdated(RADAR)
        async with client.listen(tools_list_changed=True) as nothing:
            assert nothing.honored.resource_subscriptions is None

    talk(transport, MODERN, tmp_path, use, workspace=WORKSPACE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_bound_server_tells_of_no_other_workspace_and_nobody_of_too_much(
    gp: gatepost.Gatepost, tmp_path: Path, transport: str, mode: str
) -> None:
    many = [f"gatepost://task/acme%2Frepo/TASK-{number:03}" for number in range(1, subscriptions.MOST + 2)]

    async def use(client: Client) -> None:
        if mode == "legacy":
            with pytest.raises(MCPError, match="resource not found"):
                await subscribe(client, ELSEWHERE)
            await subscribe(client, *many[:-1], many[0])
            with pytest.raises(MCPError, match="at most 256 resources"):
                await subscribe(client, many[-1])
            return
        with pytest.raises(MCPError, match="at most 256 resources"):
            async with client.listen(resource_subscriptions=many):
                pass

    talk(transport, mode, tmp_path, use, workspace=WORKSPACE)


class Interrupted(FixtureResources):
    """Resources of which one more is asked for while somebody looks for changes of the others."""

    def __init__(self) -> None:
        self.following: StdioSubscriptions | None = None
        self.looks: list[set[str]] = []

    def changed(self, _workspace: str, after: int, uris: Collection[str]) -> tuple[int, list[str]]:
        self.looks.append(set(uris))
        if len(self.looks) == 1 and self.following is not None:
            self.following.listen(subscriptions.SubscriptionStream("late", [WatchedResource(TASK, WORKSPACE, 0)]))
        return 1, list(uris) if after == 0 else []

    def wait(self, _workspace: str, _after: int, seconds: float) -> None:
        Event().wait(seconds)


def test_what_is_asked_for_while_somebody_looks_is_not_passed_over() -> None:
    resources = Interrupted()
    resources.following = StdioSubscriptions(resources)

    resources.following.add(WatchedResource(RADAR, WORKSPACE, 0))
    rung, _, _ = select.select([resources.following.wake_reader], [], [], PATIENCE)
    told = [json.loads(line)["params"]["uri"] for line in resources.following.news()]
    resources.following.close()

    assert rung
    assert told == [RADAR, TASK]
    assert resources.looks[:2] == [{RADAR}, {RADAR, TASK}]


class Stumbling(FixtureResources):
    """Resources that cannot be looked at, twice, and then can."""

    def __init__(self) -> None:
        self.looks = 0

    def changed(self, _workspace: str, after: int, uris: Collection[str]) -> tuple[int, list[str]]:
        self.looks += 1
        if self.looks < 3:
            raise ValueError("stumbled")
        return 1, list(uris) if after == 0 else []

    def wait(self, _workspace: str, _after: int, seconds: float) -> None:
        Event().wait(seconds)


def test_after_a_fault_which_is_reported_once_a_client_is_told_what_it_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stdio_subscriptions, "RECOVERY", 0.01)
    told = StdioSubscriptions(Stumbling())

    told.add(WatchedResource(RADAR, WORKSPACE, 0))
    rung, _, _ = select.select([told.wake_reader], [], [], PATIENCE)
    news = [json.loads(line)["params"]["uri"] for line in told.news()]
    told.close()

    assert rung
    assert news == [RADAR]
    assert capsys.readouterr().err.count(f"while following {WORKSPACE}") == 1


def test_an_address_or_a_streams_id_that_is_too_long_to_be_kept_is_not(gp: gatepost.Gatepost) -> None:
    resources = WorkspaceResources(gp.engine, LOOKER)
    long = f"gatepost://task/acme%2Frepo/{'A' * 1_000_000}"
    longest = ResourceTarget("a/" * 63 + "ab", "todo", ":" * 64).uri
    wanted: dict[str, object] = {"notifications": {"resourceSubscriptions": [RADAR, long, longest]}}

    opened = subscriptions.listen(resources, McpRequest("x" * 1024, "subscriptions/listen", wanted))

    assert [watched.uri for watched in opened.watched] == [RADAR, longest]
    with pytest.raises(RpcError, match="at most 1024 characters"):
        subscriptions.listen(resources, McpRequest("x" * 1025, "subscriptions/listen", wanted))


@pytest.mark.parametrize(
    ("tool", "arguments", "touched"),
    [
        ("tasks_edit", {"task": "TASK-001", "title": "T"}, {RADAR, TASK, STEPS, PLAN}),
        ("tasks_note", {"task": "TASK-002", "note": "N"}, {RADAR, OTHER_TASK, PLAN}),
        ("tasks_focus_set", {"task": "TASK-002"}, {RADAR}),
        ("change_mind", {"selector": "goals", "content": "Ship."}, {RADAR, TASKDOC}),
        ("clear_mind", {"reminder_content": "Go on."}, {RADAR}),
        ("clear_mind", {"reminder_content": "Go on.", "task": "TASK-001"}, {RADAR, TASK}),
        ("taskdoc_rename", {"taskdoc": "release", "name": "shipping"}, {RADAR, TASKDOC}),
        ("todo_write", {"session": "crew", "items": ["A"]}, {TODO}),
        ("todo_write", {"session": "else", "items": ["A"]}, set()),
        ("tasks_undo", {}, {RADAR, TASKDOC}),
    ],
)
def test_every_change_touches_what_shows_it_and_little_else(
    gp: gatepost.Gatepost, tool: str, arguments: dict[str, Any], touched: set[str]
) -> None:
    for kind, title in (("plan", "Plan"), ("task", "Second")):
        gp.call("tasks_create", workspace=WORKSPACE, kind=kind, title=title)
    gp.call("taskdoc_create", workspace=WORKSPACE, name="release")
    resources = WorkspaceResources(gp.engine, LOOKER)
    workspace, before = resources.watch(RADAR)
    shown = {uri: resources.read(uri) for uri in ALL if uri != PLAN}

    gp.call(tool, workspace=WORKSPACE, **arguments)
    seq, found = resources.changed(workspace, before, ALL)

    assert set(found) == touched
    assert {uri for uri, was in shown.items() if uri not in found and resources.read(uri) != was} == set()
    assert resources.changed(workspace, seq, ALL) == (seq, [])


def test_who_was_away_for_long_is_told_of_everything(
    gp: gatepost.Gatepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "FAR", 2)
    resources = WorkspaceResources(gp.engine, LOOKER)
    workspace, before = resources.watch(RADAR)

    for number in range(3):
        gp.call("todo_write", workspace=WORKSPACE, session="else", items=[str(number)])

    assert resources.changed(workspace, before, [RADAR, TODO]) == (before + 3, [RADAR, TODO])
    assert resources.changed(workspace, before + 1, [RADAR, TODO]) == (before + 3, [])


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"notifications": []},
        {"notifications": {"resourceSubscriptions": RADAR}},
        {"notifications": {"resourceSubscriptions": [7]}},
    ],
)
def test_a_stream_that_is_not_asked_for_properly_is_an_invalid_parameter(given: dict[str, object]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {**given, "_meta": ENVELOPE}}

    reply = McpDispatcher(Faulty(), listens=True).answer(message, Peer())

    assert isinstance(reply, RpcReply)
    assert reply.code == -32602


def test_where_the_transport_cannot_tell_nothing_is_promised() -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"_meta": ENVELOPE}}
    subscribe = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": RADAR}}
    silent, telling = McpDispatcher(Faulty()), McpDispatcher(Faulty(), listens=True)

    codes = [reply.code for reply in map(_answer(silent), (message, subscribe))]
    mute = _answer(telling)(subscribe)

    assert codes == [-32601, -32601]
    assert json.loads(mute.body)["error"]["message"].startswith("this connection cannot receive notifications")


def test_a_stream_says_when_the_server_ends_it() -> None:
    opened = subscriptions.SubscriptionStream("listen-7", [])

    ended = json.loads(opened.ended())

    assert ended["id"] == "listen-7"
    assert ended["result"]["resultType"] == "complete"
    assert ended["result"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "listen-7"}
    assert McpRequest("listen-7", "x", {}).id == opened.id


def _answer(dispatcher: McpDispatcher) -> Any:
    return lambda message: dispatcher.answer(message, Peer("c", "2025-11-25"))
