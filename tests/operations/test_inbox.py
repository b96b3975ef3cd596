"""The inbox: what waits for a person, what to do about it, and what it costs to know."""

from pathlib import Path
from typing import Any

import pytest

from gatepost.domain.proof_refusals import NotTrusted
from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World, new_store
from tests.operations.test_policies import PERSON, by
from tests.tsk.projects import Project

AGENT = Caller("agent:codex/7f31")


def inbox(world: World, **arguments: Any) -> dict[str, Any]:
    return world.ok("tasks_inbox", **arguments)


def supplied(call: dict[str, Any], **given: Any) -> dict[str, Any]:
    """The arguments of an item's call, with what it asks for."""
    assert {name.partition(".")[0] for name in call.get("supply", ())} == set(given)
    return {name: value for name, value in {**call["arguments"], **given}.items() if name != "workspace"}


def test_an_empty_inbox_says_so(world: World) -> None:
    world.task("step")

    assert inbox(world) == {"items": [], "counts": {}, "has_more": False}


@pytest.mark.requirement("inbox.kinds.questions")
def test_a_question_is_in_the_inbox_until_it_is_answered_by_the_call_that_it_names(world: World) -> None:
    agent, person = by(world, AGENT), by(world, PERSON)
    task = agent.task("step", "blocked", "asks an agent")
    agent.ok("tasks_block", task=task, path="s:1", reason="No question.")
    agent.ok("tasks_block", task=task, path="s:2", ask="Right?", **{"for": "agent:claude"})
    agent.ok("tasks_block", task=task, path="s:0", ask="Which?", options=["a", "b"], **{"for": "human"})

    found = inbox(person)

    assert found["counts"] == {"question": 1}
    item = found["items"][0]
    assert {name: item[name] for name in ("kind", "task", "path", "ask", "options", "for", "actor")} == {
        "kind": "question",
        "task": task,
        "path": "s:0",
        "ask": "Which?",
        "options": ["a", "b"],
        "for": "human",
        "actor": AGENT.actor,
    }
    assert item["command"] == f"gatepost answer {task} s:0 '…'"
    assert "next" not in inbox(agent)["items"][0]
    person.ok(item["next"]["tool"], **supplied(item["next"], answer="a"))
    assert inbox(person)["items"] == []


def test_an_agent_finds_what_it_was_asked(world: World) -> None:
    agent = by(world, AGENT)
    task = agent.task("step")
    agent.ok("tasks_block", task=task, path="s:0", ask="Right?", **{"for": "agent:claude"})
    asked = by(world, Caller("agent:claude/3f2a", session="s-3f2a"))

    call = inbox(asked)["items"][0]["next"]

    assert inbox(agent)["items"] == []
    asked.ok(call["tool"], **supplied(call, answer="Yes."))


@pytest.mark.parametrize(
    ("name", "asked", "others"),
    [
        ("agent:codex", ["agent:codex", "agent:codex/7f31", "agent:codex/aaaa"], ["agent:codex-cli/7f31", "cli"]),
        ("agent:codex/7f31", ["agent:codex/7f31"], ["agent:codex", "agent:codex/aaaa", "agent:claude/7f31"]),
        ("agent:a/b", ["agent:a/b", "agent:a/b/7f31"], ["agent:a/c", "agent:a", "agent:a/b/c/7f31"]),
    ],
)
@pytest.mark.parametrize("session", ["s-7f31", "main"])
def test_a_question_is_listed_for_exactly_those_agents_that_may_answer_it(
    world: World, name: str, asked: list[str], others: list[str], session: str
) -> None:
    asker = by(world, Caller("agent:lead/0001"))
    for actor in (*asked, *others):
        task = asker.task("step")
        asker.ok("tasks_block", task=task, path="s:0", ask="Right?", **{"for": name})
        one = by(world, Caller(actor, session=session))
        lift = {"task": task, "path": "s:0", "blocked": False, "answer": "Yes."}

        listed = [item["task"] for item in inbox(one)["items"]]

        if actor in asked:
            assert listed == [task]
            one.ok("tasks_block", **lift)
        else:
            assert listed == []
            one.no("ANSWERER_REQUIRED", "tasks_block", **lift)
            by(world, PERSON).ok("tasks_block", **lift)


