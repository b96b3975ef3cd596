"""Taskdocs: one explicit call replaces one section, byte for byte, and nothing else happens by it."""

import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.givens import World, new_store

SECTIONS = ("goals", "constraints", "progress")
WHITE = [
    " ",
    "\t",
    "\n",
    "\r\n",
    "\v",
    "\f",
    "\x85",
    "\u00a0",
    "\u1680",
    "\u2003",
    "\u2028",
    "\u202f",
    "\u205f",
    "\u3000",
]
INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"]
TEXTS = [
    "- MUST not browse the web.\n",
    "windows\r\nline ends\r\n",
    "old\rmac\r",
    "no final newline",
    "trailing spaces  \n\t\n  ",
    "\n\n  leading",
    "\ufeffa byte order mark",
    "e\u0301 is not é, \U0001d4a2 is one character, \U0001f469\u200d\U0001f467 is three",
    "right\u200fto\u202eleft\u2028and\u2029lines\x85",
    "\x01\x1b[31m control \x7f",
    "--- a/goals\n+++ b/goals\n@@ -1 +1 @@\n-old\n+new\n",
    "<<<<<<< ours\n=======\n>>>>>>> theirs\n",
    '{"selector": "goals", "op": "append"}',
    "s/old/new/g",
    "$(rm -rf .) ${HOME} {{ name }} %s {0}",
]

FOREIGN = [
    *("goals.md", "../goals", "./goals", "/etc/passwd", "tasks/auth.tsk/goals.md", "meta.json", "snapshots"),
    *("GOALS", "Goals", " goals", "goals ", "goals\n", "goal", "", "goals=progress", "\uff47oals"),
    *(None, 0, ["goals"]),
]


def texts(world: World, name: str = "auth") -> dict[str, str]:
    return {s: world.ok("recall_mind", taskdoc=name, selector=s)["content"] for s in SECTIONS}


def revisions(world: World, name: str = "auth") -> dict[str, int]:
    return {s: world.ok("recall_mind", taskdoc=name, selector=s)["revision"] for s in SECTIONS}


@pytest.mark.requirement("taskdoc.change-mind.byte-for-byte", "taskdoc.change-mind.opaque-body")
@pytest.mark.requirement("taskdoc.change-mind.seen-by-caller", "taskdoc.recall-mind.section")
@pytest.mark.parametrize("content", TEXTS)
def test_a_section_is_read_back_byte_for_byte(world: World, content: str) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="old\n")

    world.ok("change_mind", selector="goals", content=content)

    assert world.ok("recall_mind", selector="goals")["content"] == content


