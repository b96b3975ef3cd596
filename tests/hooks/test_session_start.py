"""The hook at the start of a session or a turn: what waits, in the harness's format."""

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
from gatepost.surfaces.hooks.main import beginning
from tests import postgres
from tests.givens import WORKSPACE
from tests.hooks.givens import HEAVY, PROBE, encoded
from tests.hooks.test_post_tool import LEAN

PATIENCE = 120
OURS = {*LEAN, "gatepost.surfaces.hooks.session_start"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without a store."""
    for name in ("GATEPOST_ROOT", "GATEPOST_STORE", "GATEPOST_WORKSPACE", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def gp(root: Path) -> Iterator[gatepost.Gatepost]:
    """The project's store, with a task."""
    with gatepost.connect(str(root / ".gatepost" / "gatepost.db"), actor="agent:codex") as opened:
        steps = [{"title": title} for title in ("Prices", "Refunds", "Taxes")]
        opened.call("tasks_create", workspace=WORKSPACE, kind="task", title="Shop", steps=steps)
        yield opened


def block(gp: gatepost.Gatepost, path: str, **arguments: Any) -> None:
    gp.call("tasks_block", workspace=WORKSPACE, task="TASK-001", path=path, **arguments)


def said(root: Path, event: str = "SessionStart", **more: Any) -> str:
    """What the agent reads."""
    answer = beginning(encoded({"hook_event_name": event, "session_id": "s-1", "cwd": str(root), **more}))
    if not answer:
        return ""
    found = json.loads(answer)["hookSpecificOutput"]
    assert found["hookEventName"] == event
    text: str = found["additionalContext"]
    return text


@pytest.mark.requirement("hook.session-start.waits")
def test_an_agent_that_begins_is_told_what_waits_and_what_was_answered(gp: gatepost.Gatepost, root: Path) -> None:
    block(gp, "s:0", ask="In which currency?")
    block(gp, "s:1", ask="How much?", **{"for": "human"})
    block(gp, "s:2", ask="Is this right?", **{"for": "agent:claude-code"})

    block(gp, "s:0", blocked=False, answer="EUR\nand nothing else")

    lines = [
        f"Gatepost, workspace {WORKSPACE}:",
        "Waiting for a person: 1 question. Your user sees them with `gatepost inbox`.",
        "agent:codex asks you, TASK-001 s:2: Is this right?",
        "Answered, TASK-001 s:0 “Prices”: EUR and nothing else (agent:codex)",
    ]
    assert said(root, "UserPromptSubmit").splitlines() == lines
    assert said(root).splitlines() == [*lines, "To work on: TASK-001 s:0 “Prices”. Start with tasks_radar."]


def test_a_turn_is_told_only_what_the_session_was_not_told_before(gp: gatepost.Gatepost, root: Path) -> None:
    block(gp, "s:0", ask="Which?")

    assert said(root) != ""
    assert said(root, "UserPromptSubmit") == ""
    block(gp, "s:0", blocked=False, answer="This one.")
    assert "This one." in said(root, "UserPromptSubmit")
    assert said(root, "UserPromptSubmit", session_id="s-2") != ""


def test_on_a_database_an_agent_that_waits_reads_its_answer_at_its_next_turn(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.fresh_store().close()
    monkeypatch.setenv("GATEPOST_STORE", postgres.server().url())
    with gatepost.connect(actor="agent:codex") as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="Shop", steps=[{"title": "Prices"}])
        block(gp, "s:0", ask="In which currency?")
        assert "Waiting for a person: 1 question" in said(root)
        block(gp, "s:0", blocked=False, answer="EUR")

    assert "Answered, TASK-001 s:0 “Prices”: EUR (agent:codex)" in said(root, "UserPromptSubmit")


def test_a_session_begins_with_the_goals_the_notes_and_what_the_last_round_left(
    gp: gatepost.Gatepost, root: Path
) -> None:
    gp.call("taskdoc_create", workspace=WORKSPACE, name="shop")
    gp.call("change_mind", workspace=WORKSPACE, selector="goals", content="Refunds work.\n")
    gp.call("tasks_note", workspace=WORKSPACE, task="TASK-001", path="s:0", note="Half way.")
    gp.call("clear_mind", workspace=WORKSPACE, reminder_content="Go on with the tests.", task="TASK-001")

    assert said(root, source="compact").splitlines()[1:] == [
        "From the last round, by agent:codex: Go on with the tests.",
        "To work on: TASK-001 s:0 “Prices”. Start with tasks_radar.",
        "Your context was cut. Leave a note of where you are with tasks_note before you continue.",
        "What it is for, says taskdoc shop: Refunds work.",
        "Note by agent:codex: Half way.",
    ]


def test_nothing_is_said_once_nothing_is_open(gp: gatepost.Gatepost, root: Path) -> None:
    assert said(root) != ""

    gp.call("tasks_delete", workspace=WORKSPACE, task="TASK-001")

    assert said(root) == ""


def test_the_newest_answers_are_told_first(gp: gatepost.Gatepost, root: Path) -> None:
    for path in ("s:1", "s:0", "s:2"):
        block(gp, path, ask="Why?")
        block(gp, path, blocked=False, answer=f"Because of {path}.")

    assert said(root).splitlines()[1:4] == [
        "Answered, TASK-001 s:2 “Taxes”: Because of s:2. (agent:codex)",
        "Answered, TASK-001 s:0 “Prices”: Because of s:0. (agent:codex)",
        "Answered earlier: 1 more, each with its step.",
    ]


def test_an_agent_is_told_what_its_sessions_hold(gp: gatepost.Gatepost, root: Path) -> None:
    with gatepost.connect(str(root / ".gatepost" / "gatepost.db"), actor="agent:claude-code/aaaa") as other:
        other.call("tasks_claim", workspace=WORKSPACE, task="TASK-001")
        gp.call("tasks_claim", workspace=WORKSPACE, task="TASK-001", path="s:1")
        with gatepost.connect(str(root / ".gatepost" / "gatepost.db"), actor="agent:claude-code-2/aaaa") as third:
            third.call("tasks_claim", workspace=WORKSPACE, task="TASK-001", path="s:2")

        assert [line.partition(" since ")[0] for line in said(root, "UserPromptSubmit").splitlines()[1:]] == [
            "Held by agent:claude-code/aaaa"
        ]


def test_what_it_says_is_short_whatever_others_wrote(gp: gatepost.Gatepost, root: Path) -> None:
    for path in ("s:0", "s:1", "s:2"):
        block(gp, path, ask="Why? " * 3_000)
        block(gp, path, blocked=False, answer="So. " * 3_000)

    assert 100 < len(said(root)) <= 1_000


@pytest.mark.parametrize(
    ("event", "key"),
    [
        ({"hook_event_name": "sessionStart", "workspace_roots": ["{root}"]}, "additional_context"),
        ({"source": "new", "cwd": "{root}"}, "additionalContext"),
    ],
)
def test_other_harnesses_get_it_in_their_own_format(
    gp: gatepost.Gatepost, root: Path, event: dict[str, Any], key: str
) -> None:
    block(gp, "s:0", ask="Which?")

    answer = json.loads(beginning(encoded(event).replace(b"{root}", str(root).encode())))

    assert answer[key].startswith("Gatepost, workspace")


def test_without_a_store_it_says_nothing_and_loads_next_to_nothing(root: Path) -> None:
    script = PROBE.format(path=[path for path in sys.path if path], hook="session-start")
    event = encoded({"hook_event_name": "SessionStart", "cwd": str(root)})

    done = subprocess.run([sys.executable, "-S", "-c", script], input=event, capture_output=True, timeout=PATIENCE)

    code, *modules = done.stderr.decode().splitlines()[-1].split()
    assert (code, done.stdout) == ("0", b"")
    assert not HEAVY & set(modules)
    assert {name for name in modules if name.startswith("gatepost")} <= OURS
    assert not (root / ".gatepost").exists()


def test_a_store_that_cannot_be_read_is_none_of_the_agents_business(root: Path) -> None:
    (root / ".gatepost").mkdir()
    (root / ".gatepost" / "gatepost.db").write_bytes(b"not a store at all" * 100)

    assert said(root) == ""


@given(payload=st.binary() | st.dictionaries(st.text(), st.none() | st.text()).map(encoded))
def test_nothing_that_comes_in_raises(payload: bytes) -> None:
    assert beginning(payload) == ""


def test_other_events_are_left_alone(root: Path) -> None:
    assert beginning(encoded({"hook_event_name": "Stop", "cwd": str(root)})) == ""
