"""Bad input: whatever is sent to whatever operation, the answer is an answer, names what is wrong, and leaves
nothing half done."""

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.engine.caller import Caller
from gatepost.operations.answer import CallResult, answer
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import CONFIRMED, World
from tests.wire import inputs

ELSEWHERE = "other/repo"
CODES = {
    *("INVALID_INPUT", "UNKNOWN_ID", "TARGET_MISMATCH", "REVISION_MISMATCH", "CHECKPOINTS_NOT_CONFIRMED"),
    *("CHILDREN_OPEN", "CHECKLIST_OPEN", "STEP_BLOCKED", "STEP_DONE", "DEPENDENCY_CYCLE", "HAS_DEPENDENTS"),
    *("NOT_FOUND", "ALREADY_EXISTS", "NOT_A_FILE", "NOT_A_DIRECTORY", "NOT_EMPTY", "NOT_TEXT", "FORBIDDEN_PATH"),
    *("TOO_LARGE", "EDIT_MISMATCH", "BATCH_FAILED", "NOTHING_TO_UNDO", "NOTHING_TO_REDO", "UNDO_CONFLICT"),
    *("SESSION_HELD", "HUMAN_REQUIRED", "APPROVAL_REQUIRED", "PROOF_REQUIRED", "SIGNOFF_REQUIRED"),
}


def populated() -> tuple[World, tuple[str, ...]]:
    """A world with a little of everything, and the ids of steps: its own, and another workspace's."""
    world = World(SqliteStore(":memory:", "NORMAL"))
    world.plan(contract="Keep it small.")
    world.ok("tasks_create", kind="task", title="In the plan", plan="PLAN-001", steps=[{"title": "only"}])
    task = world.ok("tasks_create", kind="task", title="Alone", steps=[{"title": "a"}, {"title": "b"}])
    world.close("TASK-002", "s:0")
    foreign = world.ok(
        "tasks_create", workspace=ELSEWHERE, kind="task", title="Elsewhere", steps=[{"title": "theirs"}]
    )
    world.files.write("a text", "One line.\n")
    world.ok("taskdoc_create", name="garden")
    ids = [step["step_id"] for step in (*task["steps"], *foreign["steps"])]
    return world, (*ids, "STEP-FFFFFFFF", "NODE-00000000")


SPARE: list[tuple[World, tuple[str, ...]]] = []
"""Worlds that were shown to be as they were made, which is dear."""


def answered_by(world: World, tool: str, arguments: dict[str, Any]) -> CallResult:
    """The answer there must be. What breaks instead is told in ASCII: reports choke on odd texts as well."""
    try:
        return answer(world.engine, tool, arguments, Caller("tester"))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        found = f"{type(error).__name__}: {ascii(str(error))[:200]}"
    raise AssertionError(f"{ascii(tool)[:40]} broke: {found}")


@pytest.mark.requirement("call.refused.leaves-nothing", "call.refusal.shape", "call.refusal.names-values")
@pytest.mark.requirement("call.input.unknown-field", "call.refusal.suggestion-accepted")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(data=st.data())
def test_anything_at_all_gets_an_answer_and_leaves_nothing_half_done(
    operation: Operation, data: st.DataObject
) -> None:
    world, ids = SPARE.pop() if SPARE else populated()
    arguments = data.draw(inputs.arguments(operation.command, ids))
    before = world.everything(), world.everything(ELSEWHERE)

    answered = answered_by(world, operation.name, arguments)

    reply = json.loads(answered.text)
    is_changed = operation.changed(reply) or (answered.refusal is None and arguments.get("claim") is True)
    if answered.refusal is None:
        unknown = arguments.keys() - set(operation.command.__struct_encode_fields__)
        assert not unknown, f"{unknown} was let pass"
        if operation.files or not is_changed:
            assert (world.everything(), world.everything(ELSEWHERE)) == before
    else:
        assert (world.everything(), world.everything(ELSEWHERE)) == before
        check(operation, arguments, reply["error"], len(answered.text))
        world.check_refusal(reply["error"])
    if operation.files or is_changed:
        world.store.close()
    else:
        SPARE.append((world, ids))


