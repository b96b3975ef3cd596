"""Checks: what they prove, what they leave behind, and what they never do."""

import json
from typing import Any

import pytest

from gatepost.domain.proof_refusals import NotTrusted
from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World

CRITERIA = {"criteria": {"confirmed": True, "note": "Looked at it."}}


def checked(world: World, *runs: str, **more: Any) -> str:
    """A task whose only step has these checks."""
    steps = [{"title": "a", "checks": [{"run": run, **more} for run in runs]}]
    made: str = world.ok("tasks_create", kind="task", title="A task", steps=steps)["id"]
    return made


def proofs(world: World, task: str, path: str = "s:0") -> dict[str, str]:
    return {mark["checkpoint"]: mark["provenance"] for mark in world.step(task, path)["confirmed"]}


@pytest.mark.requirement("proof.check.on-a-step", "proof.check.evidence", "proof.check.confirms-machine")
def test_a_check_that_passes_confirms_its_checkpoint_and_keeps_what_it_printed(world: World) -> None:
    task = checked(world, "true -q", covers=["src/**"])

    reply = world.ok("tasks_check", task=task, path="s:0")

    assert reply["checks"] == [
        {
            "run": ["true", "-q"],
            "for": "tests",
            "passed": True,
            "exit_code": 0,
            "seconds": 0.25,
            "tail": "the output",
        }
    ]
    assert reply["confirmed"] == ["tests"]
    captured, verified = world.logged(reply)
    assert (captured["type"], captured["items"]) == ("evidence_captured", ["cmd_output: true -q"])
    assert verified["provenance"] == {"tests": "machine"}
    assert (verified["evidence"], verified["commit"]) == ({"tests": captured["seq"]}, "abc123")
    shown = world.ok("tasks_resume", task=task, path="s:0")
    assert proofs(world, task) == {"tests": "machine"}
    assert shown["evidence"] == [
        {
            "seq": captured["seq"],
            "form": "item",
            "kind": "cmd_output",
            "command": "true -q",
            "content": "the output",
            "passed": True,
            "exit_code": 0,
            "seconds": 0.25,
            "commit": "abc123",
            "dirty": False,
            "covers": ["src/**"],
            "checkpoints": ["tests"],
        }
    ]


@pytest.mark.requirement("proof.check.failure-is-an-answer")
def test_a_check_that_fails_is_an_answer_and_confirms_nothing(world: World) -> None:
    task = checked(world, "true", "false")

    reply = world.ok("tasks_check", task=task, path="s:0")

    assert [check["passed"] for check in reply["checks"]] == [True, False]
    assert reply["confirmed"] == []
    assert reply["checks"][1]["problem"] == "It ended with exit code 1."
    assert world.logged(reply)[0]["failed"] == ["false"]
    assert proofs(world, task) == {}


def states(world: World, task: str) -> list[str]:
    return [result["state"] for result in world.step(task, "s:0")["results"]]


def test_a_step_in_full_says_how_each_check_came_out(world: World) -> None:
    task = checked(world, "true", "false")
    assert states(world, task) == ["not_run", "not_run"]

    run = world.ok("tasks_check", task=task, path="s:0")

    assert states(world, task) == ["passed", "failed"]
    failed = world.step(task, "s:0")["results"][1]
    assert failed == {"state": "failed", "seconds": 0.25, "exit_code": 1, "evidence": world.logged(run)[0]["seq"]}


def test_a_check_whose_proof_was_withdrawn_or_is_stale_has_to_run_again(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CRITERIA, run_checks=True)
    assert states(world, task) == ["passed"]

    world.checks.digest = "two"
    assert states(world, task) == ["stale"]
    assert world.ok("tasks_tree", task=task)["rows"][0]["stale"] == ["tests"]
    assert world.ok("tasks_resume", task=task)["steps"][0]["stale"] == ["tests"]

    world.ok("tasks_progress", task=task, path="s:0", completed=False)
    assert states(world, task) == ["not_run"]


