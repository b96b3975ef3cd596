"""Gatepost's own operations as the tools of a session."""

import json
from typing import Any

import pytest

import gatepost
from gatepost.operations.catalog import in_toolset
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoToolsSection, ToolInvoked
from gatepost.tools.adapters import anthropic_tools, responses_results, responses_tools
from tests.givens import WORKSPACE

NEW = {"kind": "task", "title": "Mend it", "steps": [{"title": "Look", "criteria": ["seen"], "tests": ["t"]}]}


def test_the_core_tools_work_in_one_workspace_that_a_model_need_not_name() -> None:
    session = Session(id="worker")
    heard: list[ToolInvoked] = []
    session.dispatcher.subscribe(ToolInvoked, heard.append)
    with gatepost.connect("memory:", actor="agent:test") as gp:
        section = TaskToolsSection(session=session, gp=gp, workspace=WORKSPACE)
        tools = {tool.name: tool for tool in section.tools}

        made = json.loads(tools["tasks_create"].call(NEW).render())
        (event, *_) = gp.call("tasks_delta", workspace=WORKSPACE)["events"]

    assert list(tools) == [found.name for found in in_toolset("core") if not found.name.startswith("todo_")]
    assert all("workspace" not in str(tool.schema) for tool in section.tools)
    assert "Call tasks_radar first" in section.render()
    assert made["id"] == "TASK-001"
    assert event["actor"] == "agent:test/worker"
    assert [(told.tool, told.arguments) for told in heard] == [("tasks_create", NEW)]


def test_a_refusal_comes_with_its_way_out_and_its_suggestion_is_accepted_as_it_is() -> None:
    with gatepost.connect("memory:") as gp:
        section = TaskToolsSection(session=Session(), gp=gp, workspace=WORKSPACE, toolset="tasks")
        tools = {tool.name: tool for tool in section.tools}
        tools["tasks_create"].call(NEW)

        with pytest.raises(gatepost.Refusal) as no:
            tools["tasks_done"].call({"task": "TASK-001", "path": "s:0"})
        suggestion = no.value.suggestion
        assert suggestion is not None
        tools[suggestion.tool].call(suggestion.arguments)

        with pytest.raises(gatepost.Refusal, match="bound to") as other:
            tools["tasks_radar"].call({"workspace": "other/repo"})

    assert no.value.code == "CHECKPOINTS_NOT_CONFIRMED"
    assert other.value.code == "WORKSPACE_MISMATCH"


def test_in_strict_mode_a_task_goes_from_its_plan_to_its_end_though_every_argument_is_sent() -> None:
    with gatepost.connect("memory:") as gp:
        section = TaskToolsSection(session=Session(), gp=gp, workspace=WORKSPACE, toolset="tasks")
        shown = {tool["name"]: tool for tool in responses_tools(section.tools)}

        def ask(name: str, **given: Any) -> dict[str, Any]:
            """Ask as a model in strict mode does: null for all that it leaves out."""
            schema: Any = shown[name]["parameters"]
            sent = {**dict.fromkeys(schema["required"] if shown[name]["strict"] else ()), **given}
            call = {"type": "function_call", "call_id": "c", "name": name, "arguments": json.dumps(sent)}
            (output,) = responses_results([call], section.tools)
            told: dict[str, Any] = json.loads(output["output"])
            return told

        task = ask("tasks_create", **NEW)["id"]
        now = ask("tasks_radar", task=task)["now"]
        early = ask("tasks_complete", task=task)["error"]
        met = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
        closed = ask("tasks_close_step", task=task, step_id=now["step_id"], checkpoints=met)
        done = ask("tasks_complete", task=task)

    assert shown["tasks_radar"]["strict"]
    assert shown["tasks_complete"]["strict"]
    assert early["code"] == "CHILDREN_OPEN"
    assert [event["type"] for event in closed["events"]] == ["step_verified", "step_done"]
    assert "task_completed" in [event["type"] for event in done["events"]]


def test_a_clone_works_on_the_same_tasks_under_the_name_of_its_session() -> None:
    with gatepost.connect("memory:", actor="agent:test") as gp:
        section = TaskToolsSection(session=Session(id="one"), gp=gp, workspace=WORKSPACE)
        section.tools[1].call(NEW)

        clone = section.clone(session=Session(id="two"))
        clone.tools[1].call(NEW)
        actors = [event["actor"] for event in gp.call("tasks_delta", workspace=WORKSPACE)["events"]]

    assert [tool.name for tool in clone.tools] == [tool.name for tool in section.tools]
    assert set(actors) == {"agent:test/one", "agent:test/two"}


def test_it_goes_together_with_the_session_s_todo_list_and_an_unknown_set_is_refused() -> None:
    session = Session()
    with gatepost.connect("memory:") as gp:
        section = TaskToolsSection(session=session, gp=gp, workspace=WORKSPACE, toolset="all")

        assert anthropic_tools([*TodoToolsSection(session=session).tools, *section.tools])
        with pytest.raises(gatepost.Refusal, match="must be one of core, tasks"):
            gp.tools("cores")
