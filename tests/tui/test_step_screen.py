"""One step in full: lamps, evidence and what was said, harmless and live."""

import pytest

from gatepost.surfaces.tui.screens.step import StepScreen
from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, drive, some_lamps, source_of


@pytest.fixture
def task(world: World) -> str:
    """A task whose first step asks for three checkpoints."""
    return some_lamps(world)


async def at_the_step(driven: Driven, world: World) -> None:
    step_id = world.step("TASK-001", "s:0")["step_id"]
    await driven.app.push_screen(StepScreen("TASK-001", step_id))
    await driven.sees("Draw the lamps", "Checkpoints")


@pytest.mark.parametrize("size", NARROW)
def test_a_step_in_full_shows_lamps_evidence_and_what_was_said(world: World, task: str, size: str) -> None:
    checked = {"criteria": {"confirmed": True, "note": "seen with my own eyes"}}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=checked)
    world.ok("tasks_note", task=task, path="s:0", note="first line\nsecond line with \u202e in it")
    output = {
        "kind": "cmd_output",
        "command": "pytest",
        "exit_code": 1,
        "content": "\x1b[31mFAILED\x1b[0m\n1 failed",
    }
    diff = {"kind": "diff", "title": "the change", "content": "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new"}
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[output, diff], checkpoints=["tests"])

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("c◑ t○ s○")
        await driven.press("enter")
        await driven.sees("criteria  noted by tester")
        driven.check(f"step-{size}")
        await driven.press("G")
        await driven.sees("second line with \ufffd in it")
        driven.check(f"step-end-{size}")

    drive(source_of(world), driver, SIZES[size])


def test_in_ascii_a_step_and_its_dialogs_say_the_same(world: World, task: str) -> None:
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"criteria": {"confirmed": True}})

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("cw t. s.")
        await driven.press("enter")
        await driven.sees("w criteria  word only, by tester")
        driven.check("step-ascii")
        await driven.press("c")
        await driven.sees("1 of 2: tests")
        driven.check("close-ascii")
        assert driven.picture().isascii()
        await driven.press("escape", "u")
        await driven.sees("> 3 step verified")
        assert driven.picture().isascii()

    drive(source_of(world), driver, ascii_only=True)


def test_control_characters_in_evidence_do_nothing_but_show(world: World, task: str) -> None:
    output = {"kind": "cmd_output", "command": "make", "content": "\x1b]0;owned\x07 \x1b[2J done"}
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[output])

    async def driver(driven: Driven) -> None:
        await at_the_step(driven, world)
        await driven.press("G")
        await driven.sees("␛]0;owned␇ ␛[2J done")
        assert "\x1b" not in driven.picture()

    drive(source_of(world), driver, (100, 40))


def test_a_step_in_full_follows_what_others_do_and_can_be_noted_on(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_step(driven, world)
        world.ok("tasks_block", task=task, path="s:0", reason="no fuses")
        await driven.sees("■ Blocked: no fuses")
        await driven.press("n")
        await driven.type("ordered some")
        await driven.press("enter")
        await driven.sees("Added a note to s:0.", "human:tester added a note", "ordered some")

    drive(source_of(world), driver, (100, 40))


def test_older_events_of_a_long_log_are_read_when_asked_for(world: World, task: str) -> None:
    world.ok("tasks_note", task=task, path="s:0", note="the very first word")
    for number in range(3):
        calls = [
            {"tool": "tasks_note", "arguments": {"task": task, "note": f"note {number} {n}"}} for n in range(90)
        ]
        world.ok("tasks_batch", operations=calls)

    async def driver(driven: Driven) -> None:
        await at_the_step(driven, world)
        await driven.sees("Press m to look further back.")
        assert "the very first word" not in driven.picture()
        await driven.press("m")
        await driven.sees("the very first word")

    drive(source_of(world), driver, (100, 40))


def test_a_step_shows_what_each_confirmation_rests_on_its_checks_and_its_policy(world: World, task: str) -> None:
    world.ok("tasks_define", task=task, path="s:0", checks=[{"run": "true -q"}, {"run": "false", "for": "docs"}])
    world.ok("tasks_policy", task=task, proof="note", signoff={"security": "human"})
    for name in ("criteria", "security"):
        world.ok("tasks_verify", task=task, path="s:0", checkpoints={name: {"confirmed": True}})
    world.ok("tasks_check", task=task, path="s:0")
    world.checks.digest = "two"

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("c◔ t●! s◔")
        await driven.press("enter")
        await driven.sees("checked by `true -q`, 0.2 s, commit abc123, run by tester", "files changed since")
        await driven.sees("$ true -q (for tests): stale, 0.2 s", "$ false (for docs): failed, exit 1, 0.2 s")
        await driven.sees("Each confirmation needs a note.", "! security needs sign-off by a person")
        driven.check("step-proofs-120x40")

    drive(source_of(world), driver, SIZES["120x40"])
