"""A taskdoc's past: who changed what when, how it differed, and the ways back."""

import difflib
import hashlib
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World

TEXTS = ("one\n", "one\ntwo\n", "two\r\n")


def told(world: World) -> World:
    """A taskdoc with three revisions of goals and one of progress."""
    world.ok("taskdoc_create", name="auth")
    for text in TEXTS:
        world.ok("change_mind", selector="goals", content=text)
    world.ok("change_mind", selector="progress", content="begun")
    return world


def goals(world: World) -> str:
    found: str = world.ok("recall_mind", selector="goals")["content"]
    return found


@pytest.mark.requirement("taskdoc.state.attributed", "taskdoc.store.documents")
def test_the_history_names_section_actor_time_and_revision_newest_first(world: World) -> None:
    told(world)
    world.caller = Caller("human:cli")
    last = world.ok("change_mind", selector="goals", content="by another")

    items = world.ok("taskdoc_history")["items"]

    assert [(item["selector"], item["revision"], item["actor"]) for item in items] == [
        ("goals", 4, "human:cli"),
        ("progress", 1, "tester"),
        ("goals", 3, "tester"),
        ("goals", 2, "tester"),
        ("goals", 1, "tester"),
    ]
    assert items[0]["at"] == world.logged(last)[0]["at"]
    assert items[1]["bytes"] == len("begun")
    assert [item["sha256"] for item in items if item["selector"] == "goals"][1:] == [
        hashlib.sha256(text.encode()).hexdigest() for text in reversed(TEXTS)
    ]


@pytest.mark.requirement("taskdoc.store.documents")
def test_changes_are_in_the_history_of_the_workspace_too(world: World) -> None:
    told(world)

    listed = world.ok("tasks_history")["operations"]

    assert [row["tool"] for row in listed] == ["change_mind"] * 4 + ["taskdoc_create"]


def test_pages_of_the_history_join_without_gap_or_repetition(world: World) -> None:
    told(world)
    calls = [
        {"tool": "change_mind", "arguments": {"selector": selector, "content": "batch"}}
        for selector in ("goals", "constraints", "progress")
    ]
    world.ok("tasks_batch", operations=calls)
    whole = world.ok("taskdoc_history")["items"]

    for limit in (1, 2, 3):
        paged: list[dict[str, Any]] = []
        page = world.ok("taskdoc_history", limit=limit)
        paged += page["items"]
        while page["has_more"]:
            page = world.ok("taskdoc_history", limit=limit, cursor=page["cursor"])
            paged += page["items"]
        assert paged == whole
    assert len(whole) == 7
    world.no("INVALID_INPUT", "taskdoc_history", cursor="nonsense")


def test_the_history_of_one_section_is_of_that_one_alone(world: World) -> None:
    told(world)

    items = world.ok("taskdoc_history", selector="progress")["items"]

    assert [(item["selector"], item["revision"]) for item in items] == [("progress", 1)]


def test_a_history_keeps_within_its_budget(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    for number in range(30):
        world.ok("change_mind", selector="goals", content=f"text {number}")

    answered = world.ask("taskdoc_history", limit=30, max_chars=1_000)
    cut = world.ok("taskdoc_history", limit=30, max_chars=1_000)
    rest = world.ok("taskdoc_history", limit=30, cursor=cut["cursor"])

    assert len(answered.text) <= 1_000
    assert [item["revision"] for item in (*cut["items"], *rest["items"])] == list(range(30, 0, -1))


def test_two_revisions_differ_as_a_unified_diff(world: World) -> None:
    told(world)

    told_so = world.ok("taskdoc_diff", selector="goals", **{"from": 1, "to": 2})
    from_nothing = world.ok("taskdoc_diff", selector="goals", **{"from": 0})
    same = world.ok("taskdoc_diff", selector="goals", **{"from": 2, "to": 2})

    wanted = list(difflib.unified_diff(["one\n"], ["one\n", "two\n"]))[2:]
    assert told_so["diff"].splitlines(keepends=True)[2:] == wanted
    assert (from_nothing["from"], from_nothing["to"]) == (0, 3)
    assert from_nothing["diff"].endswith("+two\r\n")
    assert same["diff"] == ""
    world.no("UNKNOWN_ID", "taskdoc_diff", selector="goals", **{"from": 9})
    world.no("UNKNOWN_ID", "taskdoc_diff", selector="goals", **{"from": 1, "to": 4})
    world.no("INVALID_INPUT", "taskdoc_diff", selector="goals")
    world.no("INVALID_INPUT", "taskdoc_diff", selector="goals", **{"from": -1})


@pytest.mark.parametrize("ending", ["\u2028", "\x85", "\v", "\r"])
def test_a_difference_can_be_read_whatever_characters_a_line_holds(world: World, ending: str) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content=f"a{ending}b\nc\n")
    world.ok("change_mind", selector="goals", content=f"a{ending}b\nd\n")

    diff = world.ok("taskdoc_diff", selector="goals", **{"from": 1})["diff"]

    assert "-c\n+d\n" in diff
    assert "No newline" not in diff


