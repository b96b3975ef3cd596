"""Items of lists may have several lines; titles are one line of at most 300 characters."""

from typing import Any

import pytest

from gatepost.operations import tools
from gatepost.operations.catalog import BY_NAME
from gatepost.wire.schemas import input_schema
from tests.givens import World

ODD = "  first:\n\tindented\r\n\n漢字 🌱\u2028end  \n"
STEP = {"title": "a", "criteria": [ODD], "tests": [ODD, "one"], "blockers": [ODD]}


@pytest.mark.requirement("tasks.items.several-lines")
def test_criteria_and_tests_of_several_lines_come_back_byte_for_byte(world: World) -> None:
    task = world.ok("tasks_create", kind="task", title="t", steps=[STEP])["id"]

    step, verify = world.step(task, "s:0"), world.ok("tasks_radar", task=task)["verify"]

    assert (step["criteria"], step["tests"], step["blockers"]) == ([ODD], [ODD, "one"], [ODD])
    assert (verify["criteria"], verify["tests"]) == ([ODD], [ODD, "one"])


@pytest.mark.requirement("tasks.items.several-lines")
def test_what_is_defined_or_patched_may_have_several_lines_too(world: World) -> None:
    task = world.task("a", "b")

    world.ok("tasks_define", task=task, path="s:0", criteria=[ODD], tests=[ODD])
    append = [{"op": "append", "field": "criteria", "value": ODD}]
    world.ok("tasks_patch", task=task, kind="step", path="s:1", ops=append)

    assert [world.step(task, path)["criteria"] for path in ("s:0", "s:1")] == [[ODD], [ODD]]


@pytest.mark.requirement("tasks.items.several-lines")
def test_a_checklist_and_the_command_of_evidence_may_have_several_lines(world: World) -> None:
    plan, task = world.plan(), world.task("a")

    world.ok("tasks_plan", plan=plan, steps=[ODD, "next"])
    ran = [{"kind": "cmd_output", "command": ODD, "content": "ok"}]
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=ran)

    assert world.ok("tasks_resume", plan=plan)["target"]["checklist"]["steps"] == [ODD, "next"]
    assert world.ok("tasks_resume", task=task, path="s:0")["evidence"][0]["command"] == ODD


@pytest.mark.requirement("tasks.items.several-lines")
@pytest.mark.parametrize("item", ["", " \n\t ", "nul\0", "x" * 2_001])
def test_an_item_is_not_blank_and_within_its_limit(world: World, item: str) -> None:
    task = world.task("a")

    world.no("INVALID_INPUT", "tasks_define", task=task, path="s:0", criteria=[item])


@pytest.mark.requirement("tasks.titles.limit-told")
@pytest.mark.parametrize("title", ["two\nlines", "x" * 301, ""])
def test_a_title_is_one_line_of_at_most_300_characters(world: World, title: str) -> None:
    world.ok("tasks_create", kind="task", title="x" * 300)

    world.no("INVALID_INPUT", "tasks_create", kind="task", title=title)
    world.no("INVALID_INPUT", "tasks_create", kind="task", title="t", steps=[{"title": title}])


@pytest.mark.requirement("tasks.titles.limit-told")
@pytest.mark.parametrize("tool", ["tasks_create", "tasks_edit", "tasks_define", "tasks_task_add", "tasks_scaffold"])
def test_the_schema_and_the_tool_list_tell_the_limit_of_a_title(tool: str) -> None:
    whole = input_schema(BY_NAME[tool].command, terse=False)["properties"]["title"]
    listed: dict[str, Any] = tools.tool(BY_NAME[tool])["inputSchema"]["properties"]["title"]

    assert whole["maxLength"] == listed["maxLength"] == 300
