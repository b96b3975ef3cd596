"""A field of a step is declared in `operations/editable.py`; every call that writes or shows a step follows."""

from typing import Any

import pytest

from gatepost.domain.steps import Step
from gatepost.operations.editable import EDITABLE, EMPTY, StepChanges, StepPatch
from gatepost.replies.step_details import StepDetail
from tests.givens import World

VALUES: dict[str, tuple[Any, Any, Any]] = {
    "title": ("One", "Two", "Three"),
    "required": (["docs"], ["perf"], ["security", "perf"]),
    "checks": (
        [{"run": ["pytest", "-q"]}],
        [{"run": ["mypy"], "for": "criteria", "timeout_s": 60}],
        [
            {"run": ["make"], "exit_code": 2, "expect": "a+b", "covers": ["src/**"]},
            {"run": ["pytest"], "cwd": "web"},
        ],
    ),
}
LISTS = (["one"], ["two"], ["three", "four"])


def test_the_forms_of_a_step_have_the_same_fields() -> None:
    for form in (StepChanges, StepPatch, Step, StepDetail):
        assert set(EDITABLE) <= set(form.__struct_fields__), form
    assert set(EMPTY) >= set(EDITABLE) - {"title"}


@pytest.mark.parametrize("field", EDITABLE)
def test_a_field_can_be_created_defined_and_patched_and_is_shown_and_logged(field: str, world: World) -> None:
    first, second, third = VALUES.get(field, LISTS)
    step = {"title": "A step", field: first}

    task = world.ok("tasks_create", kind="task", title="A task", steps=[step])["id"]
    world.ok("tasks_decompose", task=task, steps=[step])
    assert [world.step(task, path)[field] for path in ("s:0", "s:1")] == [first, first]

    world.ok("tasks_define", task=task, path="s:0", **{field: second})
    assert world.step(task, "s:0")[field] == second

    world.ok("tasks_patch", task=task, kind="step", path="s:0", ops=[{"op": "set", "field": field, "value": third}])
    assert world.step(task, "s:0")[field] == third
    logged = world.ok("tasks_delta", task=task, types=["step_defined"])["events"]
    assert [event["fields"] for event in logged] == [[field], [field]]
    assert world.ok("tasks_history", task=task, limit=1)["operations"][0]["events"] == ["step_defined"]
