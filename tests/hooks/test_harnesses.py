"""The hook's conversation: what harnesses send, what they get, and that nothing trips it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.surfaces.hooks.main import run, verdict
from gatepost.surfaces.hooks.pretool import CLOSED
from tests.hooks.givens import HEAVY, PROBE, Project, encoded

PATIENCE = 120
INSIDE = {"file_path": "a.tsk/goals.md"}
SHELL = {"command": "cat a.tsk/goals.md"}
OURS = {
    *("gatepost.surfaces.cli", "gatepost.surfaces.cli.main", "gatepost.surfaces.cli.errors"),
    *("gatepost", "gatepost.__main__", "gatepost.domain", "gatepost.domain.protected_names", "gatepost.surfaces"),
    *("gatepost.surfaces.hooks", "gatepost.surfaces.hooks.main"),
    *(f"gatepost.surfaces.hooks.{name}" for name in ("harnesses", "pretool", "disk_paths", "written_paths")),
    *(f"gatepost.surfaces.hooks.{name}" for name in ("shell", "shell_lexer", "word_roles", "command_options")),
    *(f"gatepost.surfaces.hooks.{name}" for name in ("program_text", "patches", "person_acts")),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TOOLS = st.sampled_from(["Read", "Write", "Glob", "Grep", "Bash", "apply_patch", "shell", "mcp__x__y", "Other"])
KEYS = st.sampled_from(["file_path", "path", "pattern", "command", "input", "glob", "paths", "workdir", "args"])
SNIPPETS = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                ".tsk",
                "/goals.md",
                " ",
                "'",
                '"',
                "\\",
                "$(",
                ")",
                "`",
                "${",
                "}",
                "$X",
                "X=",
                "{",
                ",",
                "*",
                "?",
            ),
            *(
                "[",
                "]",
                "<<EOF",
                "\n",
                "EOF",
                ">",
                "<",
                "|",
                "&",
                ";",
                "#",
                "cat",
                "echo",
                "sh -c ",
                "--- ",
                "+++ ",
            ),
            *(
                "*** Update File: ",
                "$'",
                "\\x",
                "\0",
                "\ud800",
                "\uff0e",
                "~",
                "/proc/self/cwd/",
                "file://",
                "..",
                "=",
                ":",
            ),
        ]
    ),
    max_size=30,
).map("".join)


def apart(event: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    """A hook in a process of its own."""
    command = [sys.executable, "-m", "gatepost", "hook", *(words or ("pre-tool",))]
    return subprocess.run(command, input=event, capture_output=True, timeout=PATIENCE)


@pytest.mark.requirement("guard.hook.verdict", "guard.hook.harnesses")
@pytest.mark.parametrize(
    ("event", "answer"),
    [
        (
            {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": INSIDE},
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": CLOSED,
                }
            },
        ),
        (
            {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": SHELL},
            {"decision": "deny", "reason": CLOSED},
        ),
        (
            {"hook_event_name": "beforeShellExecution", **SHELL},
            {"permission": "deny", "user_message": CLOSED, "agent_message": CLOSED},
        ),
        (
            {"toolName": "bash", "toolArgs": json.dumps(SHELL)},
            {"permissionDecision": "deny", "permissionDecisionReason": CLOSED},
        ),
    ],
    ids=["Claude Code and Codex", "Gemini CLI", "Cursor", "Copilot"],
)
def test_a_harness_is_told_no_in_its_own_words_and_with_exit_code_0(
    event: dict[str, Any], answer: dict[str, Any], tmp_path: Path
) -> None:
    done = apart(encoded({"cwd": str(tmp_path), **event}))

    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, answer, b"")


@pytest.mark.requirement("guard.hook.harnesses")
@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {"target_file": "a.tsk/x"}},
        {"hook_event_name": "beforeReadFile", "file_path": "/srv/a.tsk/g.md", "workspace_roots": ["/srv"]},
        {"hook_event_name": "beforeMCPExecution", "tool_name": "read", "tool_input": '{"path": "a.tsk/x"}'},
        {"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/srv/a.tsk"},
    ],
)
def test_every_event_of_cursor_is_understood(event: dict[str, Any]) -> None:
    assert json.loads(verdict(encoded(event)))["permission"] == "deny"


@pytest.mark.requirement("guard.hook.verdict")
def test_no_objection_is_silence_and_exit_code_0(project: Project) -> None:
    done = apart(encoded(project.event("Bash", {"command": "git commit -m 'the .tsk format'"})))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": INSIDE},
        {"hook_event_name": "SessionStart", "source": "startup"},
    ],
)
def test_other_events_are_let_pass_without_a_word(
    event: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(encoded(event)) == ""
    assert capsys.readouterr().err == ""


@pytest.mark.requirement("guard.hook.verdict")
@pytest.mark.parametrize(
    "payload", [b"", b"{", b"[]", b"7", b"\xff\xfe", b"{}", b'{"tool_name": 7}', b"[" * 100_000]
)
def test_what_is_no_tool_call_meets_no_objection_but_a_note(payload: bytes) -> None:
    done = apart(payload)

    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"gatepost hook: no objection: the input ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", [["pre-tol"], [""], ["pre-tool", "--now"]])
def test_a_slip_in_the_settings_does_not_block_every_tool(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(words)

    assert code not in (0, 2)
    assert "gatepost hook pre-tool" in capsys.readouterr().err


def test_help_shows_what_to_put_into_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0

    shown = capsys.readouterr().out
    settings = json.loads(shown[shown.index("  {") :])
    assert settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == "gatepost hook pre-tool"
    for event in ("PostToolUse", "PostToolUseFailure"):
        assert settings["hooks"][event][0]["hooks"][0]["command"] == "gatepost hook post-tool"
    assert settings["hooks"]["Stop"][0]["hooks"][0]["command"] == "gatepost hook stop"
    assert settings["hooks"]["PreCompact"][0]["hooks"][0]["command"] == "gatepost hook pre-compact"
    for event in ("SessionStart", "UserPromptSubmit"):
        assert settings["hooks"][event][0]["hooks"][0]["command"] == "gatepost hook session-start"
    assert "use pre-tool and\npost-tool together" in shown


def test_a_reader_that_is_gone_is_no_traceback(project: Project) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "gatepost", "hook", "pre-tool"]
    event = encoded(project.event("Read", INSIDE))

    done = subprocess.run(command, input=event, stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE)
    os.close(writing)

    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("tool", ["Read", "Bash", "apply_patch"])
def test_the_hook_loads_next_to_nothing(project: Project, tool: str) -> None:
    script = PROBE.format(path=[path for path in sys.path if path], hook="pre-tool")
    event = encoded(project.event(tool, {"file_path": "src/main.py", "command": "cat src/*.py | sh -c 'ls'"}))

    done = subprocess.run([sys.executable, "-S", "-c", script], input=event, capture_output=True, timeout=PATIENCE)

    code, *modules = done.stderr.decode().splitlines()[-1].split()
    assert code == "0"
    assert not HEAVY & set(modules)
    assert {name for name in modules if name.startswith("gatepost")} <= OURS


@given(payload=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_that_comes_in_raises(payload: bytes) -> None:
    answer = verdict(payload)

    assert answer == "" or json.loads(answer)


@given(tool=TOOLS | st.text(), arguments=st.dictionaries(KEYS, SNIPPETS | st.lists(SNIPPETS, max_size=3) | JSON))
def test_no_arguments_trip_the_guard(tool: str, arguments: dict[str, object]) -> None:
    answer = verdict(encoded({"cwd": "/", "tool_name": tool, "tool_input": arguments}))

    assert "guard of taskdoc packages failed" not in answer


@given(before=SNIPPETS, after=SNIPPETS)
def test_a_closed_path_is_denied_to_file_tools_whatever_stands_around_it(before: str, after: str) -> None:
    path = f"{before}/a.tsk/{after}"

    answer = verdict(encoded({"cwd": "/", "tool_name": "Read", "tool_input": {"file_path": path}}))

    assert json.loads(answer)["hookSpecificOutput"]["permissionDecision"] == "deny"
