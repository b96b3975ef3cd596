"""Templates: what is built in, what they make, and what fills their gaps."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import World, supplied
from tests.operations.templates import NAMES, listed, write

ANY_OF_THEM = pytest.mark.parametrize("name", NAMES)
EITHER_FORM = pytest.mark.parametrize("kind", ["task", "plan"])
BUILT_IN = Path(__file__).parents[2] / "src/gatepost/templates"
DOCS = Path(__file__).parents[2] / "docs/templates.md"


@pytest.mark.requirement("tasks.templates.list", "tasks.templates.six", "tasks.templates.both-forms")
def test_the_six_built_in_templates_are_listed_in_both_forms(world: World) -> None:
    reply = world.ok("tasks_templates_list")

    assert [row["name"] for row in reply["items"]] == NAMES
    assert reply["has_more"] is False
    for row in reply["items"]:
        assert row["source"] == "built-in"
        assert row["title"]
        assert row["about"]
        assert [form["kind"] for form in row["forms"]] == ["task", "plan"]
        assert row["forms"][0]["steps"] >= 5
        assert row["forms"][1]["tasks"] >= 3
        assert all(set(value) == {"name", "about", "default"} for value in row["values"])


@pytest.mark.requirement("tasks.scaffold.creates", "tasks.templates.both-forms")
@ANY_OF_THEM
def test_a_task_from_a_template_has_steps_that_say_what_proves_them(world: World, name: str) -> None:
    form = listed(world)[name]["forms"][0]

    reply = world.ok("tasks_scaffold", template=name, title="What we do")

    assert set(reply) == {"id", "kind", "revision", "steps", "events"}
    assert (reply["id"], reply["kind"], reply["revision"], reply.get("changed", True)) == (
        "TASK-001",
        "task",
        1,
        True,
    )
    assert [event["type"] for event in reply["events"]] == ["task_created", "steps_added"]
    assert len(reply["steps"]) == form["steps"]
    assert world.ok("tasks_resume", task="TASK-001")["target"]["title"] == "What we do"
    steps = [world.step("TASK-001", step["path"]) for step in reply["steps"]]
    assert all(step["criteria"] and step["tests"] for step in steps)
    assert {kind for step in steps for kind in step.get("required", ())} >= {"docs"} or name == "refactor"


@pytest.mark.requirement("tasks.scaffold.creates", "tasks.templates.both-forms")
@ANY_OF_THEM
def test_a_plan_from_a_template_has_a_contract_and_tasks_that_wait_for_one_another(world: World, name: str) -> None:
    form = listed(world)[name]["forms"][1]

    reply = world.ok("tasks_scaffold", template=name, title="What we do", kind="plan")

    assert set(reply) == {"id", "kind", "revision", "tasks", "events"}
    assert (reply["id"], reply["kind"], reply["revision"]) == ("PLAN-001", "plan", 1)
    assert len(reply["tasks"]) == form["tasks"]
    assert sum(len(task["steps"]) for task in reply["tasks"]) == form["steps"]
    shown = world.ok("tasks_resume", plan="PLAN-001")
    assert shown["target"]["contract"]
    assert [row["id"] for row in shown["tasks"]] == [task["id"] for task in reply["tasks"]]
    ready = world.ok("tasks_context", plan="PLAN-001", ready=True)["items"]
    assert [row["id"] for row in ready] == ["TASK-001"]


@pytest.mark.requirement("tasks.scaffold.creates")
@ANY_OF_THEM
@EITHER_FORM
def test_the_radar_of_what_was_made_shows_the_first_step_and_a_call_that_works(
    world: World, name: str, kind: str
) -> None:
    made = world.ok("tasks_scaffold", template=name, title="What we do", kind=kind)
    first = (made["tasks"][0] if kind == "plan" else made)["steps"][0]

    radar = world.ok("tasks_radar", **{kind: made["id"]})

    assert radar["now"]["step_id"] == first["step_id"]
    assert radar["verify"]["criteria"]
    world.rehearse(radar["next"]["tool"], supplied(radar["next"]))
    assert doctor.examine(world.store, world.workspace).findings == []


@ANY_OF_THEM
@EITHER_FORM
def test_no_gap_is_left_and_every_value_has_a_place(one_world: World, name: str, kind: str) -> None:
    asked = [value["name"] for value in listed(one_world)[name]["values"]]
    values = {value: f"<{value}>" for value in asked}

    one_world.ok("tasks_scaffold", template=name, title="<title>", kind=kind, values=values)

    made = " ".join(text for _, text in one_world.everything()["documents"])
    assert not re.search(r"\{[a-z_]+\}", made)
    assert [value for value in ["title", *asked] if f"<{value}>" not in made] == []


def test_the_built_in_texts_are_sentences_that_do_not_repeat_themselves() -> None:
    for path in sorted(BUILT_IN.glob("*.toml")):
        forms = tomllib.loads(path.read_text(encoding="utf-8"))
        for steps in (forms["task"]["steps"], *(task["steps"] for task in forms["plan"]["tasks"])):
            titles = [step["title"] for step in steps]
            assert len(set(titles)) == len(titles), path
            proofs = [line for step in steps for line in (*step["criteria"], *step["tests"])]
            assert [line for line in proofs if line[-1] != "." or not (line[0].isupper())] == [], path


@pytest.mark.requirement("tasks.scaffold.one-transaction")
@EITHER_FORM
def test_what_a_template_makes_is_one_operation_and_one_undo(world: World, kind: str) -> None:
    world.task("there before")
    before = world.everything()

    world.ok("tasks_scaffold", template="release", title="Two", kind=kind)

    after = world.everything()
    (row,) = after["operations"][len(before["operations"]) :]
    assert row[:3] == (before["head"].seq + 1, after["head"].seq, "tasks_scaffold")
    world.ok("tasks_undo")
    assert world.everything()["documents"] == before["documents"]


LATE = """
title = "Late"
about = "Its second task has a title that can grow too long."
[values.more]
about = "More."
[plan]
[[plan.tasks]]
title = "First"
[[plan.tasks]]
title = "Second {more}"
"""


@pytest.mark.requirement("tasks.scaffold.one-transaction")
def test_a_plan_whose_second_task_does_not_fit_leaves_nothing(world: World, tmp_path: Path) -> None:
    write(world, tmp_path, late=LATE)

    error = world.no("INVALID_INPUT", "tasks_scaffold", template="late", title="T", values={"more": "x" * 299})

    problem = "would not fit: `title` may have at most 300 characters; got 306"
    assert error["problems"] == [{"field": "values", "problem": problem}]
    assert world.ok("tasks_scaffold", template="late", title="T", values={"more": "x"})["id"] == "PLAN-001"


@pytest.mark.requirement("tasks.scaffold.one-transaction")
@pytest.mark.parametrize(
    ("code", "wrong", "field"),
    [
        ("INVALID_INPUT", {"template": "../bugfix"}, "template"),
        ("INVALID_INPUT", {"template": "Bugfix"}, "template"),
        ("INVALID_INPUT", {"template": "a" * 42}, "template"),
        ("INVALID_INPUT", {"title": "two\nlines"}, "title"),
        ("INVALID_INPUT", {"kind": "step"}, "kind"),
        ("INVALID_INPUT", {"kind": "plan", "plan": "PLAN-001"}, "plan"),
        ("INVALID_INPUT", {"expected_revision": 1}, "expected_revision"),
        ("INVALID_INPUT", {"kind": "plan", "expected_revision": 1}, "expected_revision"),
        ("INVALID_INPUT", {"values": ["x"]}, "values"),
        ("INVALID_INPUT", {"values": {"symptom": 7}}, "values.symptom"),
        ("INVALID_INPUT", {"values": {"symptom": " "}}, "values.symptom"),
        ("INVALID_INPUT", {"values": {"Symptom": "x"}}, "values.Symptom"),
        ("INVALID_INPUT", {"values": {"sympton": "x"}}, "values.sympton"),
        ("INVALID_INPUT", {"values": {"title": "x"}}, "values.title"),
        ("UNKNOWN_ID", {"plan": "PLAN-009"}, "plan"),
        ("UNKNOWN_ID", {"template": "bugfux"}, "template"),
        ("REVISION_MISMATCH", {"plan": "PLAN-001", "expected_revision": 7}, None),
    ],
)
def test_a_call_that_cannot_be_carried_out_names_what_is_wrong_and_leaves_nothing(
    world: World, code: str, wrong: dict[str, Any], field: str | None
) -> None:
    world.plan()

    error = world.no(code, "tasks_scaffold", **{"template": "bugfix", "title": "T", **wrong})

    if field is not None:
        assert [error.get("field")] == [field] or [found["field"] for found in error["problems"]] == [field]


def test_an_unknown_template_is_refused_with_the_nearest_and_the_way_to_the_list(world: World) -> None:
    error = world.no("UNKNOWN_ID", "tasks_scaffold", template="featur", title="T")

    assert error["message"] == "`template`: there is no template featur (did you mean feature?) in acme/repo."
    assert error["suggestion"] == {"tool": "tasks_templates_list", "arguments": {"workspace": "acme/repo"}}


def test_an_unknown_value_is_refused_with_the_nearest(world: World) -> None:
    error = world.no("INVALID_INPUT", "tasks_scaffold", template="bugfix", title="T", values={"sympton": "x"})

    assert error["problems"][0]["problem"] == "is not a value of this template; did you mean `symptom`?"


def test_a_task_from_a_template_may_go_into_a_plan(world: World) -> None:
    plan = world.plan()

    made = world.ok("tasks_scaffold", template="research", title="Why?", plan=plan, expected_revision=1)

    assert made["events"][0]["plan"] == plan
    assert [row["id"] for row in world.ok("tasks_resume", plan=plan)["tasks"]] == [made["id"]]


GAPPY = """
title = "Gaps"
about = "All kinds of braces."
[values.needed]
about = "Something that nobody can guess."
[values.other]
about = "Something with a default."
default = "by default"
[task]
description = 'a {needed} b {other} c {{needed}} d {"json": {}} e { needed } f'
tags = ["t-{needed}"]
[[task.steps]]
title = "{title}"
criteria = ["{title}{title}"]
"""


def test_gaps_are_filled_once_and_other_braces_are_text(world: World, tmp_path: Path) -> None:
    write(world, tmp_path, gaps=GAPPY)

    world.ok("tasks_scaffold", template="gaps", title="{other} {{x}}", values={"needed": "{title}"})

    task = world.ok("tasks_resume", task="TASK-001")["target"]
    assert task["title"] == "{other} {{x}}"
    assert task["description"] == 'a {title} b by default c {needed} d {"json": {}} e { needed } f'
    assert task["tags"] == ["t-{title}"]
    assert world.step("TASK-001", "s:0")["criteria"] == ["{other} {{x}}{other} {{x}}"]


def test_a_value_without_a_default_must_be_given(world: World, tmp_path: Path) -> None:
    write(world, tmp_path, gaps=GAPPY)

    error = world.no("INVALID_INPUT", "tasks_scaffold", template="gaps", title="T", values={"othr": "x"})

    assert error["problems"] == [
        {"field": "values.needed", "problem": "is required: Something that nobody can guess."},
        {"field": "values.othr", "problem": "is not a value of this template; did you mean `other`?"},
    ]


def test_a_template_with_one_form_makes_that_and_refuses_the_other(world: World, tmp_path: Path) -> None:
    write(world, tmp_path, gaps=GAPPY, late=LATE)
    needed, more = {"values": {"needed": "x"}}, {"values": {"more": "x"}}

    error = world.no("INVALID_INPUT", "tasks_scaffold", template="gaps", title="T", kind="plan", **needed)
    world.no("INVALID_INPUT", "tasks_scaffold", template="late", title="T", kind="task", **more)

    assert error["problems"] == [{"field": "kind", "problem": "is plan, but gaps is for a task only"}]
    assert world.ok("tasks_scaffold", template="late", title="T", **more)["kind"] == "plan"
    assert [row["name"] for row in world.ok("tasks_templates_list", kind="plan")["items"]] == sorted(
        [*NAMES, "late"]
    )


@pytest.mark.requirement("tasks.templates.users-own")
@EITHER_FORM
def test_the_example_of_the_docs_works_as_it_stands(world: World, tmp_path: Path, kind: str) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    write(world, tmp_path, endpoint=example)
    values = {"route": "GET /orders"}

    made = world.ok("tasks_scaffold", template="endpoint", title="List orders", kind=kind, values=values)

    documents = " ".join(text for _, text in world.everything()["documents"])
    assert "GET /orders" in documents
    if kind == "task":
        assert [step["path"] for step in made["steps"]] == ["s:0", "s:1", "s:1.s:0"]
        assert "{id} in a path" in world.step("TASK-001", "s:0")["tests"][0]
    else:
        plan = world.ok("tasks_resume", plan="PLAN-001")["target"]
        assert plan["contract_data"] == {"route": "GET /orders", "reviewers": 2}
        waiting = world.ok("tasks_resume", task=made["tasks"][1]["id"])["target"]
        assert waiting["depends_on"] == [made["tasks"][0]["id"]]
