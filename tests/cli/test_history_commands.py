"""`gatepost diff`, `blame` and `away`: history for people; and undo with its preview."""

import json
import re

import pytest

from gatepost.engine.caller import Caller
from tests.cli.givens import Desk


@pytest.fixture
def task(desk: Desk) -> str:
    """A task with some history by two actors."""
    world = desk.world
    task = world.task("first", "second", title="One", description="Old.\nText.\n")
    world.caller = Caller("human:ann")
    world.ok("tasks_edit", task=task, title="Two", description="New.\nText.\n", tags=["auth"])
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:1", ask="Which port?")
    return task


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        (("diff", "--since", "1"), "tasks_diff", {"from": 1}),
        (("diff", "TASK-001", "--since", "0", "--to", "4"), "tasks_diff", {"from": 0, "to": 4, "task": "TASK-001"}),
        (("diff", "--operation", "4"), "tasks_history", {"operation": 4}),
        (("blame", "TASK-001"), "tasks_history", {"task": "TASK-001", "field": "*"}),
        (("blame", "TASK-001", "title"), "tasks_history", {"task": "TASK-001", "field": "title"}),
        (
            ("blame", "TASK-001", "s:0", "title"),
            "tasks_history",
            {"task": "TASK-001", "path": "s:0", "field": "title"},
        ),
        (("away", "--since", "1"), "tasks_away", {"since": 1}),
    ],
)
def test_json_is_the_operations_reply(
    desk: Desk, words: tuple[str, ...], tool: str, arguments: dict[str, str]
) -> None:
    assert desk.here(*words, "--json") == (0, desk.world.ask(tool, **arguments).text + "\n", "")


def test_a_diff_shows_each_document_with_its_fields_before_and_after(desk: Desk, task: str) -> None:
    shown = desk.here("diff", "--since", "1").out

    assert f"{task}  Two  changed\n" in shown
    assert "  title: One -> Two\n" in shown
    assert '  tags: nothing -> ["auth"]\n' in shown
    assert "  description:\n    @@ -1,2 +1,2 @@\n    -Old.\n    +New.\n     Text.\n" in shown
    assert f"{task} s:0  first  closed\n  confirmed: nothing -> criteria, tests\n" in shown
    assert f"{task} s:1  second  changed\n" in shown
    assert "question: Which port?\n" in shown


def test_what_was_created_is_shown_without_saying_its_title_twice(desk: Desk, task: str) -> None:
    shown = desk.here("diff", "--operation", "1").out

    assert shown.startswith("Operation 1 (tasks_create) by tester")
    assert f"{task} s:0  first  created\n" in shown
    assert "title" not in shown


def test_a_diff_of_nothing_says_so(desk: Desk, task: str) -> None:
    last = desk.here("log", "-q", "--limit", "1").out.strip()

    assert desk.here("diff", task, "--since", last).out.endswith("\nNothing changed.\n")
    assert desk.here("diff", task, "--since", last, "-q").out == ""


def test_a_long_diff_goes_on_with_the_line_that_it_ends_with(desk: Desk, task: str) -> None:
    whole = desk.here("diff", "--since", "0", "-q").out.split("\n")
    first = desk.here("diff", "--since", "0", "--limit", "2").out
    desk.world.ok("tasks_edit", task=task, title="Written meanwhile")

    words = first.splitlines()[-1].removeprefix("More:  gatepost ").split()
    second = desk.here(*words, "-q").out.split("\n")

    assert second[0] == whole[2]


def test_a_diff_takes_either_an_operation_or_moments(desk: Desk, task: str) -> None:
    refused = desk.here("diff", task, "--operation", "1", "--since", "1")

    assert refused.code == 2
    assert "--operation does not go with --since" in refused.err


def test_blame_names_who_set_each_field(desk: Desk, task: str) -> None:
    every = desk.here("blame", task).out
    titles = desk.here("blame", task, "title").out

    assert re.search(r"^title +3 .*human:ann +Two$", every, re.MULTILINE)
    assert re.search(r"^created_at +1 .*tester", every, re.MULTILINE)
    assert [line.split()[-1] for line in titles.splitlines()] == ["Two", "One"]


def test_blame_says_when_an_undo_brought_a_value_back(desk: Desk, task: str) -> None:
    desk.world.ok("tasks_edit", task=task, title="Three")
    desk.world.ok("tasks_undo", task=task)

    first = desk.here("blame", task, "title").out.splitlines()[0]

    assert "human:ann  Two" in first
    assert "restored by human:ann" in first


def test_blame_of_what_is_no_step_says_how_to_name_one(desk: Desk, task: str) -> None:
    refused = desk.here("blame", task, "nobody", "title")

    assert refused.code == 3
    assert f"no step of {task} has a title that begins with “nobody”" in refused.err
    assert desk.here("blame", task, "nonsense").code == 2


def test_away_sums_up_what_happened(desk: Desk, task: str) -> None:
    shown = desk.here("away", "--since", "1").out

    assert "1 step: 1 confirmed by a person" in shown
    assert f"{task} s:0  first" in shown
    assert "1 without an answer" in shown
    assert "Which port?" in shown
    assert "human:ann: 3 operations, 1 step closed" in shown


def test_away_says_that_nothing_happened(desk: Desk, task: str) -> None:
    last = desk.here("log", "-q", "--limit", "1").out.strip()
    desk.world.ok("tasks_block", task=task, path="s:1", blocked=False, answer="443")
    later = desk.here("log", "-q", "--limit", "1").out.strip()

    assert "443 (human:ann)" in desk.here("away", "--since", last).out
    assert "Nothing happened." in desk.here("away", "--since", later).out


def test_a_preview_of_an_undo_shows_each_field_and_changes_nothing(desk: Desk, task: str) -> None:
    before = desk.world.everything()

    shown = desk.here("undo", "--operation", "3", "--preview")

    assert shown.code == 0
    assert f"{task} title: Two -> One" in shown.out
    assert desk.world.everything() == before
    assert json.loads(desk.here("undo", "--operation", "3", "--preview", "--json").out)["applied"] is False