def test_what_an_agent_says_of_a_command_is_not_how_its_check_came_out(world: World) -> None:
    task = checked(world, "true")

    claimed = {"kind": "cmd_output", "command": "true", "exit_code": 0}
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[claimed], checkpoints=["tests"])

    assert states(world, task) == ["not_run"]


@pytest.mark.requirement("proof.check.confirms-machine")
def test_some_of_the_checks_confirm_only_what_they_prove_alone(world: World) -> None:
    steps = [{"title": "a", "checks": [{"run": "true a"}, {"run": "true b"}, {"run": "true c", "for": "docs"}]}]
    task = world.ok("tasks_create", kind="task", title="A task", steps=steps)["id"]

    assert world.ok("tasks_check", task=task, path="s:0", checks=[0, 2])["confirmed"] == ["docs"]
    assert world.ok("tasks_check", task=task, path="s:0", checks=[1])["confirmed"] == []
    assert world.ok("tasks_check", task=task, path="s:0", checks=[1, 0])["confirmed"] == ["tests"]
    world.no("INVALID_INPUT", "tasks_check", task=task, path="s:0", checks=[3])


@pytest.mark.requirement("proof.check.only-by-running")
def test_what_has_checks_is_not_confirmed_on_a_word(world: World) -> None:
    task = checked(world, "true -q")
    error: dict[str, Any] = {}

    for tool in ("tasks_close_step", "tasks_verify"):
        error = world.no("CHECKS_NOT_RUN", tool, task=task, path="s:0", checkpoints=CONFIRMED)
        assert "`true -q`" in error["message"]
        assert error["suggestion"]["tool"] == "tasks_check"
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CRITERIA)
    assert world.no("CHECKS_NOT_RUN", "tasks_done", task=task, path="s:0")["missing"] == ["tests"]

    suggested = error["suggestion"]["arguments"]
    world.ok("tasks_check", **{name: value for name, value in suggested.items() if name != "workspace"})
    world.ok("tasks_done", task=task, path="s:0")


@pytest.mark.requirement("proof.close.check-then-close")
def test_closing_with_checks_runs_them_and_closes(world: World) -> None:
    task = checked(world, "true")
    revision = world.revision(task)

    reply = world.ok(
        "tasks_close_step",
        task=task,
        path="s:0",
        checkpoints=CRITERIA,
        run_checks=True,
        expected_revision=revision,
        expected_step_revision=1,
    )

    assert [check["passed"] for check in reply["checks"]] == [True]
    kinds = ["evidence_captured", "step_verified", "step_verified", "step_done"]
    assert [event["type"] for event in reply["events"]] == kinds
    assert proofs(world, task) == {"criteria": "noted", "tests": "machine"}
    tools = [row["tool"] for row in world.ok("tasks_history", task=task)["operations"]]
    assert tools[:2] == ["tasks_close_step", "tasks_check"]
    ran = len(world.checks.ran)
    assert not world.ok("tasks_close_step", task=task, path="s:0", run_checks=True)["changed"]
    assert len(world.checks.ran) == ran, "a done step needs no checks"


@pytest.mark.requirement("proof.close.failed-check-refuses")
def test_a_close_whose_checks_fail_is_refused_and_the_run_is_kept(world: World) -> None:
    task = checked(world, "false -v")
    close = {"task": task, "path": "s:0", "checkpoints": CRITERIA, "run_checks": True}

    answered = world.ask("tasks_close_step", **close)

    error = json.loads(answered.text)["error"]
    assert error["code"] == "CHECK_FAILED"
    assert (error["checks"][0]["exit_code"], error["checks"][0]["tail"]) == (1, "the output")
    world.check_refusal(error)
    assert not world.step(task, "s:0")["done"]
    assert proofs(world, task) == {}
    assert len(world.ok("tasks_resume", task=task, path="s:0")["evidence"]) == 1


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("CHECKPOINTS_NOT_CONFIRMED", {}),
        ("CHECKPOINTS_NOT_CONFIRMED", {"checkpoints": {"criteria": {"confirmed": False}}}),
        ("REVISION_MISMATCH", {"checkpoints": CRITERIA, "expected_step_revision": 7}),
    ],
)
def test_a_close_that_cannot_be_runs_nothing(code: str, given: dict[str, Any], world: World) -> None:
    task = checked(world, "true")

    world.no(code, "tasks_close_step", task=task, path="s:0", run_checks=True, **given)

    assert world.checks.ran == []


