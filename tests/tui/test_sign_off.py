"""Signing off in the terminal: a person says of each checkpoint whether they verified it too."""

from typing import Any

import pytest

from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, drive, some_lamps, source_of


@pytest.fixture
def task(world: World) -> str:
    """A task whose first step asks for three checkpoints."""
    return some_lamps(world)


def marks(world: World) -> dict[str, dict[str, Any]]:
    return {mark["checkpoint"]: mark for mark in world.step("TASK-001", "s:0")["confirmed"]}


@pytest.mark.parametrize("size", NARROW)
def test_a_person_signs_off_what_an_agent_confirmed_checkpoint_by_checkpoint(
    world: World, task: str, size: str
) -> None:
    given = {"criteria": {"confirmed": True, "note": "Looked at each."}, "tests": {"confirmed": True}}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=given)

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("c◑ t◔ s○")
        await driven.press("s")
        await driven.sees("1 of 2: criteria", "Looked at each.")
        driven.check(f"sign-off-{size}")
        await driven.type("Agreed")
        await driven.press("enter")
        await driven.sees("2 of 2: tests")
        await driven.press("ctrl+n")
        await driven.sees("criteria: signed off by you", "tests: not signed off")
        await driven.press("enter")
        await driven.sees("Signed off s:0.", "c☻ t◔ s○")
        await driven.press("c")
        await driven.sees("1 of 1: security")

    drive(source_of(world), driver, SIZES[size])
    assert marks(world)["criteria"]["signed"]["actor"] == "human:tester"
    assert "signed" not in marks(world)["tests"]


def test_there_is_nothing_to_sign_off_before_somebody_confirmed_something(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Draw the lamps", "c○ t○ s○")
        await driven.press("s")
        await driven.sees("Nothing to sign off: no checkpoint is confirmed yet")
        await driven.press("enter")
        await driven.sees("Nothing to sign off")

    drive(source_of(world), driver)
    assert world.revision(task) == 1
