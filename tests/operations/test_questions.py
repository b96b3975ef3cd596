"""Questions: a block that asks, who may answer it, and no road past the one who was asked."""

from typing import Any

import pytest

from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from tests.givens import PROVEN, World
from tests.operations.test_policies import PERSON, by

AGENT = Caller("agent:codex/7f31")
OTHER = Caller("agent:claude/3f2a")
ASKED = {"ask": "Which currency?", "options": ["EUR", "USD"], "for": "human"}


@pytest.fixture
def agent(world: World) -> World:
    return by(world, AGENT)


@pytest.mark.requirement("question.block.ask")
def test_a_step_says_what_was_asked_by_whom_and_when(agent: World) -> None:
    task = agent.task("step", "other")

    reply = agent.ok("tasks_block", task=task, path="s:0", reason="Prices differ.", **ASKED)

    step = agent.step(task, "s:0")
    at = step["question"]["at"]
    assert step["blocked"] == "Prices differ."
    assert step["question"] == {**ASKED, "actor": AGENT.actor, "at": at}
    assert agent.logged(reply)[0] | ASKED == agent.logged(reply)[0]
    assert agent.ok("tasks_radar", task=task)["blockers"][0]["question"] == step["question"]
    assert (
        agent.ok("tasks_handoff", task=task)["questions"][0]
        | {
            "question": "Which currency?",
            "options": ["EUR", "USD"],
            "for": "human",
            "actor": AGENT.actor,
            "at": at,
        }
        == agent.ok("tasks_handoff", task=task)["questions"][0]
    )


def test_a_question_without_a_reason_is_what_the_step_waits_for(agent: World) -> None:
    task = agent.task("step")

    agent.ok("tasks_block", task=task, path="s:0", ask="Which currency?")

    assert agent.step(task, "s:0")["blocked"] == "Which currency?"
    seen = agent.ok("tasks_radar", task=task)
    assert seen["next"]["because"] == "All open steps are blocked: Which currency?"
    assert seen["blockers"][0]["reason"] == "Which currency?"
    refusal = agent.no("STEP_BLOCKED", "tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)
    assert "Which currency?" in refusal["message"]
    assert "BLOCKED_WITHOUT_REASON" not in agent.ok("tasks_lint", task=task)["counts"]


@pytest.mark.requirement("question.lift.answer")
@pytest.mark.parametrize("said", [{"answer": "EUR"}, {"reason": "EUR"}])
def test_the_answer_reaches_the_one_who_asked_with_the_next_call(agent: World, said: dict[str, str]) -> None:
    task = agent.task("step", "other")
    agent.ok("tasks_block", task=task, path="s:0", **ASKED)

    by(agent, PERSON).ok("tasks_block", task=task, path="s:0", blocked=False, **said)

    now = agent.ok("tasks_radar", task=task)["now"]
    answer = now["answer"]
    assert answer == {"answer": "EUR", "question": "Which currency?", "actor": PERSON.actor, "at": answer["at"]}
    assert agent.ok("tasks_note", task=task, path="s:1", note="x")["now"]["answer"] == answer
    assert "question" not in agent.step(task, "s:0")


def test_asking_the_same_again_changes_nothing_and_another_question_replaces_it(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", **ASKED)

    assert agent.ok("tasks_block", task=task, path="s:0", **ASKED)["changed"] is False
    agent.ok("tasks_block", task=task, path="s:0", reason="Prices differ.")
    assert agent.step(task, "s:0")["question"]["ask"] == "Which currency?"
    agent.ok("tasks_block", task=task, path="s:0", ask="Which bank?", **{"for": "human"})

    step = agent.step(task, "s:0")
    assert (step["blocked"], step["question"]["ask"]) == ("Prices differ.", "Which bank?")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"options": ["a"]}, "options"),
        ({"for": "human"}, "for"),
        ({"ask": "x", "for": "user"}, "for"),
        ({"ask": "x", "for": "Human:ada"}, "for"),
        ({"ask": "x", "for": "humаn:ada"}, "for"),  # noqa: RUF001 - a look-alike
        ({"ask": " "}, "ask"),
        ({"ask": "x", "options": ["a", "a"]}, "options"),
        ({"ask": "x", "options": [str(number) for number in range(11)]}, "options"),
        ({"ask": "x", "blocked": False}, "ask"),
        ({"ask": "x", "answer": "y"}, "answer"),
    ],
)
def test_what_does_not_go_together_is_refused(agent: World, arguments: dict[str, Any], field: str) -> None:
    task = agent.task("step")

    refusal = agent.no("INVALID_INPUT", "tasks_block", task=task, path="s:0", **arguments)

    assert refusal["problems"][0]["field"].startswith(field)