@pytest.mark.requirement("inbox.kinds.signoffs")
def test_a_step_that_has_all_but_a_person_is_in_the_inbox(world: World) -> None:
    agent, person = by(world, AGENT), by(world, PERSON)
    task = agent.task("step", "half", "no policy")
    free = agent.task("free")
    agent.ok("tasks_policy", task=task, signoff={"criteria": "human"})
    agent.ok("tasks_verify", task=free, path="s:0", checkpoints=CONFIRMED)
    agent.ok("tasks_verify", task=task, path="s:1", checkpoints={"criteria": {"confirmed": True}})
    assert inbox(person)["items"] == []

    agent.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    found = inbox(person)
    item = found["items"][0]
    assert found["counts"] == {"signoff": 1}
    assert (item["kind"], item["path"], item["signoff"]) == ("signoff", "s:0", ["criteria"])
    assert [mark["actor"] for mark in item["confirmed"]] == [AGENT.actor] * 2
    assert "next" not in inbox(agent)["items"][0]
    call = item["next"]
    assert call["supply"] == ["checkpoints.criteria"]
    person.ok(call["tool"], **supplied(call, checkpoints={"criteria": {"confirmed": True}}))
    assert inbox(person)["items"] == []
    assert person.step(task, "s:0")["done"]


@pytest.mark.requirement("inbox.kinds.approvals")
def test_a_plan_that_waits_for_approval_is_in_the_inbox(world: World) -> None:
    agent, person = by(world, AGENT), by(world, PERSON)
    plan = agent.plan(title="Refunds")
    agent.ok("tasks_policy", plan=plan, approval="human")

    item = inbox(person)["items"][0]

    assert (item["kind"], item["plan"], item["title"]) == ("approval", plan, "Refunds")
    person.ok(item["next"]["tool"], **supplied(item["next"]))
    assert inbox(person)["items"] == []


@pytest.mark.requirement("inbox.kinds.trust")
def test_a_command_that_nobody_trusts_is_in_the_inbox_once(world: World) -> None:
    person = by(world, PERSON)
    checks = [{"run": "pytest -q"}, {"run": "true"}]
    world.task(steps=[{"title": "one", "checks": checks}, {"title": "two", "checks": checks[:1]}])
    assert inbox(person)["items"] == []

    world.checks.refusal = NotTrusted("pytest did not run.", "Ask.", "gatepost trust --allow pytest")

    items = inbox(person)["items"]
    assert [(item["kind"], item["path"], item["run"]) for item in items] == [("trust", "s:0", "pytest -q")]
    assert items[0]["command"] == "gatepost trust --allow pytest"
    world.checks.refusal = NotTrusted("This server runs nothing.", "Start it with --run-checks.")
    assert inbox(person)["items"] == []


@pytest.mark.requirement("inbox.kinds.packages")
def test_a_taskdoc_whose_files_somebody_edited_is_in_the_inbox(tmp_path: Path) -> None:
    store = new_store("sqlite", tmp_path)
    project = Project(store, tmp_path)
    project.new("auth", goals="Log in.")
    project.new("calm")
    assert project.ok("tasks_inbox")["items"] == []

    project.file("goals").write_text("Log out.", encoding="utf-8")

    found = project.ok("tasks_inbox")
    item = found["items"][0]
    assert found["counts"] == {"package": 1}
    assert (item["kind"], item["taskdoc"], item["selector"]) == ("package", "auth", "goals")
    assert "was edited outside Gatepost" in item["differs"]
    assert item["command"] == "gatepost taskdoc adopt auth goals"
    project.ok(item["next"]["tool"], **supplied(item["next"]))
    project.ok("taskdoc_adopt", taskdoc="auth", selector="goals")
    assert project.ok("tasks_inbox")["items"] == []
    store.close()


def test_pages_continue_where_they_stopped_whatever_kind_that_was(world: World) -> None:
    agent, person = by(world, AGENT), by(world, PERSON)
    task = agent.task(*(f"step {number}" for number in range(6)))
    agent.ok("tasks_policy", task=task, signoff={"tests": "human"})
    for number in range(3):
        agent.ok("tasks_block", task=task, path=f"s:{number}", ask=f"{number}? " + "x" * 100)
        agent.ok("tasks_verify", task=task, path=f"s:{number + 3}", checkpoints=CONFIRMED)
        agent.ok("tasks_policy", plan=agent.plan(), approval="human")
    whole = inbox(person, limit=200)["items"]
    assert len(whole) == 9

    for arguments in ({"limit": 1}, {"limit": 2}, {"limit": 4}, {"max_chars": 1_500}, {"max_chars": 512}):
        seen: list[tuple[Any, ...]] = []
        page = inbox(person, **arguments)
        while True:
            seen += [(item["kind"], item.get("step_id"), item.get("plan")) for item in page["items"]]
            assert page["counts"] == {"question": 3, "signoff": 3, "approval": 3}
            if not page["has_more"]:
                break
            page = inbox(person, cursor=page["cursor"], **arguments)
        assert seen == [(item["kind"], item.get("step_id"), item.get("plan")) for item in whole]


def test_a_cursor_of_another_list_is_refused(world: World) -> None:
    world.task("step")
    world.task("step")
    cursor = world.ok("tasks_context", limit=1)["cursor"]

    world.no("INVALID_INPUT", "tasks_inbox", cursor=cursor)