def test_an_earlier_text_is_restored_as_a_new_revision(world: World) -> None:
    told(world)

    restored = world.ok("taskdoc_restore", selector="goals", revision=1)
    to_nothing = world.ok("taskdoc_restore", selector="progress", revision=0)
    again = world.ok("taskdoc_restore", selector="goals", revision=1)

    assert (restored["revision"], restored.get("changed", True), goals(world)) == (4, True, "one\n")
    assert (restored["events"][0]["type"], restored["events"][0]["because"]) == ("section_replaced", "restored")
    assert (to_nothing["revision"], again.get("changed", True)) == (2, False)
    world.no("UNKNOWN_ID", "taskdoc_restore", selector="goals", revision=9)
    world.no("REVISION_MISMATCH", "taskdoc_restore", selector="goals", revision=2, expected_revision=1)
    world.ok("tasks_undo")
    world.ok("tasks_undo")
    assert goals(world) == TEXTS[-1]


@pytest.mark.requirement("taskdoc.store.documents", "call.revision.taskdoc-section")
def test_undo_and_redo_bring_texts_back_and_only_raise_revisions(world: World) -> None:
    told(world)
    world.ok("tasks_undo")

    seen = []
    for tool in ("tasks_undo", "tasks_undo", "tasks_undo", "tasks_redo", "tasks_redo", "tasks_redo"):
        world.ok(tool)
        said = world.ok("recall_mind", selector="goals")
        seen.append((said["content"], said["revision"]))

    assert seen == [(TEXTS[1], 4), (TEXTS[0], 5), ("", 6), (TEXTS[0], 7), (TEXTS[1], 8), (TEXTS[2], 9)]
    revisions = [item["revision"] for item in world.ok("taskdoc_history", selector="goals")["items"]]
    assert revisions == list(range(9, 0, -1))


def test_every_revision_that_the_history_lists_can_be_restored(world: World) -> None:
    told(world)
    world.ok("tasks_undo")
    world.ok("tasks_undo")
    world.ok("tasks_redo")
    listed = world.ok("taskdoc_history", selector="goals")["items"]

    for item in listed:
        world.ok("taskdoc_restore", selector="goals", revision=item["revision"])
        assert hashlib.sha256(goals(world).encode()).hexdigest() == item["sha256"]


def test_undoing_a_creation_takes_the_taskdoc_away_and_its_revisions_go_on_after(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="text")
    world.ok("tasks_undo")
    world.ok("tasks_undo")

    world.no("UNKNOWN_ID", "recall_mind", taskdoc="auth")
    made = world.ok("taskdoc_create", name="auth")

    assert made["revision"] > 1
    assert goals(world) == ""
    assert world.ok("change_mind", selector="goals", content="anew")["revision"] > 1
    world.no("NOTHING_TO_REDO", "tasks_redo")


def test_a_section_is_not_brought_back_where_its_taskdoc_is_gone(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="text")

    world.ok("tasks_undo")
    world.ok("tasks_undo")
    world.ok("tasks_redo")
    world.ok("tasks_redo")

    assert goals(world) == "text"


def test_undoing_a_binding_that_somebody_else_took_meanwhile_is_a_conflict(world: World) -> None:
    plan = world.plan()
    world.ok("taskdoc_create", name="auth")
    world.ok("taskdoc_create", name="billing")
    world.ok("taskdoc_bind", taskdoc="auth", plan=plan)
    world.ok("taskdoc_bind", taskdoc="auth", plan=None)
    world.ok("tasks_undo")

    assert world.ok("recall_mind", taskdoc="auth")["plan"] == plan
    world.ok("tasks_redo")
    world.ok("taskdoc_bind", taskdoc="billing", plan=plan)
    world.ok("tasks_undo")
    world.ok("tasks_undo")
    assert world.ok("recall_mind", taskdoc="auth")["plan"] == plan


def test_a_batch_of_changes_is_one_step_of_undo_and_one_revision_each(world: World) -> None:
    told(world)
    calls = [
        {"tool": "change_mind", "arguments": {"selector": "goals", "content": "batch"}},
        {"tool": "change_mind", "arguments": {"selector": "goals", "content": "batch twice"}},
        {"tool": "change_mind", "arguments": {"selector": "constraints", "content": "batch"}},
    ]

    done = world.ok("tasks_batch", operations=calls)

    assert [result["revision"] for result in done["results"]] == [4, 4, 1]
    assert {event["revision"] for result in done["results"][:2] for event in world.logged(result)} == {4}
    assert goals(world) == "batch twice"
    world.ok("tasks_undo")
    assert goals(world) == TEXTS[-1]
    assert world.ok("recall_mind", selector="constraints")["content"] == ""