@pytest.mark.parametrize("asked", ["human", "human:ada"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_block", {"path": "s:0", "blocked": False, "answer": "EUR"}),
        ("tasks_block", {"path": "s:0", "blocked": False}),
        ("tasks_block", {"path": "s:0", "ask": "Never mind?"}),
        ("tasks_block", {"path": "s:0", "ask": "Which currency?", "for": "agent:codex"}),
        ("tasks_delete", {"path": "s:0"}),
        ("tasks_delete", {}),
        ("tasks_undo", {}),
        ("tasks_delete", {"task": "PLAN-001", "force": True, "reason": "All of it."}),
        (
            "tasks_batch",
            {
                "operations": [
                    {"tool": "tasks_block", "arguments": {"path": "s:0", "blocked": False}},
                    {"tool": "tasks_block", "arguments": {"path": "s:0", "reason": "still"}},
                ]
            },
        ),
    ],
)
@pytest.mark.requirement("question.human.person-only")
def test_no_road_leads_past_a_question_for_a_person(
    agent: World, asked: str, tool: str, arguments: dict[str, Any]
) -> None:
    task = agent.task("step", "other", plan=agent.plan())
    agent.ok("tasks_block", task=task, path="s:0", ask="Which currency?", **{"for": asked})
    if tool == "tasks_batch":
        for call in arguments["operations"]:
            call["arguments"]["task"] = task
        failed = agent.no("BATCH_FAILED", tool, operations=arguments["operations"])
        error = failed["error"]
        assert (failed["operation_index"], error["code"]) == (0, "HUMAN_REQUIRED")
    else:
        error = agent.no("HUMAN_REQUIRED", tool, **{"task": task, **arguments})

    assert f"gatepost answer {task} s:0" in error["recovery"]
    assert "Which currency?" in error["message"]
    by(agent, PERSON).ok("tasks_block", task=task, path="s:0", blocked=False, answer="EUR")