def check(operation: Operation, arguments: dict[str, Any], error: dict[str, Any], length: int) -> None:
    """A refusal is typed, says which field it is about, and does not throw a megabyte back."""
    assert error["code"] in CODES
    assert length < 20_000
    if error["code"] == "INVALID_INPUT":
        known = {*operation.command.__struct_encode_fields__, "arguments"}
        for problem in error["problems"]:
            field = problem["field"].split(".")[0].split("[")[0]
            assert field in known or "is unknown" in problem["problem"], problem
            assert f"`{problem['field']}`" in error["message"]
            assert problem["problem"] in error["message"]
    if error["code"] == "UNKNOWN_ID":
        assert f"`{error['field']}`" in error["message"]


@pytest.mark.requirement("call.input.unknown-field", "call.input.nearest-field")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_unknown_argument_is_refused_with_the_nearest_known_one(operation: Operation, one_world: World) -> None:
    name = sorted(set(operation.command.__struct_encode_fields__) - {"workspace"} or {"workspace"})[0]

    error = one_world.no("INVALID_INPUT", operation.name, **{f"{name}z": 1})

    told = {problem["field"]: problem["problem"] for problem in error["problems"]}
    assert told[f"{name}z"] == f"is unknown; did you mean `{name}`?"


@pytest.mark.requirement("call.workspace.required")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_needs_a_workspace(operation: Operation, one_world: World) -> None:
    answered = answered_by(one_world, operation.name, {})

    problems = json.loads(answered.text)["error"]["problems"]
    assert {"field": "workspace", "problem": "is required"} in problems


@pytest.mark.requirement("call.workspace.form")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_a_workspace_name_of_another_form_is_refused(operation: Operation, one_world: World) -> None:
    for name in ("", "..", "a/../b", "a..b", "-a", "/a", ".a", "a b", "a\n", "é", "a" * 129, "a\0"):
        answered = answered_by(one_world, operation.name, {"workspace": name})

        error = json.loads(answered.text)["error"]
        assert error["code"] == "INVALID_INPUT", ascii(name)
        assert "workspace" in [problem["field"] for problem in error["problems"]], ascii(name)
        assert one_world.store.workspaces() == [], ascii(name)


@pytest.mark.requirement("call.workspace.form")
@pytest.mark.parametrize("name", ["a", "0", "acme/repo", "A.b-c_d/e", "a" * 128, "a./b"])
def test_a_workspace_name_of_the_right_form_is_taken(name: str, one_world: World) -> None:
    one_world.ok("tasks_create", workspace=name, kind="task", title="A task")

    assert one_world.store.workspaces() == [name]


@pytest.mark.requirement("call.refusal.suggestion-accepted")
@pytest.mark.parametrize("arguments", [{}, {"workspace": ".."}, {"workspace": 7}, {"workspace": "acme/repo"}])
def test_the_refusal_of_an_unknown_operation_suggests_only_what_works(
    arguments: dict[str, Any], one_world: World
) -> None:
    answered = answered_by(one_world, "tasks_raddar", arguments)

    error = json.loads(answered.text)["error"]
    assert error["code"] == "UNKNOWN_TOOL"
    assert "tasks_raddar" in error["message"]
    assert error["recovery"].startswith("The nearest are: tasks_radar: What to do now")
    assert len(answered.text) <= 420
    one_world.check_refusal(error)


@pytest.mark.parametrize("name", ["", "\ud800", "\0", "x" * 1_000_000, "tasks_radar\n"], ids=range(5))
@pytest.mark.parametrize("workspace", ["acme/repo", "\ud800"], ids=["good", "odd"])
def test_no_name_of_an_operation_is_odd_enough_to_break_the_answer(
    name: str, workspace: str, one_world: World
) -> None:
    answered = answered_by(one_world, name, {"workspace": workspace})

    assert json.loads(answered.text)["error"]["code"] == "UNKNOWN_TOOL"
    assert len(answered.text) < 20_000


