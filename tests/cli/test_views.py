"""What people see: radar, list, tree and log; and that each line to paste works when pasted."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gatepost.surfaces.cli.command_list import COMMANDS
from gatepost.surfaces.terminal import columns
from tests.cli.givens import PATIENCE, WORKSPACE, Desk

THREE = {"events_limit": 3}
HOSTILE = "\u202egnol \u200f日本\u2066 title"


def pasted(line: str) -> dict[str, Any]:
    """The reply of a `gatepost` line, run by a shell as it stands, as JSON."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", f"{line} --json"],
        capture_output=True,
        env={**os.environ, "PATH": path},
        timeout=PATIENCE,
        check=True,
    )
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        (("radar",), "tasks_radar", {}),
        (("radar", "TASK-001"), "tasks_radar", {"task": "TASK-001"}),
        (("ls",), "tasks_context", {}),
        (("ls", "--status", "active", "--tag", "auth"), "tasks_context", {"status": "ACTIVE", "tag": "auth"}),
        (("ls", "--ready", "--limit", "1"), "tasks_context", {"ready": True, "limit": 1}),
        (("show", "TASK-001"), "tasks_resume", {"task": "TASK-001"}),
        (("show", "TASK-001", "s:1"), "tasks_resume", {"task": "TASK-001", "path": "s:1"}),
        (("show", "--events", "3", "TASK-001", "s:1"), "tasks_resume", {"task": "TASK-001", "path": "s:1"} | THREE),
        (("log", "--since", "2"), "tasks_delta", {"since": 2, "limit": 50}),
        (("log", "--since", "0", "--type", "step_done"), "tasks_delta", {"types": ["step_done"], "limit": 50}),
        (("log", "--since", "2026-01-01T00:00:01Z"), "tasks_delta", {"since": "2026-01-01T00:00:01Z", "limit": 50}),
        (("log", "TASK-001", "--since", "0"), "tasks_delta", {"task": "TASK-001", "limit": 50}),
    ],
)
def test_json_is_the_operations_reply(
    desk: Desk, words: tuple[str, ...], tool: str, arguments: dict[str, Any]
) -> None:
    desk.passkeys()

    ran = desk.here(*words, "--json")

    assert ran == (0, desk.world.ask(tool, **arguments).text + "\n", "")


def test_a_refusal_is_json_on_stdout_with_json_and_words_on_stderr_without(desk: Desk) -> None:
    desk.passkeys()

    for_programs = desk.here("show", "TASK-042", "--json")
    for_people = desk.here("show", "TASK-042")

    assert for_programs == (3, desk.world.ask("tasks_resume", task="TASK-042").text + "\n", "")
    assert for_people.out == ""
    what, recovery, suggestion = for_people.err.splitlines()
    assert "there is no TASK-042" in what
    assert "what exists" in recovery
    assert pasted(suggestion)["items"][0]["id"] == "TASK-001"


def test_the_radar_is_one_screen_and_its_next_line_works(desk: Desk) -> None:
    task = desk.world.task("Only step", description="Because.")

    shown = desk.here("radar", "--store", os.environ["GATEPOST_STORE"]).out.splitlines()

    labels = [line[:10].strip() for line in shown if line[:1].strip()]
    assert labels == ["TASK-001", "acme/repo", "Now", "Why", "Verify", "Next"]
    assert len(shown) <= 24
    line = next(line for line in shown if "gatepost close TASK-001 s:0" in line)
    assert f"--store {os.environ['GATEPOST_STORE']}" in line
    assert shown[shown.index(line) + 1].strip() == "Add to it: --criteria, --tests"
    assert pasted(f"{line} --criteria --tests")["events"][-1]["type"] == "step_done"
    assert desk.world.step(task, "s:0")["done"]


def test_the_radar_names_what_stands_in_the_way(desk: Desk) -> None:
    task = desk.passkeys()
    desk.world.task(title="Later", depends_on=[task])

    mine = desk.here("radar", task).out
    later = desk.here("radar", "TASK-002").out

    assert "■ s:2  Deploy: staging is down" in mine
    assert "TASK-002 waits for TASK-001" in later


def test_a_list_tells_state_by_sign_and_word_and_how_far_it_is(desk: Desk) -> None:
    desk.passkeys()
    desk.world.task(title="Wide 日本語 title", depends_on=["TASK-001"], priority="CRITICAL")

    first, second = desk.here("ls").out.splitlines()

    assert "● ACTIVE" in first
    assert "░ 1/5  1 blocked" in first
    assert "◷ TODO" in second
    assert "CRITICAL" in second
    assert "waits for 1" in second
    assert columns(first[: first.index("●")]) == columns(second[: second.index("◷")])