@pytest.mark.requirement("question.human.person-only")
def test_an_agent_cannot_redo_what_a_person_took_back(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", **ASKED)
    by(agent, PERSON).ok("tasks_block", task=task, path="s:0", blocked=False, answer="EUR")
    by(agent, PERSON).ok("tasks_undo", task=task)

    agent.no("HUMAN_REQUIRED", "tasks_redo", task=task)

    assert agent.step(task, "s:0")["question"]["ask"] == "Which currency?"
    by(agent, PERSON).ok("tasks_redo", task=task)
    assert agent.step(task, "s:0")["answer"]["answer"] == "EUR"
    assert doctor.examine(agent.store, agent.workspace).findings == []


@pytest.mark.requirement("question.human.person-only")
@pytest.mark.parametrize("asked", ["human", "human:ada"])
@pytest.mark.parametrize("said", [{"answer": "EUR"}, {}])
def test_an_agent_cannot_take_back_what_a_person_answered(agent: World, asked: str, said: dict[str, str]) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", ask="Which currency?", **{"for": asked})
    lifted = by(agent, PERSON).ok("tasks_block", task=task, path="s:0", blocked=False, **said)
    operation = lifted["events"][0]["seq"]

    refusal = agent.no("HUMAN_REQUIRED", "tasks_undo", task=task)
    agent.no("HUMAN_REQUIRED", "tasks_undo", operation=operation)
    agent.no("HUMAN_REQUIRED", "tasks_undo", operation=operation, apply=False)

    assert f"gatepost undo {task}" in refusal["recovery"]
    assert "Which currency?" in refusal["message"]
    assert "blocked" not in agent.step(task, "s:0")
    by(agent, PERSON).ok("tasks_undo", task=task)
    assert agent.step(task, "s:0")["question"]["ask"] == "Which currency?"


def test_an_answer_from_the_user_of_a_client_is_not_taken_back_by_the_agent(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", **ASKED)
    by(agent, Caller(AGENT.actor, via="elicitation")).ok(
        "tasks_block", task=task, path="s:0", blocked=False, answer="EUR"
    )

    agent.no("HUMAN_REQUIRED", "tasks_undo")

    agent.ok("tasks_block", task=task, path="s:0", ask="Which bank?", **{"for": "human"})
    assert agent.step(task, "s:0")["question"]["ask"] == "Which bank?"


def test_only_the_agent_that_was_asked_takes_its_answer_back(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", ask="Right?", **{"for": "agent:claude"})
    by(agent, OTHER).ok("tasks_block", task=task, path="s:0", blocked=False, answer="Yes.")

    agent.no("ANSWERER_REQUIRED", "tasks_undo", task=task)
    by(agent, OTHER).ok("tasks_undo")

    assert agent.step(task, "s:0")["question"]["ask"] == "Right?"


def test_the_one_who_asked_can_word_it_differently_and_nobody_else_can(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", **ASKED)
    again = {"task": task, "path": "s:0", "ask": "Which bank?", "for": "human"}

    by(agent, OTHER).no("HUMAN_REQUIRED", "tasks_block", **again)
    agent.ok("tasks_block", **again)

    assert agent.step(task, "s:0")["question"]["ask"] == "Which bank?"


def test_a_question_for_nobody_in_particular_is_lifted_by_anybody(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", ask="Which currency?")

    by(agent, OTHER).ok("tasks_block", task=task, path="s:0", blocked=False, answer="EUR")

    assert agent.step(task, "s:0")["answer"]["actor"] == OTHER.actor


@pytest.mark.requirement("question.actor.answers")
@pytest.mark.parametrize("name", ["agent:claude", "agent:claude/3f2a"])
def test_a_question_for_an_actor_is_answered_by_that_actor_or_a_person(agent: World, name: str) -> None:
    task = agent.task("one", "two")
    for path in ("s:0", "s:1"):
        agent.ok("tasks_block", task=task, path=path, ask="Is it right?", **{"for": name})
    lift = {"task": task, "blocked": False, "answer": "Yes."}

    refusal = agent.no("ANSWERER_REQUIRED", "tasks_block", path="s:0", **lift)
    by(agent, Caller("agent:claudette")).no("ANSWERER_REQUIRED", "tasks_block", path="s:0", **lift)

    assert name in refusal["message"]
    by(agent, OTHER).ok("tasks_block", path="s:0", **lift)
    by(agent, PERSON).ok("tasks_block", path="s:1", **lift)


def test_an_answer_that_a_client_got_from_its_user_lifts_it_and_says_so(agent: World) -> None:
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", **ASKED)

    asked = by(agent, Caller(AGENT.actor, via="elicitation"))
    asked.ok("tasks_block", task=task, path="s:0", blocked=False, answer="EUR")

    answer = agent.step(task, "s:0")["answer"]
    assert (answer["actor"], answer["via"]) == (AGENT.actor, "elicitation")


def test_the_one_who_asked_keeps_its_claim_while_others_answer(agent: World) -> None:
    task = agent.task("one", "two", "three")
    for path, caller in (("s:1", OTHER), ("s:2", PERSON)):
        agent.ok("tasks_claim", task=task, path=path)
        agent.ok("tasks_block", task=task, path=path, ask="Which currency?")
        by(agent, OTHER).no("CLAIMED", "tasks_define", task=task, path=path, title="Mine")

        by(agent, caller).ok("tasks_block", task=task, path=path, blocked=False, answer="EUR")

        now = agent.ok("tasks_radar", task=task)["now"]
        assert (now["path"], now["answer"]["answer"]) == (path, "EUR")
        assert by(agent, OTHER).ok("tasks_radar", task=task)["now"]["path"] == "s:0"
        agent.close(task, path)


def test_a_question_goes_with_a_step_that_is_moved(agent: World) -> None:
    task = agent.task("parent", "asks")
    agent.ok("tasks_block", task=task, path="s:1", **ASKED)

    agent.ok("tasks_move", task=task, path="s:1", parent="s:0")

    assert agent.step(task, "s:0.s:0")["question"]["ask"] == "Which currency?"
    assert by(agent, PERSON).ok("tasks_inbox")["items"][0]["path"] == "s:0.s:0"
    agent.no("HUMAN_REQUIRED", "tasks_block", task=task, path="s:0.s:0", blocked=False)
    agent.ok("tasks_undo", task=task)
    assert by(agent, PERSON).ok("tasks_inbox")["items"][0]["path"] == "s:1"
