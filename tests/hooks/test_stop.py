"""The hooks when an agent stops and when its context is cut: what it holds is not dropped without a word."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gatepost
from gatepost.surfaces.hooks.main import compacting, stopping
from tests.givens import WORKSPACE
from tests.hooks.givens import HEAVY, PROBE, encoded
from tests.hooks.test_post_tool import LEAN

PATIENCE = 120
OURS = {
    *LEAN,
    *(f"gatepost.{name}" for name in ("surfaces.hooks.held_work", "storage", "storage.sqlite", "engine", "domain")),
    *("gatepost.storage.sqlite.hook_reads", "gatepost.engine.processes", "gatepost.domain.places"),
}
HELD = f"TASK-001 s:0 “Prices” (workspace {WORKSPACE})"
STOPS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "Claude Code": (
        {
            "session_id": "0b9d-aa",
            "transcript_path": "/home/x/.claude/projects/x/0b9d.jsonl",
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": "Done.",
        },
        {"decision": "block"},
    ),
    "Codex": (
        {
            "session_id": "0199",
            "turn_id": "7",
            "transcript_path": None,
            "hook_event_name": "Stop",
            "model": "gpt",
            "permission_mode": "default",
            "stop_hook_active": False,
            "last_assistant_message": None,
        },
        {"decision": "block"},
    ),
    "Gemini CLI": (
        {
            "session_id": "9c1e",
            "transcript_path": "/x",
            "hook_event_name": "AfterAgent",
            "timestamp": "2026-11-16T05:00:00Z",
            "prompt": "Do it.",
            "prompt_response": "Done.",
            "stop_hook_active": False,
        },
        {"decision": "deny"},
    ),
    "Copilot": (
        {"timestamp": 1704614600000, "sessionId": "c-1", "transcriptPath": "/x", "stopReason": "end_turn"},
        {"decision": "block"},
    ),
}
"""What each harness sends when its agent stops, and its word for going on."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without a store."""
    for name in ("GATEPOST_ROOT", "GATEPOST_STORE", "GATEPOST_WORKSPACE", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GEMINI_PROJECT_DIR", raising=False)
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def gp(root: Path) -> Iterator[gatepost.Gatepost]:
    """An agent's server in this process, as if the harness had started it. It holds the first step of a task."""
    with gatepost.connect(str(root / ".gatepost" / "gatepost.db"), actor="agent:claude-code/aaaa") as opened:
        steps = [{"title": title} for title in ("Prices", "Refunds")]
        opened.call("tasks_create", workspace=WORKSPACE, kind="task", title="Shop", steps=steps)
        opened.call("tasks_claim", workspace=WORKSPACE, task="TASK-001")
        yield opened


def stops(root: Path, event: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What the harness reads when its agent stops."""
    answer = stopping(encoded({"cwd": str(root), **event, **more}))
    said: dict[str, Any] = json.loads(answer) if answer else {}
    return said


@pytest.mark.parametrize("harness", STOPS)
def test_an_agent_that_holds_an_open_step_is_kept_working_once(
    gp: gatepost.Gatepost, root: Path, harness: str
) -> None:
    event, verdict = STOPS[harness]

    answer = stops(root, event)

    assert answer.pop("reason").startswith(f"You hold work that is open: {HELD}.")
    assert answer == verdict
    assert stops(root, event, stop_hook_active=True) == {}


def test_cursor_and_vs_code_are_answered_in_their_own_format(gp: gatepost.Gatepost, root: Path) -> None:
    cursor = {"hook_event_name": "stop", "conversation_id": "668c", "status": "completed", "loop_count": 0}
    code = {"hookEventName": "Stop", "sessionId": "v-1", "timestamp": "2026-11-16T05:00:00Z"}

    assert HELD in stops(root, cursor)["followup_message"]
    assert stops(root, cursor, loop_count=1) == stops(root, cursor, status="aborted") == {}
    answer = stops(root, code)["hookSpecificOutput"]
    assert (answer["hookEventName"], answer["decision"]) == ("Stop", "block")
    assert stops(root, code, stop_hook_active=True) == {}


def test_an_agent_may_stop_once_its_step_is_blocked_or_closed(gp: gatepost.Gatepost, root: Path) -> None:
    event, _ = STOPS["Claude Code"]
    gp.call("tasks_block", workspace=WORKSPACE, task="TASK-001", path="s:0", ask="Which?", **{"for": "human"})
    assert stops(root, event) == {}

    gp.call("tasks_claim", workspace=WORKSPACE, task="TASK-001", path="s:1")
    assert "TASK-001 s:1" in stops(root, event)["reason"]
    confirmed = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    gp.call("tasks_close_step", workspace=WORKSPACE, task="TASK-001", path="s:1", checkpoints=confirmed)
    assert stops(root, event) == {}


def test_what_the_agent_of_another_harness_holds_keeps_nobody_working(root: Path) -> None:
    holds = """
import sys, gatepost
with gatepost.connect(sys.argv[1], actor="agent:claude-code/bbbb") as gp:
    gp.call("tasks_create", workspace="acme/repo", kind="task", title="Shop", steps=[{"title": "Prices"}])
    gp.call("tasks_claim", workspace="acme/repo", task="TASK-001")
    print("held", flush=True)
    sys.stdin.read()
"""
    # A harness of its own, which starts a server: neither is above this process.
    starts = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"
    command = [sys.executable, "-c", starts, holds, str(root / ".gatepost/gatepost.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert stops(root, STOPS["Claude Code"][0]) == {}
        other.communicate(timeout=PATIENCE)

    assert stops(root, STOPS["Claude Code"][0]) == {}  # its claim ended with it


def test_before_a_cut_the_step_is_named_and_a_note_is_asked_for(gp: gatepost.Gatepost, root: Path) -> None:
    def hears(**event: Any) -> str:
        return compacting(encoded({"cwd": str(root), **event}))

    claude = hears(hook_event_name="PreCompact", session_id="s-1", trigger="auto", custom_instructions="")
    codex = json.loads(hears(hook_event_name="PreCompact", turn_id="7", session_id="0199", trigger="auto"))
    gemini = json.loads(hears(hook_event_name="PreCompress", trigger="auto", timestamp="2026-11-16T05:00:00Z"))
    cursor = json.loads(hears(hook_event_name="preCompact", conversation_id="668c", trigger="auto"))

    assert HELD in claude
    assert "tasks_note" in claude
    assert [*codex] == [*gemini] == ["systemMessage"]
    assert codex == gemini
    assert cursor == {"user_message": codex["systemMessage"]}
    assert HELD in codex["systemMessage"]
    assert hears(timestamp=1704614600000, sessionId="c-1", trigger="auto") == ""  # Copilot reads no answer


@pytest.mark.parametrize("hook", ["stop", "pre-compact"])
def test_it_loads_next_to_nothing_even_where_something_is_held(
    gp: gatepost.Gatepost, root: Path, hook: str
) -> None:
    script = PROBE.format(path=[path for path in sys.path if path], hook=hook)
    name = {"stop": "Stop", "pre-compact": "PreCompact"}[hook]
    event = encoded({"hook_event_name": name, "cwd": str(root)})

    done = subprocess.run([sys.executable, "-S", "-c", script], input=event, capture_output=True, timeout=PATIENCE)

    code, *modules = done.stderr.decode().splitlines()[-1].split()
    assert code == "0"
    assert b"TASK-001 s:0" in done.stdout
    assert HEAVY & set(modules) == {"apsw"}
    assert {name for name in modules if name.startswith("gatepost")} <= OURS


def test_without_a_store_or_with_a_damaged_one_nothing_is_said(root: Path) -> None:
    event, _ = STOPS["Claude Code"]
    assert stops(root, event) == {}
    (root / ".gatepost").mkdir()
    (root / ".gatepost/gatepost.db").write_bytes(b"not a store at all" * 100)
    assert stops(root, event) == {}


@given(payload=st.binary() | st.dictionaries(st.text(), st.none() | st.text()).map(encoded))
def test_nothing_that_comes_in_raises(payload: bytes) -> None:
    assert stopping(payload) == compacting(payload) == ""
