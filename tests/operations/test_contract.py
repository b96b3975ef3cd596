"""A plan's contract: text and data, each kept apart, cleared by name, remembered by the history."""

from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import World
from tests.wire.credentials import EVERY


def contract(world: World, plan: str) -> tuple[str | None, dict[str, Any] | None]:
    found = world.ok("tasks_resume", plan=plan)["target"]
    return found.get("contract"), found.get("contract_data")


@pytest.mark.requirement("tasks.contract.set")
def test_text_and_data_are_set_together(world: World) -> None:
    plan = world.plan()

    reply = world.ok("tasks_contract", plan=plan, current="Be kind.", contract_data={"limit": [1, {"a": None}]})

    assert set(reply) == {"plan", "revision", "current", "contract_data", "events"}
    assert (reply["plan"], reply["revision"], reply["current"]) == (plan, 2, "Be kind.")
    assert reply["contract_data"] == {"limit": [1, {"a": None}]}
    (event,) = world.logged(reply)
    assert (event["type"], event["plan"]) == ("contract_updated", plan)
    assert event["fields"] == ["contract", "contract_data"]
    assert contract(world, plan) == ("Be kind.", {"limit": [1, {"a": None}]})


@pytest.mark.requirement("tasks.contract.omission-keeps")
def test_text_alone_keeps_the_data_and_data_alone_the_text(world: World) -> None:
    plan = world.plan(contract="one", contract_data={"a": 1})

    by_text = world.ok("tasks_contract", plan=plan, current="two")
    by_data = world.ok("tasks_contract", plan=plan, contract_data={"b": 2})
    by_nothing = world.ok("tasks_contract", plan=plan)

    assert (by_text["current"], by_text["contract_data"]) == ("two", {"a": 1})
    assert (by_data["current"], by_data["contract_data"]) == ("two", {"b": 2})
    assert (by_nothing["changed"], by_nothing["events"]) == (False, [])
    assert contract(world, plan) == ("two", {"b": 2})


@pytest.mark.requirement("tasks.contract.omission-keeps")
def test_null_clears_the_one_that_it_is_given_for(world: World) -> None:
    plan = world.plan(contract="one", contract_data={"a": 1})

    world.ok("tasks_contract", plan=plan, current=None)
    text_gone = contract(world, plan)
    world.ok("tasks_contract", plan=plan, current="two", contract_data=None)

    assert text_gone == (None, {"a": 1})
    assert contract(world, plan) == ("two", None)


@pytest.mark.requirement("tasks.contract.clear")
def test_clear_removes_both_and_once_is_enough(world: World) -> None:
    plan = world.plan(contract="one", contract_data={"a": 1})

    reply = world.ok("tasks_contract", plan=plan, clear=True)
    again = world.ok("tasks_contract", plan=plan, clear=True)

    assert (reply["current"], reply["contract_data"]) == (None, None)
    assert world.logged(reply)[0]["fields"] == ["contract", "contract_data"]
    assert contract(world, plan) == (None, None)
    assert (again["changed"], again["revision"]) == (False, 2)


@pytest.mark.requirement("tasks.contract.clear", "tasks.contract.set")
def test_what_contradicts_itself_or_is_no_contract_is_refused(world: World) -> None:
    plan, task = world.plan(contract="one"), world.task()

    world.no("INVALID_INPUT", "tasks_contract", plan=plan, clear=True, current="two")
    world.no("INVALID_INPUT", "tasks_contract", plan=plan, clear=True, contract_data=None)
    world.no("INVALID_INPUT", "tasks_contract", plan=plan, current="")
    world.no("INVALID_INPUT", "tasks_contract", plan=plan, contract_data=["a"])
    world.no("INVALID_INPUT", "tasks_contract", plan=plan, contract_data={"a": "x" * 66_000})
    world.no("INVALID_INPUT", "tasks_contract", plan=task, current="two")
    world.no("UNKNOWN_ID", "tasks_contract", plan="PLAN-009", current="two")
    world.no("REVISION_MISMATCH", "tasks_contract", plan=plan, current="two", expected_revision=9)


@pytest.mark.requirement("tasks.contract.set")
def test_the_same_contract_again_is_no_change(world: World) -> None:
    plan = world.plan(contract="one", contract_data={"a": 1, "b": 2})
    before = world.everything()

    reply = world.ok("tasks_contract", plan=plan, current="one", contract_data={"b": 2, "a": 1})

    assert reply["changed"] is False
    assert world.everything() == before


@pytest.mark.requirement("secrets.refused.field-and-kind")
def test_a_secret_in_a_contract_s_data_is_refused_by_the_name_that_it_has(world: World) -> None:
    plan = world.plan()
    data = {"deep": [{"api_key": EVERY["env"].partition("=")[2]}, {"note": "password: reset mail"}]}

    error = world.no("SECRET_FOUND", "tasks_contract", plan=plan, current="one", contract_data=data)

    assert error["found"] == [{"field": "contract_data.deep[0].api_key", "kind": "secret value"}]


@pytest.mark.requirement("tasks.contract.versions")
def test_the_history_shows_each_earlier_text_and_data(world: World) -> None:
    plan = world.plan(contract="one", contract_data={"v": 1})
    world.ok("tasks_contract", plan=plan, current="two")
    world.ok("tasks_contract", plan=plan, contract_data={"v": 2})
    world.ok("tasks_edit", task=plan, contract="three")
    world.ok("tasks_contract", plan=plan, clear=True)

    rows = world.ok("tasks_history", task=plan)["operations"]

    assert [row.get("contract_before") for row in rows] == ["three", "two", None, "one", None]
    assert [row.get("contract_data_before") for row in rows] == [{"v": 2}, None, {"v": 1}, None, None]
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("tasks.contract.versions")
def test_the_history_shows_what_a_patch_a_close_or_a_batch_replaced_too(world: World) -> None:
    plan = world.plan(contract="one")

    def rewrite(text: str) -> list[dict[str, Any]]:
        return [{"op": "set", "field": "contract", "value": text}]

    world.ok("tasks_patch", task=plan, ops=rewrite("two"))
    many = [{"tool": "tasks_note", "arguments": {"task": plan, "note": "n"}}] * 21
    last = {"tool": "tasks_contract", "arguments": {"plan": plan, "current": "three"}}
    world.ok("tasks_batch", operations=[*many, last])
    world.ok("tasks_close_task", task=plan, apply=True, patches=[{"kind": "task_detail", "ops": rewrite("four")}])

    rows = world.ok("tasks_history", task=plan)["operations"]

    assert [row.get("contract_before") for row in rows] == ["three", "two", "one", None]


@pytest.mark.requirement("tasks.contract.versions")
def test_the_history_still_shows_a_text_that_was_taken_back(world: World) -> None:
    plan = world.plan(contract="one")
    world.ok("tasks_contract", plan=plan, current="two")

    world.ok("tasks_undo", task=plan)

    rows = world.ok("tasks_history", task=plan)["operations"]
    assert contract(world, plan) == ("one", None)
    assert [row.get("contract_before") for row in rows] == ["two", "one", None]