def test_nothing_runs_that_nobody_trusts(world: World) -> None:
    task = checked(world, "true")
    world.checks.refusal = NotTrusted("`true` is not allowed here.", "Ask the user to run gatepost trust.")

    world.no("NOT_TRUSTED", "tasks_check", task=task, path="s:0")
    world.no("NOT_TRUSTED", "tasks_close_step", task=task, path="s:0", checkpoints=CRITERIA, run_checks=True)

    assert world.checks.ran == []
    world.engine.checks = None
    world.no("NOT_TRUSTED", "tasks_check", task=task, path="s:0")


@pytest.mark.requirement("proof.check.only-unchanged")
def test_a_step_that_changed_while_its_checks_ran_is_not_confirmed(world: World) -> None:
    task = checked(world, "true")
    titles = iter("bc")
    world.checks.meanwhile = lambda: world.ok("tasks_define", task=task, path="s:0", title=next(titles))

    reply = world.ok("tasks_check", task=task, path="s:0")

    assert reply["confirmed"] == []
    assert "changed while its checks ran" in reply["warnings"][0]
    assert [event["type"] for event in reply["events"]] == ["evidence_captured"]
    assert proofs(world, task) == {}
    answered = world.ask("tasks_close_step", task=task, path="s:0", checkpoints=CRITERIA, run_checks=True)
    assert answered.refusal is not None


def test_a_note_or_evidence_meanwhile_is_no_change_of_the_step(world: World) -> None:
    task = checked(world, "true")
    world.checks.meanwhile = lambda: world.ok("tasks_note", task=task, path="s:0", note="Nearly there.")

    assert world.ok("tasks_check", task=task, path="s:0")["confirmed"] == ["tests"]


