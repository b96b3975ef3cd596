"""A store that others hold: whatever is asked, the client learns what is wrong, and that it can ask again."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

import gatepost
from gatepost.settings import Settings
from gatepost.storage.sqlite import connection_pool
from gatepost.surfaces.mcp.messages import Peer, RpcReply
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.toolbox import GatepostTools
from gatepost.surfaces.mcp.watched_resources import WatchedResource
from tests.givens import WORKSPACE
from tests.mcp.test_protocol import ENVELOPE

RADAR = "gatepost://radar/acme%2Frepo"
COMPLETE = {
    "ref": {"type": "ref/prompt", "name": "resume"},
    "argument": {"name": "task", "value": "T"},
    "context": {"arguments": {"workspace": WORKSPACE}},
}
LISTEN = {"notifications": {"resourceSubscriptions": [RADAR]}}


class Nothing:
    """Subscriptions that are never kept."""

    def add(self, watched: WatchedResource) -> bool:
        raise AssertionError(f"{watched} was not found, and yet kept")

    def remove(self, uri: str) -> None:
        """There is none."""


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a store that somebody else has for itself alone."""
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as opened:
        opened.call("tasks_create", workspace=WORKSPACE, kind="task", title="Ship")
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)
    with closing(apsw.Connection(str(tmp_path / "gp.db"))) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield tmp_path


@pytest.mark.requirement("call.busy.typed")
@pytest.mark.parametrize(
    ("method", "params", "modern"),
    [
        ("resources/list", {}, False),
        ("resources/list", {}, True),
        ("resources/read", {"uri": RADAR}, True),
        ("resources/subscribe", {"uri": RADAR}, False),
        ("subscriptions/listen", LISTEN, True),
        ("completion/complete", COMPLETE, False),
        ("completion/complete", COMPLETE, True),
    ],
)
def test_a_busy_store_is_told_with_the_next_step_and_is_no_fault(
    held: Path, method: str, params: dict[str, Any], modern: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(str(held), {"store": str(held / "gp.db"), "synchronous": "NORMAL"})
    toolbox = GatepostTools(settings, "core", output_schemas=False)
    given = {**params, "_meta": ENVELOPE} if modern else params
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": given}

    peer = Peer("c", None if modern else "2025-11-25", subscriptions=Nothing())
    reply = McpDispatcher(toolbox, listens=True).answer(message, peer)

    assert isinstance(reply, RpcReply)
    answered = json.loads(reply.body)
    assert (answered["id"], answered["error"]["code"]) == (7, -32603)
    assert "Other writers locked the store" in answered["error"]["message"]
    assert answered["error"]["data"]["code"] == "BUSY"
    assert "again" in answered["error"]["data"]["recovery"]
    assert answered["error"]["data"]["retry_after_ms"] > 0
    assert "fault" not in capsys.readouterr().err
    toolbox.close()
