"""Explaining: whatever the quick check refuses has a reason by name, and whatever it accepts has none."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.wire import json_input
from gatepost.wire.input_errors import problems
from tests.wire import inputs

NO_REASON = "the quick check alone knows"


@pytest.mark.requirement("call.input.no-coercion", "call.input.unknown-field")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_the_quick_check_and_the_explanation_agree(operation: Operation, data: st.DataObject) -> None:
    arguments = data.draw(inputs.arguments(operation.command))

    accepted = accepts(operation.command, arguments)

    if accepted:
        assert problems(operation.command, arguments, NO_REASON) == [("arguments", NO_REASON)]
    else:
        told = json_input.refused(operation.command, arguments, NO_REASON).details["problems"]
        assert told
        assert NO_REASON not in [problem["problem"] for problem in told]


def accepts(command: type, arguments: dict[str, Any]) -> bool:
    """What the quick check says. It does not get far with texts or depths that are no JSON."""
    try:
        msgspec.convert(arguments, command)
    except (msgspec.ValidationError, RecursionError, UnicodeEncodeError):
        return False
    return True


@pytest.mark.requirement("call.input.no-coercion", "call.input.string-is-no-list")
@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("limit", "3", 'must be a whole number, not a string ("3")'),
        ("limit", 3.0, "must be a whole number, not a number (3.0)"),
        ("limit", True, "must be a whole number, not a boolean (true)"),
        ("limit", 0, "must be at least 1; got 0"),
        ("limit", 201, "must be at most 200; got 201"),
        ("ready", 1, "must be true or false, not a number (1)"),
        ("ready", "true", 'must be true or false, not a string ("true")'),
        ("kind", "Task", 'must be one of plan, task; got "Task"'),
        ("plan", 7, "must be a string, not a number (7)"),
        ("plan", ["PLAN-001"], "must be a string, not a list"),
        ("text", "x" * 2_001, "may have at most 2,000 characters; got 2,001"),
    ],
)
def test_a_value_of_another_kind_is_named_and_never_bent(field: str, value: Any, problem: str) -> None:
    context = next(operation for operation in OPERATIONS if operation.name == "tasks_context")

    with pytest.raises(InvalidInput) as refused:
        json_input.command(context.command, {"workspace": "w", field: value}, context.clearable)

    assert refused.value.details["problems"] == [{"field": field, "problem": problem}]


def test_every_problem_is_named_at_once_and_in_its_place() -> None:
    create = next(operation for operation in OPERATIONS if operation.name == "tasks_create")
    steps = [{"title": "fine"}, {"titel": "off", "criteria": "not a list"}]

    found = dict(problems(create.command, {"kind": "job", "titles": 1, "steps": steps}, NO_REASON))

    assert set(found) == {
        "workspace",
        "kind",
        "titles",
        "title",
        "steps[1].titel",
        "steps[1].criteria",
        "steps[1].title",
    }
    assert found["titles"].endswith("did you mean `title`?")


def test_no_more_than_twenty_problems_are_told() -> None:
    create = next(operation for operation in OPERATIONS if operation.name == "tasks_create")

    found = problems(create.command, {f"field_{number}": 1 for number in range(1_000)}, NO_REASON)

    assert len(found) == 20