def test_a_failed_run_takes_back_what_an_earlier_one_confirmed(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_check", task=task, path="s:0")
    world.ok("tasks_define", task=task, path="s:0", checks=[{"run": "true"}])
    assert proofs(world, task) == {"tests": "machine"}, "the same checks are no change"

    world.ok("tasks_define", task=task, path="s:0", checks=[{"run": "false"}])

    assert proofs(world, task) == {}


def test_a_run_is_a_record_that_undo_passes_over(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_block", task=task, path="s:0", reason="Wait.")
    world.ok("tasks_block", task=task, path="s:0", blocked=False)
    world.ok("tasks_check", task=task, path="s:0")

    world.ok("tasks_undo", task=task)

    assert world.step(task, "s:0")["blocked"] == "Wait."
    assert proofs(world, task) == {"tests": "machine"}


def test_what_a_check_was_run_for_cannot_be_undone_below_it(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_define", task=task, path="s:0", checks=[{"run": "true again"}])
    world.ok("tasks_check", task=task, path="s:0")

    world.no("UNDO_CONFLICT", "tasks_undo", task=task)


def test_undo_and_redo_of_a_close_keep_what_a_check_proved(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CRITERIA, run_checks=True)

    world.ok("tasks_progress", task=task, path="s:0", completed=False)
    assert proofs(world, task) == {}
    world.ok("tasks_undo", task=task)
    assert proofs(world, task) == {"criteria": "noted", "tests": "machine"}
    world.ok("tasks_redo", task=task)
    assert proofs(world, task) == {}


def test_secrets_in_the_output_are_redacted_and_counted(world: World) -> None:
    world.checks.output = "token ghp_" + "a1B2" * 9
    task = checked(world, "true")

    reply = world.ok("tasks_check", task=task, path="s:0")

    assert reply["checks"][0]["redacted"] == 1
    assert "ghp_" not in json.dumps(world.everything(), default=str)


def test_checks_do_not_run_in_an_atomic_batch(world: World) -> None:
    task = checked(world, "true")
    calls: list[dict[str, Any]] = [
        {"tool": "tasks_check", "arguments": {"task": task, "path": "s:0"}},
        {
            "tool": "tasks_close_step",
            "arguments": {"task": task, "path": "s:0", "checkpoints": CRITERIA, "run_checks": True},
        },
    ]

    for call in calls:
        error = world.no("BATCH_FAILED", "tasks_batch", operations=[call])
        assert error["error"]["code"] == "INVALID_INPUT"
        assert "atomic false" in error["error"]["recovery"]
    assert world.checks.ran == []
    world.ok("tasks_batch", operations=calls, atomic=False)
    assert world.step(task, "s:0")["done"]


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ({"run": "pytest | tee log"}, "an unquoted `|`"),
        ({"run": "pytest > log"}, "an unquoted `>`"),
        ({"run": "echo $(whoami)"}, "an unquoted `$`"),
        ({"run": "echo `whoami`"}, "an unquoted ```"),
        ({"run": "a && b"}, "an unquoted `&`"),
        ({"run": "echo 'open"}, "cannot be split"),
        ({"run": []}, "at least 1"),
        ({"run": [" "]}, "the name of a command"),
        ({"run": "pytest", "cwd": "../other"}, "leaves the root"),
        ({"run": "pytest", "cwd": "/etc"}, "relative"),
        ({"run": "pytest", "expect": "(?=x)"}, "checks do not support"),
        ({"run": "pytest", "expect": "("}, "expect"),
        ({"run": "pytest", "timeout_s": 0}, "timeout_s"),
        ({"run": "pytest", "timeout_s": 3601}, "timeout_s"),
        ({"run": "pytest", "for": "luck"}, "for"),
        ({"run": "pytest", "provenance": "machine"}, "provenance"),
    ],
)
@pytest.mark.requirement("proof.check.words-not-shell")
def test_a_check_that_cannot_work_is_refused_when_it_is_written(
    check: dict[str, Any], problem: str, world: World
) -> None:
    error = world.no(
        "INVALID_INPUT", "tasks_create", kind="task", title="t", steps=[{"title": "a", "checks": [check]}]
    )

    assert problem in error["message"]


@pytest.mark.requirement("proof.check.words-not-shell")
def test_a_line_is_split_as_a_shell_splits_it(world: World) -> None:
    task = checked(world, "pytest -k 'a | b' \"c;d\" e\\ f")

    assert world.step(task, "s:0")["checks"] == [{"run": ["pytest", "-k", "a | b", "c;d", "e f"]}]


@pytest.mark.requirement("proof.provenance.shown")
def test_every_view_of_a_step_shows_what_its_confirmations_rest_on(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_check", task=task, path="s:0")

    current = world.ok("tasks_radar", task=task)
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CRITERIA)
    handoff = world.ok("tasks_handoff", task=task)["done"]["items"][0]["proof"]
    mirror = world.ok("tasks_mirror", task=task)["items"][0]["provenance"]
    events = world.ok("tasks_delta", since=0)["events"]

    expected = {"criteria": "noted", "tests": "machine"}
    assert current["verify"]["confirmed"] == {"tests": "machine"}
    assert proofs(world, task) == expected
    assert {mark["checkpoint"]: mark["provenance"] for mark in handoff} == mirror == expected
    assert {name: kind for event in events for name, kind in event.get("provenance", {}).items()} == expected


def test_a_signature_goes_with_the_files_that_were_signed(world: World) -> None:
    task = checked(world, "true")
    world.ok("tasks_check", task=task, path="s:0")
    agent, world.caller = world.caller, Caller("human:ada")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"tests": {"confirmed": True}})
    world.caller = agent

    world.ok("tasks_check", task=task, path="s:0")
    (same,) = world.step(task, "s:0")["confirmed"]
    world.checks.digest = "other"
    world.ok("tasks_check", task=task, path="s:0")
    (other,) = world.step(task, "s:0")["confirmed"]

    assert same["signed"]["actor"] == "human:ada"
    assert "signed" not in other
