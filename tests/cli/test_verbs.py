"""The verbs: what people type, what they are asked for, and what is never confirmed for them."""

import json
import os
import pwd
from collections.abc import Sequence

import pytest

from gatepost.domain.checkpoints import CHECKPOINTS
from gatepost.surfaces.cli.commands import close
from gatepost.surfaces.cli.root_names import plan_id, task_id
from gatepost.surfaces.cli.selectors import spelled
from gatepost.surfaces.cli.verb_lines import verb_words
from tests.cli.givens import WORKSPACE, Desk, Ran
from tests.cli.terminals import gatepost, seated
from tests.givens import PROVEN

PROMPTS = ("[y/N] ", "[1] ", "): ", "Title: ")
STEPS = (
    "--step",
    "Form",
    "--criteria",
    "Labels",
    "--criteria",
    "Keys",
    "--test",
    "pytest -k form",
    "--step",
    "API",
)


def ok(desk: Desk, *words: str) -> Ran:
    ran = desk.here(*words, "--workspace", WORKSPACE)
    assert ran.code == 0, (words, ran)
    return ran


def login(desk: Desk) -> str:
    """A task with two steps; the first has two criteria and a test."""
    return ok(desk, "add", "Login page", *STEPS, "-q").out.strip()


def typed(words: Sequence[str], *answers: str, **environment: str) -> Ran:
    """How a command ends in which a person answers one question after the other."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    with seated(["env", *variables, *gatepost(*words, "--workspace", WORKSPACE)], width=100) as seat:
        for answer in answers:
            seat.until(lambda text: text.endswith(PROMPTS))
            seat.written += "|"
            seat.type(answer)
        said = seat.rest()
        code = seat.process.returncode
    return Ran(code, said, "")


def confirmed(desk: Desk, task: str, path: str) -> dict[str, tuple[str, str | None]]:
    """What each confirmation of a step rests on, and its note."""
    marks = desk.world.step(task, path).get("confirmed", ())
    return {mark["checkpoint"]: (mark["provenance"], mark.get("note")) for mark in marks}


def test_a_task_is_created_with_steps_and_what_proves_each(desk: Desk) -> None:
    ok(desk, "add", "--plan-only", "Spring", "--tag", "release")

    made = ok(
        desk, "add", "Login", "--plan", "1", "--priority", "high", "--check", "true", "--step", "API", "--test", "x"
    )

    assert made.out == "Created TASK-001: Login\n  s:0  Login\n  s:1  API\n"
    task = desk.world.ok("tasks_resume", task="TASK-001")["target"]
    assert (task["plan"], task["priority"]) == ("PLAN-001", "HIGH")
    assert desk.world.step("TASK-001", "s:0")["checks"][0]["run"] == ["true"]
    assert desk.world.step("TASK-001", "s:1")["tests"] == ["x"]


def test_steps_are_added_below_a_step_and_are_not_guessed_for(desk: Desk) -> None:
    task = login(desk)

    ok(desk, "step", task, "Labels", "--under", "form", "--criteria", "Each field has one.")
    refused = desk.here("step", task, "One", "Two", "--check", "true")

    assert desk.world.step(task, "s:0.s:0")["criteria"] == ["Each field has one."]
    assert refused.code == 2
    assert "--check could belong to each of 2 steps" in refused.err


def test_nothing_is_confirmed_that_was_not_named(desk: Desk) -> None:
    task = login(desk)
    before = desk.world.everything()

    bare = desk.here("close", task, "form")
    half = desk.here("close", task, "form", "--tests", "--note", "All green.")
    noted = desk.here("close", task, "form", "--note", "Looks fine.")
    swallowed = desk.here("close", task, "--criteria", "s:1")
    unchanged = desk.world.everything() == before
    ok(desk, "close", task, "form", "--criteria", "Tried it.", "--tests", "--note", "All green.")

    assert [bare.code, half.code, noted.code, swallowed.code, unchanged] == [4, 4, 2, 2, True]
    assert "--criteria takes s:1 as its note" in swallowed.err
    assert "criteria and tests not confirmed" in bare.err
    assert "criteria not confirmed" in half.err
    assert confirmed(desk, task, "s:0") == {"criteria": ("noted", "Tried it."), "tests": ("noted", "All green.")}


def test_a_checkpoint_that_seldom_comes_alone_closes_its_step_or_leaves_nothing(desk: Desk) -> None:
    task = desk.passkeys()
    desk.world.ok("tasks_verify", task=task, path="s:1", checkpoints={"tests": {"confirmed": True}})
    before = desk.world.everything()

    refused = desk.here("close", task, "wire", "--security")
    same = desk.world.everything() == before
    desk.world.ok("tasks_verify", task=task, path="s:1", checkpoints={"criteria": {"confirmed": True}})
    closed = desk.here("close", task, "wire", "--security")

    assert (refused.code, same) == (4, True)
    assert "criteria not confirmed" in refused.err
    assert "tasks_" not in refused.err
    assert closed.out.startswith("TASK-001 s:1 is closed: Wire\n")


def test_checks_close_a_step_only_if_they_are_run(desk: Desk) -> None:
    ok(desk, "add", "Refunds", "--check", "true")
    assert desk.here("trust", "--allow", "true", "--yes").code == 0

    by_word = desk.here("close", "1", "0", "--criteria", "--tests")
    by_check = ok(desk, "close", "1", "0", "--criteria", "--run")

    assert by_word.code == 4
    assert "gatepost check TASK-001 STEP-" in by_word.err
    assert "All steps are done. Complete the task with: gatepost done TASK-001" in by_check.out
    assert confirmed(desk, "TASK-001", "s:0")["tests"][0] == "machine"


def test_a_close_for_another_revision_of_the_step_is_refused(desk: Desk) -> None:
    task = login(desk)
    shown = desk.here("radar").out
    desk.world.ok("tasks_define", task=task, path="s:0", criteria=["Something else"])

    line = next(line for line in shown.splitlines() if "gatepost close" in line).split()[1:]
    refused = desk.here(*line, "--criteria", "--tests")

    assert refused.code == 4
    assert "is at revision 2, not 1" in refused.err


def test_two_words_of_a_note_are_its_text_unless_the_second_names_a_step(desk: Desk) -> None:
    task = login(desk)

    ok(desk, "note", task, "form")
    ok(desk, "note", task, "form", "half way")
    refused = desk.here("note", task, "s:0")

    notes = [(note.get("path"), note["note"]) for note in desk.world.ok("tasks_resume", task=task)["notes"]]
    assert notes == [("s:0", "half way"), (None, "form")]
    assert refused.code == 2
    assert "the following arguments are required: TEXT" in refused.err


def test_what_is_done_is_reopened_and_what_is_open_is_not(desk: Desk) -> None:
    task = login(desk)
    desk.world.close(task, "s:0")
    before = desk.world.everything()

    refused = desk.here("reopen", task)
    same = desk.world.everything() == before
    ok(desk, "reopen", task, "form", "It fails on Safari.")

    assert (refused.code, same) == (2, True)
    assert not desk.world.step(task, "s:0")["done"]


@pytest.mark.parametrize(
    ("typed_as", "meant"),
    [("1", "TASK-001"), ("task-1", "TASK-001"), ("Plan-0012", "PLAN-012"), ("TASK-1000", "TASK-1000")]
    + [(text, text) for text in ("", "-", "task", "task-", "task-x", "tsk-1", "\u0661", "1.5", "9" * 5000)],
)
def test_ids_are_understood_as_people_type_them(typed_as: str, meant: str) -> None:
    assert task_id(typed_as) == meant


def test_a_number_is_a_plan_where_only_plans_are_possible() -> None:
    assert plan_id("1") == "PLAN-001"


@pytest.mark.parametrize(
    ("typed_as", "meant"),
    [
        ("S:0.s:2", {"path": "s:0.s:2"}),
        ("0.02", {"path": "s:0.s:2"}),
        ("0", {"path": "s:0"}),
        ("9" * 5000, {"path": "s:" + "9" * 5000}),
        ("step-0a1b2c3d", {"step_id": "STEP-0A1B2C3D"}),
        ("s:x", {"path": "s:x"}),
        ("stepping", None),
        ("0.", None),
        ("\u0663", None),
    ],
)
def test_a_step_is_named_by_path_numbers_or_id_before_its_title(
    typed_as: str, meant: dict[str, str] | None
) -> None:
    assert spelled(typed_as) == meant


def test_a_title_names_a_step_only_if_it_is_the_only_one(desk: Desk) -> None:
    task = login(desk)
    ok(desk, "step", task, "Form tests", "Docs")

    exact, shorter = desk.here("show", task, "FORM"), desk.here("show", task, "f")
    unknown = desk.here("show", task, "nothing")

    assert exact.code == 0
    assert (shorter.code, unknown.code) == (2, 3)
    assert "begin with “f”: s:0 Form, s:2 Form tests" in shorter.err
    assert f"gatepost show {task}" in unknown.err


def test_an_empty_name_is_no_step(desk: Desk) -> None:
    task = ok(desk, "add", "One", "--test", "t", "-q").out.strip()

    closed = desk.here("close", task, "", "--criteria", "--tests", "--workspace", WORKSPACE)

    assert closed.code == 2
    assert "the name of the step is empty" in closed.err
    assert "0/1" in ok(desk, "show", task).out


def test_every_command_that_names_a_step_understands_its_title(desk: Desk) -> None:
    task = login(desk)

    ok(desk, "block", "1", "api", "No key.")
    ok(desk, "unblock", "1", "api")
    ok(desk, "claim", "1", "api")
    ok(desk, "release", "1", "api")
    ok(desk, "move", "1", "api", "--to", "form")
    ok(desk, "blame", "1", "api", "title")
    ok(desk, "handoff", "1", "api")

    assert desk.world.step(task, "s:0.s:0")["title"] == "API"


def test_a_person_confirms_each_criterion_and_closes_as_a_person(desk: Desk) -> None:
    task = login(desk)

    ran = typed(["close", task, "form"], "y\n", "y\n", "y\n")

    assert ran.code == 0
    assert ran.out.count("Did you verify this yourself? [y/N]") == 3
    assert confirmed(desk, task, "s:0") == {"criteria": ("human", None), "tests": ("human", None)}
    last = desk.world.ok("tasks_delta", types=["step_done"])["events"][-1]
    assert last["actor"] == f"human:{pwd.getpwuid(os.getuid()).pw_name}"


def test_a_person_signs_off_what_an_agent_confirmed(desk: Desk) -> None:
    task = login(desk)
    desk.world.ok("tasks_policy", task=task, signoff={"criteria": "human"})
    desk.world.ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)

    by_program = desk.here("close", task, "form")
    by_person = typed(["close", task, "form"], "y\n", "y\n")

    assert by_program.code == 4
    assert "a person must confirm criteria" in by_program.err
    assert by_person.code == 0
    proof = next(mark for mark in desk.world.step(task, "s:0")["confirmed"] if mark["checkpoint"] == "criteria")
    assert proof["signed"]["actor"].startswith("human:")


@pytest.mark.parametrize("last", ["\n", "maybe\n", "\x04"])
def test_one_answer_that_is_not_yes_confirms_nothing(desk: Desk, last: str) -> None:
    task = login(desk)
    before = desk.world.everything()

    ran = typed(["close", task, "form"], "yes\n", last)

    assert ran.code == (130 if last == "\x04" else 4)
    assert desk.world.everything() == before


def test_what_is_missing_is_asked_for_in_a_terminal(desk: Desk) -> None:
    typed(["add"], "Login page\n", "Form\n", "API\n", "\n")
    ok(desk, "block", "1", "api", "--ask", "Which port?", "--option", "80", "--option", "8080")
    typed(["answer"], "1\n", "2\n")
    typed(["note", "1", "s:0"], "\n", EDITOR="sh -c 'printf \"two\\nlines\\n\" > $1' editor")

    assert [row["title"] for row in desk.world.ok("tasks_resume", task="TASK-001")["steps"]] == ["Form", "API"]
    assert desk.world.step("TASK-001", "s:1")["answer"]["answer"] == "8080"
    assert desk.world.ok("tasks_resume", task="TASK-001")["notes"][0]["note"] == "two\nlines"


@pytest.mark.parametrize(("words", "environment"), [(("--json",), {}), ((), {"CLAUDECODE": "1"})])
def test_neither_programs_nor_agents_are_asked(
    desk: Desk, words: Sequence[str], environment: dict[str, str]
) -> None:
    login(desk)
    before = desk.world.everything()

    ran = typed(["close", *words], **environment)

    assert ran.code == 2
    assert "the following arguments are required: TASK, STEP" in " ".join(ran.out.split())
    assert desk.world.everything() == before


def test_the_first_task_of_all_needs_the_name_of_its_workspace(desk: Desk) -> None:
    refused = desk.here("add", "First", "--store", "new.db")
    named = desk.here("add", "First", "--store", "new.db", "--workspace", "acme/new")

    assert (refused.code, named.code) == (2, 0)
    assert "--workspace acme/repo" in refused.err


def test_the_flags_of_close_are_the_checkpoints() -> None:
    assert close.CHECKPOINTS == CHECKPOINTS


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("tasks_resume", {"task": "TASK-001", "step_id": "STEP-1", "path": "s:0"}, ["show", "TASK-001", "s:0"]),
        ("tasks_resume", {"task": "TASK-001", "limit": 3}, None),
        ("tasks_progress", {"task": "TASK-001", "path": "s:0", "completed": True}, None),
        ("tasks_complete", {"task": "TASK-001", "status": "TODO"}, None),
        ("tasks_close_step", {"task": "T", "checkpoints": {"tests": {"confirmed": False}}}, None),
        ("tasks_context", {"ready": True, "kind": "task"}, ["ls", "--ready", "--kind", "task"]),
        ("tasks_delete", {"task": "TASK-001"}, None),
    ],
)
def test_a_call_becomes_a_command_only_if_that_does_the_same(
    tool: str, arguments: dict[str, object], words: list[str] | None
) -> None:
    assert verb_words(tool, {"workspace": WORKSPACE, **arguments}) == words


def test_json_is_the_reply_of_the_operation(desk: Desk) -> None:
    made = json.loads(ok(desk, "add", "Login", "--step", "Form", "--json").out)
    closed = json.loads(ok(desk, "close", "1", "0", "--criteria", "--tests", "--json").out)
    done = json.loads(ok(desk, "done", "1", "--json").out)

    assert (made["id"], made["steps"][0]["path"]) == ("TASK-001", "s:0")
    assert [event["type"] for event in closed["events"]] == ["step_verified", "step_done"]
    assert done["status"] == "DONE"