def test_a_tree_shows_every_step_with_its_state(desk: Desk) -> None:
    task = desk.passkeys()

    shown = desk.here("show", task).out

    tree = [
        line.split("  ")[0] if line[0] != "│" else line[:14].rstrip()
        for line in shown.splitlines()
        if line[:1] in "├│└" and line
    ]
    assert tree == ["├─ ○ Draft", "│  ├─ ✓ Markup", "│  └─ ● Styles", "├─ ○ Wire", "└─ ■ Deploy"]
    assert "blocked: staging is down" in shown
    assert "needs criteria, tests, security" in shown
    assert "No more passwords." in shown


def test_a_step_is_shown_with_what_proves_it_by_path_or_id(desk: Desk) -> None:
    task = desk.passkeys()
    step_id = desk.world.step(task, "s:1")["step_id"]

    by_path, by_id = desk.here("show", task, "s:1"), desk.here("show", task, step_id)
    closed = desk.here("show", task, "s:0.s:0").out

    assert by_path == by_id
    assert "○ criteria\n    · 401 when stale" in by_path.out
    assert "○ security" in by_path.out
    assert "◑ criteria noted by tester, " in closed
    assert "○ not confirmed  ◔ word only  ◑ noted  ◕ evidence  ● checked  ☻ confirmed by a person" in closed


def test_a_plan_is_shown_with_its_tasks(desk: Desk) -> None:
    plan = desk.world.plan(contract="Nobody is signed out.")
    desk.world.task(title="In the plan", plan=plan)

    shown = desk.here("show", plan, "--events", "5").out

    assert "Nobody is signed out." in shown
    assert "TASK-001  In the plan" in shown
    assert "plan_created" in shown


@pytest.mark.parametrize("words", [("ls", "--limit", "2", "--tag", "it's"), ("show", "TASK-001", "--limit", "2")])
def test_a_list_that_has_more_says_how_to_get_it(desk: Desk, words: tuple[str, ...]) -> None:
    for _ in range(3):
        desk.world.task("One", "Two", "Three", tags=["it's"])

    *_, hint = desk.here(*words).out.splitlines()
    rest = pasted(hint.partition(":")[2] + " --json")

    assert hint.startswith("More:")
    assert not rest["has_more"]
    assert len(rest.get("items", []) + rest.get("steps", [])) == 1


def test_pages_of_the_log_follow_each_other(desk: Desk) -> None:
    desk.passkeys()

    first = desk.here("log", "--since", "0", "--limit", "2").out.splitlines()
    rest = pasted(first[-1].partition(":")[2] + " --json")

    assert [line.split()[0] for line in first[:2]] == ["1", "2"]
    assert rest["events"][0]["seq"] == 3


def test_the_log_ends_with_the_latest_events(desk: Desk) -> None:
    desk.passkeys()
    latest = desk.world.ok("tasks_delta")["next"]
    desk.world.task(title="Another")

    all_of_it = desk.here("log", "--limit", "1").out
    of_one = desk.here("log", "TASK-001", "--limit", "1").out
    of_type = desk.here("log", "--type", "step_done", "--type", "step_verified", "--limit", "1").out

    assert all_of_it.split()[0] == str(latest + 1)
    assert of_one.split()[0] == str(latest)
    assert "step_done" in of_type
    assert len(of_type.splitlines()) == 1


