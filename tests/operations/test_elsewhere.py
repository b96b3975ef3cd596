"""A workspace that does not exist is not an empty world."""

from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.operations.catalog import BY_NAME
from tests.givens import World

READS = [
    *("tasks_radar", "tasks_context", "tasks_resume", "tasks_handoff", "tasks_context_pack"),
    *("tasks_mirror", "tasks_lint"),
]


@pytest.fixture
def two(world: World) -> World:
    """A store with two workspaces."""
    world.task("Dig")
    world.ok("tasks_create", workspace="other/garden", kind="task", title="Sow")
    return world


@pytest.mark.requirement("call.workspace.unknown-names-others")
@pytest.mark.parametrize("tool", READS)
@pytest.mark.parametrize("given", [{}, {"max_chars": 512}])
def test_a_read_of_an_unknown_workspace_names_the_known_ones(two: World, tool: str, given: dict[str, Any]) -> None:
    reply = two.ok(tool, workspace="acme/repos", **given)

    assert reply["workspaces"][0] == "acme/repo"
    assert reply["next"]["tool"] == tool
    assert reply["next"]["arguments"].get("workspace", "acme/repo") == "acme/repo"
    two.ok(tool, **reply["next"]["arguments"])
    assert two.store.workspaces() == ["acme/repo", "other/garden"]


@pytest.mark.requirement("call.workspace.unknown-names-others")
def test_a_search_in_an_unknown_workspace_names_the_known_ones(two: World) -> None:
    assert two.ok("tasks_context", workspace="acme/rep", text="dig")["workspaces"] == ["acme/repo", "other/garden"]


@pytest.mark.parametrize("tool", READS)
def test_a_long_list_of_workspaces_keeps_within_the_budget(world: World, tool: str) -> None:
    for number in range(8):
        world.ok("tasks_create", workspace=f"acme/{'x' * 100}{number}", kind="task", title="T")

    answered = world.ask(tool, workspace=f"acme/{'x' * 110}", max_chars=512)

    assert answered.refusal is None
    assert len(answered.text) <= 512


@pytest.mark.parametrize("tool", READS)
def test_in_a_store_with_no_other_workspace_a_read_shows_an_empty_one(world: World, tool: str) -> None:
    assert "workspaces" not in world.ok(tool)


@pytest.mark.requirement("call.workspace.unknown-names-others")
@pytest.mark.parametrize("tool", READS)
def test_a_workspace_that_was_written_to_is_known_even_if_it_is_empty(two: World, tool: str) -> None:
    two.ok("todo_write", workspace="acme/new", items=["Dig"])

    assert "workspaces" not in two.ok(tool, workspace="acme/new")


def test_a_bound_caller_is_told_of_no_other_workspace(two: World) -> None:
    two.caller = Caller("tester", bound="acme/new")

    for tool in READS:
        assert "workspaces" not in two.ok(tool, workspace="acme/new")


def test_the_workspace_of_a_call_that_names_none_is_the_default(two: World) -> None:
    from gatepost.operations.answer import answer

    caller = Caller("tester", default="other/garden", tools=frozenset(BY_NAME))

    shown = answer(two.engine, "tasks_radar", {}, caller)
    other = answer(two.engine, "tasks_radar", {"workspace": "acme/repo"}, caller)

    assert '"title":"Sow"' in shown.text
    assert '"workspace"' not in shown.text
    assert '"title":"Dig"' in other.text
    assert '"workspace":"acme/repo"' in other.text
