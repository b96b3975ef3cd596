"""The task tree: what it shows, how one moves in it, and that it stays where one is."""

from typing import cast

import pytest

from gatepost.replies.roots import Counts, RootRow
from gatepost.replies.steps import StepName
from gatepost.replies.tree import TreeReply
from gatepost.surfaces.tui.screens.tree import TreeScreen
from gatepost.surfaces.tui.widgets.step_tree import StepTree
from tests.givens import World
from tests.tui.givens import NARROW, NO_FIELDS, SIZES, Driven, Fields, R, Script, a_row, drive, source_of

MANY = 100_000


def a_parser(world: World) -> str:
    """A task with steps in every state, some of them below others."""
    task: str = world.ok(
        "tasks_create",
        kind="task",
        title="Write the parser of 日本語 tags",
        steps=[
            {"title": "Read the grammar", "criteria": ["it is understood"], "tests": ["pytest -k grammar"]},
            {
                "title": "Tokens",
                "required": ["security", "perf"],
                "criteria": ["every token of the 文法 is known", "no token is known twice"],
                "steps": [{"title": "Strings"}, {"title": "Numbers", "steps": [{"title": "Negative ones"}]}],
            },
            {"title": "Errors that say where"},
            {"title": "Hidden \u202egnihtemos"},
        ],
    )["id"]
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:2", reason="nobody knows yet what a column is in a tab")
    world.ok("tasks_task_add", task=task, parent_step="s:1", title="A task inside")
    return task


async def open_tree(driven: Driven, *words: str) -> StepTree:
    """Open the tree, and wait for these words."""
    await driven.press("t")
    await driven.sees(*words)
    return driven.app.screen.query_one(StepTree)


@pytest.mark.parametrize("size", NARROW)
def test_the_tree_shows_states_lamps_and_reasons_at_every_size(world: World, size: str) -> None:
    a_parser(world)

    async def driver(driven: Driven) -> None:
        await open_tree(driven, "Strings", "now")
        await driven.sees("blocked: nobody", *(() if size == "80x10" else ("now · s:1.s:0",)))
        driven.check(f"tree-{size}")

    drive(source_of(world), driver, SIZES[size])


def test_in_ascii_the_tree_says_the_same(world: World) -> None:
    a_parser(world)

    async def driver(driven: Driven) -> None:
        await open_tree(driven, "Strings", "now - s:1.s:0")
        driven.check("tree-ascii")
        assert driven.picture().isascii()

    drive(source_of(world), driver, ascii_only=True)


def test_the_tree_opens_at_the_step_that_is_worked_on(world: World) -> None:
    a_parser(world)

    async def driver(driven: Driven) -> None:
        tree = await open_tree(driven, "Strings")
        await driven.until(lambda: tree.row is not None and tree.row.path == "s:1.s:0")

    drive(source_of(world), driver)


def test_branches_are_opened_and_shut_by_keys(world: World) -> None:
    a_parser(world)

    async def driver(driven: Driven) -> None:
        tree = await open_tree(driven, "Strings")

        await driven.press("j", "l")
        await driven.sees("Negative ones")
        await driven.press("l")
        assert tree.row is not None
        assert tree.row.title == "Negative ones"
        await driven.press("h", "h", "h", "h")
        assert tree.row.path == "s:1"
        assert "Strings" not in driven.picture()

    drive(source_of(world), driver)


def test_what_reorders_text_is_shown_as_what_it_is(world: World) -> None:
    a_parser(world)

    async def driver(driven: Driven) -> None:
        await open_tree(driven, "Hidden \ufffdgnihtemos")
        assert "\u202e" not in driven.picture()

    drive(source_of(world), driver)


def test_a_task_without_steps_says_what_adds_some(world: World) -> None:
    world.task()

    async def driver(driven: Driven) -> None:
        await open_tree(driven, "has no steps yet", ":step TITLE")

    drive(source_of(world), driver)


def test_an_empty_workspace_says_what_makes_a_task(world: World) -> None:
    async def driver(driven: Driven) -> None:
        await open_tree(driven, "No open task", ":new TITLE")
        driven.check("tree-nothing")

    drive(source_of(world), driver)


def test_the_first_task_and_its_first_steps_are_shown_as_they_come(world: World) -> None:
    async def driver(driven: Driven) -> None:
        await open_tree(driven, "No open task")
        task = world.task(title="At last")
        await driven.sees("TASK-001 At last", "has no steps yet")
        world.ok("tasks_decompose", task=task, steps=[{"title": "A first step"}])
        await driven.sees("● A first step")
        assert "has no steps yet" not in driven.picture()

    drive(source_of(world), driver)


