"""The hook and people: an agent uses no person's name, and takes no decision that is a person's."""

import json
from typing import Any

import pytest

from gatepost.surfaces.hooks.main import verdict
from gatepost.surfaces.hooks.person_acts import DECISION, NAME
from tests.hooks.givens import Project, encoded
from tests.look_alikes import LOOK_ALIKES

CALL = "gatepost call tasks_close_step '{}'"
NAMED = [
    f"{CALL} --actor human:boss",
    f"{CALL} --actor=human:boss",
    f"{CALL} --actor 'human:boss'",
    f'{CALL} --actor "human:$USER"',
    f"{CALL} --actor hu'man':boss",
    f"{CALL} --actor Human:boss",
    f"{CALL} --actor ' human:boss'",
    f"WHO=human:boss; {CALL} --actor $WHO",
    f"cd src && {CALL} --actor human:boss | jq .",
    f"python -m gatepost{CALL[8:]} --actor human:boss",
    f"python3 -X dev -m gatepost{CALL[8:]} --actor human:boss",
    f".venv/bin/{CALL} --actor human:boss",
    f"uv run {CALL} --actor human:boss",
    f"uvx --from . {CALL} --actor human:boss",
    f"bash -lc '{CALL[:-5]} --actor human:boss'",
    f"echo '{CALL[:-5]} --actor human:boss' | sh",
    f"sh <<'EOF'\n{CALL} --actor human:boss\nEOF",
    f"eval '{CALL[:-5]} --actor human:boss'",
    "echo '{}' | xargs gatepost call tasks_close_step --actor human:boss",
    'x=$(gatepost undo --actor human:boss); echo "$x"',
    "gatepost undo --yes --actor human:boss",
    "gatepost tui --actor human:boss",
    "gatepost mcp --actor human:boss",
    f"GATEPOST_ACTOR=human:boss {CALL}",
    f"GATEPOST_ACTOR='human:the boss' {CALL}",
    f'GATEPOST_ACTOR="human:$(whoami)" {CALL}',
    f"env GATEPOST_ACTOR=human:boss {CALL}",
    f"env -i GATEPOST_ACTOR=human:boss {CALL}",
    f"env -u CLAUDECODE GATEPOST_ACTOR='human:the boss' {CALL}",
    f"export GATEPOST_ACTOR=human:boss; {CALL}",
    f"export GATEPOST_ACTOR='human:the boss' && {CALL}",
    "declare -x GATEPOST_ACTOR=human:boss",
    f"GATEPOST_ACTOR=human:boss; export GATEPOST_ACTOR; {CALL}",
    "GATEPOST_ACTOR=human:boss python work.py",
    "GATEPOST_ACTOR=human:boss make check",
    "docker run -e GATEPOST_ACTOR=human:boss image",
]
DECIDED = [
    "gatepost trust",
    "gatepost trust --yes",
    "gatepost init --yes --allow pytest",
    "gatepost trust --allow pytest",
    "gatepost trust --revoke",
    "cd /tmp && gatepost trust",
    "yes | gatepost trust",
    "gatepost approve PLAN-001",
    "python -m gatepost approve PLAN-001",
    "uv run gatepost approve PLAN-001",
    "env -u CLAUDECODE gatepost approve PLAN-001",
    "timeout -k 5 60 gatepost approve PLAN-001",
    "unbuffer gatepost approve PLAN-001",
    "bash -c 'gatepost approve PLAN-001'",
    "echo PLAN-001 | xargs -n1 gatepost approve",
    'if gatepost approve PLAN-001; then echo "approved"; fi',
]
ALLOWED = [
    CALL,
    f"{CALL} --actor agent:builder",
    f"{CALL} --actor humanoid:x",
    f"GATEPOST_ACTOR=agent:builder {CALL}",
    'gatepost call tasks_note \'{"task": "TASK-001", "note": "--actor human:boss is refused"}\'',
    "gatepost trust --show",
    "gatepost trust --help",
    "gatepost approve -h",
    "gatepost help trust",
    "gatepost radar",
    "git commit -m 'gatepost approve: deny --actor human:boss and GATEPOST_ACTOR=human:boss'",
    "git commit -am \"$(cat <<'EOF'\nDeny GATEPOST_ACTOR=human:x\n\ngatepost trust is for people.\nEOF\n)\"",
    "echo 'run gatepost approve PLAN-001 --actor human:boss'",
    "echo GATEPOST_ACTOR=human:boss",
    "grep -rn 'GATEPOST_ACTOR=human:' src",
    "rg GATEPOST_ACTOR=human: docs",
    "rg -n -- '--actor human:' tests",
    "git log --grep 'gatepost trust'",
    "git log -S GATEPOST_ACTOR=human: -- src",
    "cat >> notes.md <<'EOF'\nGATEPOST_ACTOR=human:boss gatepost approve PLAN-001\nEOF",
    "gh pr create --title 'gatepost approve' --body 'use --actor human:boss'",
    "pytest -k 'human or approve' tests",
    "unset GATEPOST_ACTOR",
    "echo $GATEPOST_ACTOR",
    "ls src/gatepost/surfaces/cli/commands/trust.py",
]
BASH = {"command": f"{CALL} --actor human:boss"}
RECORDED: list[dict[str, Any]] = [
    {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": BASH},
    {"session_id": "s", "turn_id": "7", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": BASH},
    {"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": BASH},
    {"conversation_id": "c", "hook_event_name": "beforeShellExecution", **BASH},
    {"conversation_id": "c", "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": BASH},
    {"sessionId": "s", "toolName": "bash", "toolArgs": json.dumps(BASH)},
]


@pytest.mark.parametrize("command", NAMED)
def test_a_command_under_a_persons_name_is_denied(project: Project, command: str) -> None:
    assert project.runs(command) == NAME


@pytest.mark.parametrize("command", DECIDED)
def test_a_decision_of_a_person_is_denied(project: Project, command: str) -> None:
    assert project.runs(command) == DECISION


@pytest.mark.parametrize("command", ALLOWED)
def test_commands_that_only_speak_of_it_run(project: Project, command: str) -> None:
    assert project.runs(command) is None


@pytest.mark.parametrize("name", [name for name in LOOK_ALIKES if "\0" not in name], ids=ascii)
def test_look_alikes_of_a_persons_name_are_denied(project: Project, name: str) -> None:
    assert project.asks("shell", {"command": ["gatepost", "undo", "--actor", name]}) == NAME
    assert project.asks("shell", {"command": ["env", f"GATEPOST_ACTOR={name}", "gatepost", "undo"]}) == NAME


@pytest.mark.parametrize("variables", ["env", "environment"])
def test_a_persons_name_in_a_tools_own_variables_is_denied(project: Project, variables: str) -> None:
    given = {"command": ["gatepost", "undo"], variables: {"GATEPOST_ACTOR": "human:boss"}}

    assert project.asks("shell", given) == NAME


@pytest.mark.parametrize("event", RECORDED, ids=lambda event: event.get("hook_event_name", "copilot"))
def test_every_harness_gets_the_reason(project: Project, event: dict[str, Any]) -> None:
    assert NAME in json.dumps(json.loads(verdict(encoded({"cwd": str(project.root), **event}))))