def test_a_followed_log_shows_what_comes_as_it_comes(desk: Desk) -> None:
    task = desk.passkeys()
    words = [sys.executable, "-m", "gatepost", "log", task, "--follow", "--type", "step_noted", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None

        desk.world.ok("tasks_note", task=task, note="first")
        seen = json.loads(process.stdout.readline())
        desk.world.ok("tasks_note", task=desk.world.task(), note="not mine")
        desk.world.ok("tasks_note", task=task, note="second")
        then = json.loads(process.stdout.readline())
        process.terminate()

    assert (seen["note"], then["note"]) == ("first", "second")


def test_hostile_texts_are_spelled_out(desk: Desk) -> None:
    task = desk.world.task(
        "Step " + HOSTILE, title=HOSTILE, description="red \x1b[31m\x07\r\nand\x9b2J \u2028 more"
    )
    desk.world.ok("tasks_note", task=task, note="over\x1b[2Jwritten")

    shown = "".join(desk.here(*words).out for words in (("ls",), ("radar",), ("show", task), ("log",)))

    assert not set(shown) & set("\x1b\x07\r\x9b\u202e\u200f\u2066\u2028")
    for spelled in (r"\u202egnol", r"\u001b[31m\u0007", r"\u009b2J", r"over\u001b[2Jwritten"):
        assert spelled in shown


def test_a_hostile_title_cannot_break_out_of_the_line_to_paste(desk: Desk, bare: Path) -> None:
    title = "it's $(touch broken) `touch broken` \u202e; touch broken"
    task = desk.world.task(title, title=title)
    desk.world.ok("tasks_block", task=task, path="s:0", reason=title)

    shown = desk.here("radar").out
    resumed = pasted(next(line for line in shown.splitlines() if "gatepost show" in line))

    assert "\u202e" not in shown
    assert not (bare / "broken").exists()
    assert resumed["step"]["title"] == title


def test_an_empty_workspace_is_not_an_error_and_names_the_others(desk: Desk) -> None:
    desk.passkeys()

    for command in ("radar", "ls", "log"):
        ran = desk.here(command, "--workspace", "acme/rpo")
        assert ran.code == 0
        assert f"The store has: {WORKSPACE}" in ran.out


def test_help_ends_with_examples_and_names_every_command(desk: Desk) -> None:
    commands = tuple(command for command in COMMANDS if command not in ("up", "tui", "redo"))

    manual = desk.here("--help").out

    assert desk.here("help").out == manual
    for command in commands:
        assert re.search(rf"\n  {command}[ ,]", manual)
        told = desk.here(command, "--help").out
        assert f"gatepost {command}" in told[told.index("examples:") :]
        manual += told
    assert [line for line in manual.splitlines() if len(line) > 80] == []


def test_mistyped_words_are_answered_with_the_next_best(desk: Desk) -> None:
    assert "did you mean radar?" in desk.here("radr").err
    assert "gatepost call tasks_note" in desk.here("tasks_note").err
    assert "Put the command first" in desk.here("--workspace", "x", "ls").err


@pytest.mark.requirement("tasks.plan.checklist-everywhere", "tasks.items.several-lines")
@pytest.mark.parametrize("command", ["radar", "show", "handoff"])
def test_a_plan_is_shown_with_its_checklist_and_every_line_of_an_item(desk: Desk, command: str) -> None:
    plan = desk.world.plan()
    desk.world.task("a", plan=plan)
    desk.world.ok("tasks_plan", plan=plan, steps=["Agree", "Freeze\n  the schema", "Tell"], current=1)

    ran = desk.here(command, plan)

    listed = [line.removeprefix("Checklist ").strip() for line in ran.out.splitlines()]
    first = next(at for at, line in enumerate(listed) if line.endswith("Agree"))
    ends = ["Agree", "Freeze", "the schema", "Tell"]
    assert all(line.endswith(end) for line, end in zip(listed[first:], ends, strict=False))


def test_show_tells_what_the_last_round_of_a_task_left(desk: Desk) -> None:
    task = desk.passkeys()
    assert "Round" not in desk.here("show", task).out
    desk.world.ok("clear_mind", task=task, reminder_content="At the form.\nNext: its tests.")

    shown = desk.here("show", task).out

    assert "tester\nAt the form.\nNext: its tests.\n" in shown
    assert "Round 1 ended " in shown


def test_notes_and_answers_are_shown_with_their_authors(desk: Desk) -> None:
    task = desk.world.task("First", "Second")
    desk.world.ok("tasks_note", task=task, note="Mind the gap.")
    desk.world.ok("tasks_note", task=task, path="s:0", note="Half way.")
    desk.world.ok("tasks_block", task=task, path="s:0", reason="Which key?")
    desk.world.ok("tasks_block", task=task, path="s:0", blocked=False, answer="The blue one.")

    whole, step, radar = (
        desk.here(*words).out for words in (("show", task), ("show", task, "s:0"), ("radar", task))
    )

    assert re.search(r"note, tester, .*: Mind the gap\.", whole)
    assert re.search(r"note on s:0, tester, .*: Half way\.", whole)
    for shown in (step, radar):
        assert re.search(r"answer to “Which key\?”, tester, .*: The blue one\.", shown)
        assert re.search(r"note, tester, .*: Half way\.", shown)


def test_a_question_is_shown_with_its_options_and_the_answer_with_its_question(desk: Desk) -> None:
    task = desk.passkeys()
    asked = {"ask": "Which provider?", "options": ["ours", "theirs"], "for": "human"}
    desk.world.ok("tasks_block", task=task, path="s:0.s:1", reason="Two would do.", **asked)

    shown = desk.here("show", task, "s:0.s:1").out
    waits = desk.here("inbox").out

    for text in (
        "blocked: Two would do.",
        "Which provider?",
        "options: ours, theirs",
        "asked by tester,",
        "for human",
    ):
        assert text in shown
    assert "Options: ours, theirs" in waits
    assert f"gatepost answer {task} s:0.s:1" in waits
    assert desk.here("inbox", "--quiet").out == f"{task} s:0.s:1\n"
    assert desk.here("answer", task, "s:0.s:1", "ours", "--actor", "human:ann").code == 0
    assert "answer to “Which provider?”, human:ann" in desk.here("radar", task).out
    assert desk.here("inbox").out == f"Nothing waits for you in {WORKSPACE}.\n"


def test_a_question_for_a_person_is_not_answered_by_a_program(desk: Desk) -> None:
    task = desk.passkeys()
    desk.world.ok("tasks_block", task=task, path="s:0.s:1", ask="Which provider?", **{"for": "human"})

    for words in (("answer", task, "s:0.s:1", "ours"), ("unblock", task, "s:0.s:1")):
        ran = desk.here(*words, "--actor", "agent:codex")
        assert ran.code == 5
        assert f"gatepost answer {task} s:0.s:1" in ran.err
    assert desk.here("answer", task, "s:0.s:0", "ours").code == 2
