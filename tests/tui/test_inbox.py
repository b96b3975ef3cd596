"""What waits for a person, in the terminal: answered, signed off and approved where it is listed."""

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, drive, source_of

AGENT = Caller("agent:claude-code/3f2a")
ASK = "Which database should the ledger use?"


@pytest.fixture
def task(world: World) -> str:
    """A task whose first step waits for an answer."""
    task = world.task("Choose a store", "Move the rows", title="The ledger")
    world.caller = AGENT
    world.ok("tasks_block", task=task, path="s:0", ask=ASK, options=["PostgreSQL", "SQLite"], **{"for": "human"})
    return task


def answered(world: World, task: str) -> str:
    found: str = world.ok("tasks_radar", task=task)["now"]["answer"]["answer"]
    return found


@pytest.mark.parametrize("size", NARROW)
def test_a_question_is_answered_by_the_number_of_an_option(world: World, task: str, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("w")
        await driven.sees("question", ASK, "2. SQLite", "1 for you")
        driven.check(f"inbox-{size}")
        await driven.press("enter")
        await driven.sees("Answer s:0 Choose a store", "Type a number, or your own words.")
        driven.check(f"answer-{size}")
        await driven.type("2")
        await driven.press("enter")
        await driven.sees("Answered s:0 Choose a store.", "Nothing waits for you.")

    drive(source_of(world), driver, SIZES[size])
    assert answered(world, task) == "SQLite"


def test_a_question_is_answered_in_ones_own_words_from_its_step(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("w")
        await driven.sees(ASK)
        await driven.press("o")
        await driven.sees("task tree", "Choose a store")
        await driven.press("enter")
        await driven.sees("agent:claude-code/3f2a asks", "1. PostgreSQL")
        await driven.press("b")
        await driven.sees("Answer s:0 Choose a store")
        await driven.type("flat files")
        await driven.press("enter")
        await driven.sees("Unblocked s:0.")

    drive(source_of(world), driver)
    assert answered(world, task) == "flat files"


def test_every_screen_says_how_much_waits_for_a_person(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("1 for you: w")
        await driven.press("t")
        await driven.sees("task tree", "1 for you: w")
        world.ok("tasks_block", task=task, path="s:1", ask="And when?")
        await driven.sees("2 for you: w")
        world.caller = Caller("human:ann")
        for path in ("s:0", "s:1"):
            world.ok("tasks_block", task=task, path=path, blocked=False, answer="Now")
        await driven.until(lambda: "for you" not in driven.picture())

    drive(source_of(world), driver)


def test_a_question_that_comes_is_listed_at_once_and_an_edited_one_is_not_answered_unseen(
    world: World, task: str
) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("w")
        await driven.sees(ASK)
        await driven.press("enter")
        await driven.sees("Answer s:0")
        world.ok("tasks_block", task=task, path="s:0", ask="Which city?", **{"for": "human"})
        await driven.type("2")
        await driven.press("enter")
        await driven.sees("Not sent: someone else changed TASK-001")
        await driven.press("escape")
        await driven.sees("Which city?")

    drive(source_of(world), driver)
    assert world.step(task, "s:0")["blocked"]


def test_a_step_is_signed_off_and_a_plan_approved_from_the_inbox(world: World) -> None:
    task = world.task("Count requests", title="The limiter")
    plan = world.ok("tasks_create", kind="plan", title="Billing")["id"]
    world.caller = Caller("human:ann")
    world.ok("tasks_policy", task=task, signoff={"criteria": "human"})
    world.ok("tasks_policy", plan=plan, approval="human")
    world.caller = AGENT
    marks = {"criteria": {"confirmed": True, "note": "Replayed an hour."}, "tests": {"confirmed": True}}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=marks)

    async def driver(driven: Driven) -> None:
        await driven.press("w")
        await driven.sees("sign off", "Count requests", "Replayed an hour.", "approve", "Billing")
        await driven.press("enter")
        await driven.sees("1 of 2: criteria")
        await driven.press("enter")
        await driven.press("ctrl+n")
        await driven.sees("criteria: signed off by you")
        await driven.press("enter")
        await driven.sees("Signed off s:0 Count requests.")
        await driven.until(lambda: "sign off" not in driven.line("Billing"))
        await driven.press("enter")
        await driven.sees("Approve PLAN-001 Billing")
        await driven.press("enter")
        await driven.sees("Approved PLAN-001 Billing.", "Nothing waits for you.")

    drive(source_of(world), driver)
    assert world.ok("tasks_resume", task=plan)["target"]["approved"]
