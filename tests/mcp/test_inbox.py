"""A question over MCP: an agent asks, a person answers on the command line, and the agent is told and reads it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

import gatepost
from gatepost.engine.caller import Caller
from gatepost.surfaces.mcp.messages import UnknownName
from gatepost.surfaces.mcp.resources import WorkspaceResources
from tests.givens import CONFIRMED, WORKSPACE
from tests.mcp.sdk_clients import MODES, PATIENCE, TRANSPORTS, store, talk
from tests.mcp.test_subscriptions import Ears, subscribe

INBOX = "gatepost://inbox/acme%2Frepo"
HERE = {"workspace": WORKSPACE, "task": "TASK-001"}
AGENT = Caller("agent:codex/7f31")
# Legacy clients subscribe so, whatever has become of the method since.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.fixture
def gp(tmp_path: Path) -> Iterator[gatepost.Gatepost]:
    """A store with a task."""
    with store(tmp_path) as opened:
        steps = [{"title": "Prices"}, {"title": "Refunds"}]
        opened.call("tasks_create", workspace=WORKSPACE, kind="task", title="Ship", steps=steps)
        yield opened


def step_of(gp: gatepost.Gatepost, path: str = "s:0") -> str:
    found: str = gp.call("tasks_resume", workspace=WORKSPACE, task="TASK-001", path=path)["step"]["step_id"]
    return found


def typed(folder: Path, *words: str) -> str:
    """What a person's command prints."""
    command = [sys.executable, "-m", "gatepost", *words, "--store", str(folder / "gp.db"), "--root", str(folder)]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, env={**os.environ}, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The reply to a call of the agent."""
    content = (await client.call_tool(tool, {**HERE, **arguments})).content[0]
    reply: dict[str, Any] = json.loads(getattr(content, "text", ""))
    return reply


async def read(client: Client, uri: str) -> dict[str, Any]:
    """What the agent reads at an address."""
    found: dict[str, Any] = json.loads(getattr((await client.read_resource(uri)).contents[0], "text", ""))
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.requirement("question.wait.told")
def test_an_agent_asks_a_person_answers_and_the_agent_is_told_and_reads_it(
    gp: gatepost.Gatepost, tmp_path: Path, transport: str, mode: str
) -> None:
    ears = Ears()
    step = step_of(gp)
    question = f"gatepost://question/acme%2Frepo/{step}"

    async def use(client: Client) -> None:
        async with anyio.create_task_group() as group:
            if mode == "legacy":
                await subscribe(client, INBOX, question)
            else:
                await group.start(ears.listen, client, INBOX, question)
            asked = {"ask": "In which currency?", "options": ["EUR", "USD"], "for": "human"}
            reply = await told(client, "tasks_block", step_id=step, **asked)
            await ears.until(INBOX, question)
            assert reply["now"]["title"] == "Refunds"
            assert (await read(client, INBOX))["items"][0]["ask"] == "In which currency?"
            assert (await read(client, question))["open"] is True
            seen = await anyio.to_thread.run_sync(lambda: typed(tmp_path, "inbox"))
            assert "gatepost answer TASK-001 s:0" in seen

            answer = ("answer", "TASK-001", "s:0", "EUR", "--actor", "human:ann")
            await anyio.to_thread.run_sync(lambda: typed(tmp_path, *answer))

            await ears.until(INBOX, question)
            state = await read(client, question)
            assert (state["open"], state["answer"]["answer"], state["answer"]["actor"]) == (
                False,
                "EUR",
                "human:ann",
            )
            assert (await read(client, INBOX))["items"] == []
            now = (await told(client, "tasks_note", path="s:1", note="Begun."))["now"]
            assert (now["step_id"], now["answer"]["answer"]) == (step, "EUR")
            radar = await told(client, "tasks_radar")
            assert radar["now"]["answer"]["question"] == "In which currency?"
            group.cancel_scope.cancel()

    talk(transport, mode, tmp_path, use, handler=ears.handle)


@pytest.mark.parametrize(
    ("tool", "arguments", "touched"),
    [
        ("tasks_block", {"path": "s:1", "ask": "Which?"}, {INBOX}),
        ("tasks_block", {"path": "s:0", "ask": "Which?"}, {INBOX, "question"}),
        ("tasks_note", {"path": "s:1", "note": "N"}, set()),
        ("tasks_close_step", {"path": "s:1", "checkpoints": CONFIRMED}, set()),
        ("tasks_verify", {"path": "s:1", "checkpoints": CONFIRMED}, {INBOX}),
        ("tasks_policy", {"signoff": {"tests": "human"}}, {INBOX, "question"}),
        ("tasks_undo", {}, {INBOX, "question"}),
    ],
)
def test_an_inbox_is_touched_by_what_comes_or_goes_and_by_little_else(
    gp: gatepost.Gatepost, tool: str, arguments: dict[str, Any], touched: set[str]
) -> None:
    gp.call("tasks_edit", workspace=WORKSPACE, task="TASK-001", title="Shipping")
    uris = {INBOX: INBOX, "question": f"gatepost://question/acme%2Frepo/{step_of(gp)}"}
    resources = WorkspaceResources(gp.engine, AGENT)
    workspace, before = resources.watch(INBOX)

    gp.call(tool, workspace=WORKSPACE, task="TASK-001", **arguments)
    seq, found = resources.changed(workspace, before, uris.values())

    assert {name for name, uri in uris.items() if uri in found} == touched
    assert resources.changed(workspace, seq, uris.values()) == (seq, [])


def test_a_question_of_no_step_is_not_found(gp: gatepost.Gatepost) -> None:
    resources = WorkspaceResources(gp.engine, AGENT)

    for name in ("STEP-00000000", "TASK-001", "x"):
        with pytest.raises(UnknownName, match=name):
            resources.read(f"gatepost://question/acme%2Frepo/{name}")