@pytest.mark.requirement("taskdoc.change-mind.byte-for-byte")
@given(content=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_any_text_that_is_not_blank_is_kept_as_it_is(content: str) -> None:
    world = World(new_store("memory", Path()))
    world.ok("taskdoc_create", name="auth")
    answered = world.ask("change_mind", selector="progress", content=f"{content}.{content}")

    assert answered.refusal is None, answered.text
    assert world.ok("recall_mind", selector="progress")["content"] == f"{content}.{content}"


@pytest.mark.requirement("taskdoc.change-mind.one-section", "taskdoc.change-mind.whole-content")
@pytest.mark.requirement("call.revision.taskdoc-section")
@pytest.mark.parametrize("selector", SECTIONS)
def test_a_change_replaces_all_of_one_section_and_nothing_of_the_others(world: World, selector: str) -> None:
    world.ok("taskdoc_create", name="auth")
    for each in SECTIONS:
        world.ok("change_mind", selector=each, content=f"{each} one\nand two\n")
    before, counted = texts(world), revisions(world)

    changed = world.ok("change_mind", selector=selector, content="new\n")

    assert texts(world) == {**before, selector: "new\n"}
    assert revisions(world) == {**counted, selector: counted[selector] + 1}
    assert changed["revision"] == counted[selector] + 1


@pytest.mark.requirement("taskdoc.progress.frequent", "taskdoc.change-mind.no-round-reset")
def test_progress_can_be_replaced_any_number_of_times(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="stable")
    world.ok("change_mind", selector="constraints", content="MUST")

    replies = [world.ok("change_mind", selector="progress", content=f"state {number}") for number in range(60)]

    assert [reply["revision"] for reply in replies] == list(range(1, 61))
    assert texts(world) == {"goals": "stable", "constraints": "MUST", "progress": "state 59"}
    assert {event["type"] for reply in replies for event in reply["events"]} == {"section_replaced"}
    assert "re_entry" not in world.ok("tasks_resume"), "a change started a round"


@pytest.mark.requirement("taskdoc.state.attributed")
def test_the_event_of_a_change_names_taskdoc_section_actor_and_revision(world: World) -> None:
    world.ok("taskdoc_create", name="auth")

    changed = world.ok("change_mind", selector="constraints", content="é")

    [event] = world.logged(changed)
    assert {key: event[key] for key in ("type", "taskdoc", "selector", "actor", "revision", "bytes", "sha256")} == {
        "type": "section_replaced",
        "taskdoc": "auth",
        "selector": "constraints",
        "actor": "tester",
        "revision": changed["revision"],
        "bytes": 2,
        "sha256": hashlib.sha256("é".encode()).hexdigest(),
    }
    recalled = world.ok("recall_mind", selector="constraints")
    assert (recalled["actor"], recalled["updated_at"]) == ("tester", event["at"])
    assert world.ok("tasks_delta", since=event["seq"] - 1)["events"] == [event]


def test_the_text_that_a_section_has_already_is_no_change(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="same\n")
    before = world.everything()

    again = world.ok("change_mind", selector="goals", content="same\n")
    cleared = world.ok("change_mind", selector="progress", clear=True)

    assert (again["changed"], again["events"], again["revision"]) == (False, [], 1)
    assert (cleared["changed"], cleared["events"], cleared["revision"]) == (False, [], 0)
    assert world.everything() == before


@pytest.mark.requirement("taskdoc.change-mind.size")
@pytest.mark.parametrize("letter", ["x", "é", "€", "\U0001d4a2"])
def test_a_section_has_at_most_65536_bytes(world: World, letter: str) -> None:
    world.ok("taskdoc_create", name="auth")
    most = letter * (65_536 // len(letter.encode())) + "." * (65_536 % len(letter.encode()))
    assert len(most.encode()) == 65_536

    world.no("TOO_LARGE", "change_mind", selector="goals", content=most + ".")
    world.no("TOO_LARGE", "change_mind", selector="goals", content=most[:-1] + "€€")
    world.ok("change_mind", selector="goals", content=most)

    assert world.ok("recall_mind", selector="goals")["content"] == most


@pytest.mark.requirement("taskdoc.change-mind.blank-refused", "taskdoc.change-mind.body-empty")
@pytest.mark.parametrize(
    "content", ["", *WHITE, *INVISIBLE, " \u00a0\n\u200b", "\u200b \u200b \u200b", "\ufeff\n\ufeff\n"]
)
def test_a_blank_body_is_refused(one_world: World, content: str) -> None:
    one_world.ok("taskdoc_create", name="auth")
    one_world.ok("change_mind", selector="goals", content="kept")

    refused = one_world.no("INVALID_INPUT", "change_mind", selector="goals", content=content)

    assert "clear" in json.dumps(refused)
    assert one_world.ok("recall_mind", selector="goals")["content"] == "kept"


@pytest.mark.requirement("taskdoc.change-mind.blank-refused")
@given(content=st.lists(st.sampled_from([*WHITE, *INVISIBLE])).map("".join))
@example("\u200b\n\u200b\n\u200b")
def test_no_mixture_of_white_and_invisible_characters_passes_for_a_body(content: str) -> None:
    world = World(new_store("memory", Path()))
    world.ok("taskdoc_create", name="auth")

    world.no("INVALID_INPUT", "change_mind", selector="goals", content=content)


def test_every_space_that_unicode_knows_is_blank(one_world: World) -> None:
    one_world.ok("taskdoc_create", name="auth")
    spaces = [chr(code) for code in range(1, 0x3100) if unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp")]

    for space in spaces:
        one_world.no("INVALID_INPUT", "change_mind", selector="goals", content=space * 3)


@pytest.mark.requirement("taskdoc.change-mind.clear")
def test_a_section_is_emptied_only_by_saying_so(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="text")

    for content in ("", "other"):
        world.no("INVALID_INPUT", "change_mind", selector="goals", content=content, clear=True)
    world.no("INVALID_INPUT", "change_mind", selector="goals", clear=False)
    world.no("INVALID_INPUT", "change_mind", selector="goals", clear="true")
    world.no("INVALID_INPUT", "change_mind", selector="goals", clear=1)
    cleared = world.ok("change_mind", selector="goals", clear=True)

    assert (cleared.get("changed", True), cleared["revision"]) == (True, 2)
    assert texts(world)["goals"] == ""


@pytest.mark.requirement("taskdoc.change-mind.body-missing")
@pytest.mark.parametrize("content", [None, 3, ["goals"], {"text": "goals"}, True, "a\x00b"])
def test_a_body_that_is_missing_or_no_text_is_refused(world: World, content: Any) -> None:
    world.ok("taskdoc_create", name="auth")
    world.no("INVALID_INPUT", "change_mind", selector="goals")

    world.no("INVALID_INPUT", "change_mind", selector="goals", content=content)


@pytest.mark.requirement("taskdoc.change-mind.selector-missing")
def test_a_change_without_a_selector_is_refused(world: World) -> None:
    world.ok("taskdoc_create", name="auth")

    refused = world.no("INVALID_INPUT", "change_mind", content="text")

    assert "selector" in refused["message"]


@pytest.mark.requirement("taskdoc.change-mind.selector-invalid", "taskdoc.change-mind.foreign-file")
@pytest.mark.parametrize("selector", FOREIGN)
def test_a_selector_that_is_none_of_the_three_is_refused(one_world: World, selector: Any) -> None:
    one_world.ok("taskdoc_create", name="auth")

    for tool in ("change_mind", "taskdoc_restore"):
        given = {"content": "text"} if tool == "change_mind" else {}
        one_world.no("INVALID_INPUT", tool, selector=selector, **given)
    if selector is not None:
        one_world.no("INVALID_INPUT", "recall_mind", selector=selector)


@pytest.mark.requirement("taskdoc.change-mind.revision-checked")
def test_a_stale_revision_is_refused_and_none_at_all_is_taken(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="one", expected_revision=0)
    world.ok("change_mind", selector="progress", content="other section")

    for stale in (0, 2):
        refused = world.no(
            "REVISION_MISMATCH", "change_mind", selector="goals", content="x", expected_revision=stale
        )
        assert refused["current_revision"] == 1
    world.ok("change_mind", selector="goals", content="two", expected_revision=1)
    world.ok("change_mind", selector="goals", content="three")

    assert revisions(world) == {"goals": 3, "constraints": 0, "progress": 1}


def test_the_shape_of_a_call_is_judged_before_its_target_and_its_revision(world: World) -> None:
    world.ok("taskdoc_create", name="auth")

    for shape in ({}, {"content": " "}, {"content": "x", "clear": True}):
        world.no("INVALID_INPUT", "change_mind", taskdoc="nowhere", selector="goals", **shape)
        world.no("INVALID_INPUT", "change_mind", selector="goals", expected_revision=7, **shape)
    world.no("UNKNOWN_ID", "change_mind", taskdoc="nowhere", selector="goals", content="x", expected_revision=7)


def test_with_several_taskdocs_a_name_is_needed(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("taskdoc_create", name="billing")

    refused = world.no("INVALID_INPUT", "change_mind", selector="goals", content="whose?")
    world.no("INVALID_INPUT", "recall_mind")
    world.ok("change_mind", taskdoc="billing", selector="goals", content="billing's")

    assert "auth" in refused["message"]
    assert "billing" in refused["message"]
    assert texts(world, "auth")["goals"] == ""
    assert texts(world, "billing")["goals"] == "billing's"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("change_mind", {"selector": "goals", "content": "x"}),
        ("recall_mind", {}),
        ("taskdoc_history", {}),
        ("taskdoc_diff", {"selector": "goals", "from": 0}),
        ("taskdoc_restore", {"selector": "goals"}),
        ("taskdoc_adopt", {}),
    ],
)
def test_a_taskdoc_that_is_not_there_is_unknown_and_the_refusal_says_how_to_go_on(
    world: World, tool: str, given: dict[str, Any]
) -> None:
    none_yet = world.no("UNKNOWN_ID", tool, taskdoc="auth", **given)
    world.ok("taskdoc_create", name="billing")
    other = world.no("UNKNOWN_ID", tool, taskdoc="auth", **given)

    assert none_yet["suggestion"]["tool"] == "taskdoc_create"
    assert other["suggestion"]["arguments"]["taskdoc"] == "billing"


def test_before_there_is_a_taskdoc_reading_says_so_and_changing_is_refused(world: World) -> None:
    world.no("UNKNOWN_ID", "change_mind", selector="goals", content="x")

    assert world.ok("recall_mind")["taskdoc"] is None
    assert world.ok("taskdoc_history")["items"] == []
    assert world.everything()["events"] == []


@pytest.mark.parametrize(
    "name", ["", "Auth", "a b", "a/b", "../a", "a.b", "-a", "_a", "a=b", "a\n", "é", "x" * 65, 3]
)
def test_a_name_that_could_mislead_is_refused(one_world: World, name: Any) -> None:
    one_world.no("INVALID_INPUT", "taskdoc_create", name=name)


def test_a_name_is_taken_once(world: World) -> None:
    world.ok("taskdoc_create", name="x" * 64)
    made = world.ok("taskdoc_create", name="auth")

    world.no("ALREADY_EXISTS", "taskdoc_create", name="auth")

    assert world.logged(made)[0]["type"] == "taskdoc_created"
    assert world.logged(made)[0]["taskdoc"] == "auth"


@pytest.mark.requirement("taskdoc.recall-mind.effective", "taskdoc.effective.stored-unchanged")
@pytest.mark.requirement("taskdoc.effective.empty-section")
def test_the_effective_taskdoc_has_all_headings_and_leaves_the_sections_as_they_are(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    goals = "# Top\n\nUnder\n=====\n\n## Progress\n"
    empty = world.ok("recall_mind")["content"]

    world.ok("change_mind", selector="goals", content=goals)
    whole = world.ok("recall_mind")

    heads = ["# Taskdoc: auth", "## Goals", "## Constraints", "## Progress"]
    assert [line for line in empty.splitlines() if line] == heads
    assert [line for line in whole["content"].splitlines() if line in heads] == heads
    assert whole["sections"]["goals"]["revision"] == 1
    assert texts(world)["goals"] == goals


@pytest.mark.requirement("taskdoc.bind.plan")
def test_one_taskdoc_is_bound_to_a_plan_until_it_is_unbound(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("taskdoc_create", name="billing")
    plan, other = world.plan(), world.plan()

    bound = world.ok("taskdoc_bind", taskdoc="auth", plan=plan)
    again = world.ok("taskdoc_bind", taskdoc="auth", plan=plan)
    world.no("ALREADY_EXISTS", "taskdoc_bind", taskdoc="billing", plan=plan)
    world.no("UNKNOWN_ID", "taskdoc_bind", taskdoc="billing", plan="PLAN-099")
    world.no("UNKNOWN_ID", "taskdoc_bind", taskdoc="nowhere", plan=other)
    world.no("INVALID_INPUT", "taskdoc_bind", taskdoc="billing")
    world.no("INVALID_INPUT", "taskdoc_bind", taskdoc="billing", plan=world.task())
    shown = world.ok("recall_mind", taskdoc="auth")["plan"]
    free = world.ok("taskdoc_bind", taskdoc="auth", plan=None)
    world.ok("taskdoc_bind", taskdoc="billing", plan=plan)

    assert (bound.get("changed", True), again.get("changed", True), free.get("changed", True)) == (
        True,
        False,
        True,
    )
    assert (shown, free["plan"]) == (plan, None)
    assert "plan" not in world.ok("recall_mind", taskdoc="auth")
    assert bound["events"][0]["type"] == "taskdoc_bound"