@pytest.mark.parametrize("size", NARROW)
def test_of_a_plan_it_says_why_there_is_no_tree_and_lets_one_choose_a_task(world: World, size: str) -> None:
    plan = world.plan(title="All of it")
    world.task("First step", title="A task of the plan", plan=plan)

    async def driver(driven: Driven) -> None:
        await driven.app.push_screen(TreeScreen(plan))
        await driven.sees("PLAN-001, a plan", "Press p to choose a task")

        await driven.press("p")
        await driven.sees("A task of the plan")
        driven.check(f"tasks-{size}")
        await driven.press("enter")
        await driven.sees("First step")

    drive(source_of(world), driver, SIZES[size])


def test_what_others_do_is_shown_and_the_cursor_stays_on_its_step(world: World) -> None:
    task = a_parser(world)

    async def driver(driven: Driven) -> None:
        tree = await open_tree(driven, "Strings")
        await driven.press("G")
        await driven.until(lambda: tree.row is not None and tree.row.path == "s:3")

        world.ok("tasks_decompose", task=task, path="s:1", steps=[{"title": f"Kind {n}"} for n in range(3)])
        world.close(task, "s:1.s:0")
        await driven.sees("Kind 2", "✓ Strings")
        assert tree.row is not None
        assert tree.row.path == "s:3"
        world.ok("tasks_delete", task=task, path="s:3")
        await driven.until(lambda: "gnihtemos" not in driven.picture())

    drive(source_of(world), driver)


def test_a_branch_whose_step_is_deleted_goes_with_it(world: World) -> None:
    task = a_parser(world)

    async def driver(driven: Driven) -> None:
        await open_tree(driven, "Strings")
        world.ok("tasks_delete", task=task, path="s:1")
        await driven.until(lambda: "Strings" not in driven.picture())
        await driven.sees("Read the grammar", "Errors that say where")

    drive(source_of(world), driver)


def many_steps(world: World, count: int) -> str:
    """A task with so many steps side by side."""
    task = world.task()
    for first in range(0, count, 1_000):
        world.ok("tasks_decompose", task=task, steps=[{"title": f"Step {first + n}"} for n in range(1_000)])
    return task


class Endless(Script):
    """A source whose one task has a hundred thousand steps: tasks_tree of it is arithmetic."""

    def request(self, tool: str, reply: type[R], given: Fields, nullable: Fields = NO_FIELDS, /) -> R:
        if tool != "tasks_tree":
            return super().request(tool, reply, given, nullable)
        self.heard.append((tool, dict(given)))
        first, limit = cast("int", given["first"]), cast("int", given["limit"])
        counts = Counts(total=MANY, open=MANY)
        rows = (
            a_row(at, path=f"s:{at}", step_id=f"STEP-{at}", title=f"Step {at}")
            for at in range(first, min(first + limit, MANY))
        )
        tree = TreeReply(
            target=RootRow(id="TASK-001", title="Endless", status="ACTIVE", revision=1, counts=counts),
            now=StepName(step_id="STEP-0", path="s:0"),
            children=MANY,
            rows=tuple(rows),
            has_more=first + limit < MANY,
        )
        return cast("R", tree)


def test_of_a_hundred_thousand_steps_only_windows_around_what_is_seen_are_read() -> None:
    source = Endless()

    async def driver(driven: Driven) -> None:
        tree = await open_tree(driven, "Step 0", f"0/{MANY}")
        assert tree.model.size == MANY
        await driven.press("G")
        await driven.sees(f"Step {MANY - 1}")
        await driven.press("pageup", "pageup")
        await driven.sees(f"Step {MANY - 30}")
        driven.check("tree-many")
        tree.scroll_to(y=50_000, animate=False)
        await driven.sees("Step 50000", "Step 50010")

    drive(source, driver)
    asked = [arguments for operation, arguments in source.heard if operation == "tasks_tree"]
    assert len(asked) <= 8
    assert max(arguments["limit"] for arguments in asked) <= 100


def test_the_place_in_a_long_tree_stays_when_steps_are_closed_above(world: World) -> None:
    task = many_steps(world, 2_000)

    async def driver(driven: Driven) -> None:
        tree = await open_tree(driven, "Step 0")
        tree.scroll_to(y=1_000, animate=False)
        await driven.sees("Step 1000", "Step 1010")

        world.close(task, "s:1005")
        await driven.sees("✓ Step 1005")
        assert tree.scroll_offset.y == 1_000

    drive(source_of(world), driver)