def test_a_number_of_five_thousand_digits_is_refused_by_name(one_world: World) -> None:
    answered = answered_by(one_world, "tasks_context", {"workspace": "acme/repo", "limit": 10**5000})

    assert json.loads(answered.text)["error"]["problems"][0]["field"] == "limit"


@pytest.mark.requirement("call.input.no-coercion")
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
def test_a_number_that_json_does_not_have_is_refused_rather_than_dropped(value: float, one_world: World) -> None:
    error = one_world.no("INVALID_INPUT", "tasks_create", kind="plan", title="x", contract_data={"deep": [value]})

    assert error["problems"][0]["field"] == "contract_data"


def test_data_that_was_accepted_can_be_shown_however_deep_it_is(one_world: World) -> None:
    for depth in (50, 300, 500, 700, 900):
        data = {"token": "hunter2", "long": "a text long enough to be searched", "deep": inputs.nested(depth)}
        answered = one_world.ask("tasks_create", kind="plan", title=f"{depth} deep", contract_data=data)
        if answered.refusal is None:
            shown = one_world.ok("tasks_resume", plan=json.loads(answered.text)["id"])
            assert shown["target"]["id"]
        else:
            assert answered.refusal.code == "INVALID_INPUT"


def test_a_backslash_and_letters_are_not_a_nul_character(one_world: World) -> None:
    plan = one_world.plan(contract_data={"regex": r"\u0000"})

    assert one_world.ok("tasks_resume", plan=plan)["target"]["contract_data"] == {"regex": r"\u0000"}


@pytest.mark.requirement("call.checks.unknown-id", "call.workspace.isolated")
@pytest.mark.parametrize("tool", ["tasks_done", "tasks_block", "tasks_resume", "tasks_note"])
def test_a_step_of_another_workspace_or_task_is_unknown_here(tool: str, one_world: World) -> None:
    one_world.task("mine")
    other = one_world.ok("tasks_create", kind="task", title="Other", steps=[{"title": "beside"}])
    foreign = one_world.ok("tasks_create", workspace=ELSEWHERE, kind="task", title="x", steps=[{"title": "far"}])
    before = one_world.everything(ELSEWHERE)
    more = {"note": "Hello."} if tool == "tasks_note" else {}

    for made in (other, foreign):
        step_id = made["steps"][0]["step_id"]
        error = one_world.no("UNKNOWN_ID", tool, task="TASK-001", step_id=step_id, **more)
        assert step_id in error["message"]

    assert one_world.everything(ELSEWHERE) == before


@pytest.mark.requirement("call.input.string-is-no-list")
def test_a_string_where_a_list_belongs_is_refused(one_world: World) -> None:
    task = one_world.task("a step")

    for tool, arguments in (
        ("tasks_create", {"kind": "task", "title": "x", "tags": "red"}),
        ("tasks_define", {"task": task, "path": "s:0", "criteria": "it works"}),
        ("tasks_delta", {"types": "step_done"}),
        ("tasks_decompose", {"task": task, "steps": "first, second"}),
    ):
        error = one_world.no("INVALID_INPUT", tool, **arguments)
        assert "must be a list, not a string" in error["message"]


@pytest.mark.requirement("call.input.no-coercion")
def test_a_confirmation_must_be_a_boolean_and_nothing_like_one(one_world: World) -> None:
    task = one_world.task("a step")

    for value in (1, "true", "yes", None, [True]):
        marks = {**CONFIRMED, "tests": {"confirmed": value}}
        error = one_world.no("INVALID_INPUT", "tasks_close_step", task=task, path="s:0", checkpoints=marks)
        assert error["problems"][0]["field"] == "checkpoints.tests.confirmed"
