"""After a context cut one call, or one prompt, is enough: it answers what somebody who knows nothing has to ask."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.operations.tools import listing
from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.exchange import Exchange
from gatepost.surfaces.mcp.messages import McpRequest, Peer
from gatepost.surfaces.mcp.prompts import WorkspacePrompts
from gatepost.surfaces.mcp.tool_sets import chosen
from tests.givens import World

NOTED = {"criteria": {"confirmed": True}, "tests": {"confirmed": True, "note": "pytest: 12 passed"}}


def worked(world: World) -> dict[str, Any]:
    """The radar of a task in the middle of the work of two agents and a person."""
    plan = world.plan(title="Payments", contract="Customers get their money back within a day.")
    steps = [
        {"title": "Schema"},
        {"title": "Storage"},
        {
            "title": "API",
            "criteria": ["POST answers 201"],
            "tests": ["pytest -k api"],
            "required": ["docs"],
        },
        {"title": "Provider"},
    ]
    task = world.ok("tasks_create", kind="task", title="Refunds", plan=plan, steps=steps)["id"]
    world.caller = Caller("agent:one/1a2b")
    for path in ("s:0", "s:1"):
        world.ok("tasks_close_step", task=task, path=path, checkpoints=NOTED)
    world.ok("tasks_note", task=task, path="s:2", note="Amounts are in cents.")
    world.ok("tasks_block", task=task, path="s:2", reason="Which currency?")
    world.ok("tasks_block", task=task, path="s:3", reason="No sandbox account yet.")
    world.caller = Caller("human:ann")
    world.ok("tasks_block", task=task, path="s:2", blocked=False, answer="Euro only.")
    world.ok("tasks_verify", task=task, path="s:2", checkpoints={"tests": {"confirmed": True, "note": "ran them"}})
    return world.ok("tasks_radar", task=task)


QUESTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "Which task am I on?": lambda radar: radar["target"]["title"] == "Refunds",
    "What am I doing?": lambda radar: (radar["now"]["path"], radar["now"]["title"]) == ("s:2", "API"),
    "Why?": lambda radar: radar["why"]["text"] == "Customers get their money back within a day.",
    "What proves it?": lambda radar: (
        (radar["verify"]["criteria"], radar["verify"]["tests"]) == (["POST answers 201"], ["pytest -k api"])
    ),
    "What is not proven yet?": lambda radar: radar["verify"]["unconfirmed"] == ["criteria", "docs"],
    "What did the last one warn of?": lambda radar: (
        [(it["note"], it["actor"]) for it in radar["now"]["notes"]] == [("Amounts are in cents.", "agent:one/1a2b")]
    ),
    "What did the person answer, and to what?": lambda radar: (
        tuple(radar["now"]["answer"][name] for name in ("question", "answer", "actor"))
        == ("Which currency?", "Euro only.", "human:ann")
    ),
    "What is in the way elsewhere?": lambda radar: (
        [(row["path"], row["reason"]) for row in radar["blockers"]] == [("s:3", "No sandbox account yet.")]
    ),
    "What was done last, and by whom?": lambda radar: (
        [(row["title"], row["actor"]) for row in radar["last_done"]]
        == [("Storage", "agent:one/1a2b"), ("Schema", "agent:one/1a2b")]
    ),
    "How much is left?": lambda radar: (radar["counts"]["open"], radar["counts"]["blocked"]) == (2, 1),
    "What do I send, and what do I have to add?": lambda radar: (
        (
            radar["next"]["tool"],
            radar["next"]["arguments"]["expected_step_revision"],
            radar["next"]["supply"],
        )
        == ("tasks_close_step", radar["now"]["revision"], ["checkpoints.criteria", "checkpoints.docs"])
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_one_radar_answers_everything_after_a_context_cut(world: World, question: str) -> None:
    assert QUESTIONS[question](worked(world))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", ["resume", "close", "plan", "handoff"])
def test_one_prompt_answers_everything_after_a_context_cut(world: World, name: str, question: str) -> None:
    worked(world)

    text = prompted(world, name)

    if name == "handoff":
        report = shown(text, "Shift report")
        report["last_done"] = report["done"]["items"]
        assert QUESTIONS[question](report)
    else:
        assert QUESTIONS[question](shown(text, "Radar"))


def test_the_prompt_to_hand_over_has_the_proof_of_what_is_done_and_the_questions_that_wait(world: World) -> None:
    worked(world)

    report = shown(prompted(world, "handoff"), "Shift report")

    assert [(mark["checkpoint"], mark["provenance"]) for mark in report["done"]["items"][0]["proof"]] == [
        ("criteria", "asserted"),
        ("tests", "noted"),
    ]
    assert [(row["path"], row["question"]) for row in report["questions"]] == [("s:3", "No sandbox account yet.")]


def prompted(world: World, name: str) -> str:
    """The text of a prompt about the task, as a server with the default tools says it."""

    def call(tool: str, arguments: dict[str, object]) -> CallToolResult:
        answered = world.ask(tool, **arguments)
        return CallToolResult(answered.text, refused=answered.refusal is not None)

    prompts = WorkspacePrompts(world.workspace, call, {tool["name"] for tool in chosen(listing(), "core")})
    exchange = Exchange(McpRequest(1, "prompts/get", {}), Peer(None, "2025-11-25"), None, None)
    messages: Any = prompts.get(name, {"task": "TASK-001"}, exchange)["messages"]
    return str(messages[0]["content"]["text"])


def shown(text: str, label: str) -> dict[str, Any]:
    """An operation's answer in a prompt."""
    found: dict[str, Any] = json.loads(text.partition(f"{label}:\n")[2].partition("\n\n")[0])
    return found


def test_it_is_short(world: World) -> None:
    worked(world)

    assert len(world.ask("tasks_radar", task="TASK-001").text) < 1_800
