"""Texts that override the direction of writing rearrange nothing but themselves, and stay what they are."""

from itertools import pairwise

from playwright.sync_api import expect

from gatepost.engine.caller import Caller
from tests.http.givens import Site
from tests.page.browser.reader import Reader

OVERRIDE = "\u202edesrever\u202e\u2067"
"""Opened, and never closed."""

JUDGE = """() => {
    const wrong = [];
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const around = text.parentElement;
        const written = /[\\u202a-\\u202e\\u2066-\\u2069]/.test(text.data);
        if (!written || around.closest('gp-markdown, option, textarea')) continue;
        const { unicodeBidi, display } = getComputedStyle(around);
        const alone = around.childNodes.length === 1 && /isolate|plaintext/.test(unicodeBidi);
        const ours = /[\u201c\u201d]/.test(text.data);
        if (ours || !alone || display === 'inline') wrong.push(around.outerHTML.slice(0, 200));
    }
    return wrong;
}"""

ORDER = """(row) => {
    const places = [];
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(text);
        const box = range.getBoundingClientRect();
        if (box.width && text.data.trim()) places.push([Math.round(box.left), Math.round(box.right), text.data]);
    }
    return places;
}"""


def given(here: Site) -> str:
    """A task in which everybody writes so, in whatever has words."""
    world = here.world
    caller = world.caller
    world.caller = Caller(f"agent:{OVERRIDE}")
    step = {"title": f"Step {OVERRIDE}", "criteria": [OVERRIDE], "tests": [OVERRIDE], "blockers": [OVERRIDE]}
    made: str = world.ok("tasks_create", kind="task", title=f"Task {OVERRIDE}", steps=[step, step])["id"]
    world.ok("tasks_note", task=made, path="s:0", note=OVERRIDE)
    world.ok("tasks_block", task=made, path="s:0", reason=f"Because {OVERRIDE}")
    world.ok("tasks_progress", task=made, path="s:1", completed=True, force=True, reason=OVERRIDE)
    world.ok("todo_write", session="evil", items=[OVERRIDE])
    world.ok("tasks_focus_set", task=made)
    world.ok("tasks_plan", plan=world.plan(title=OVERRIDE), steps=[OVERRIDE, OVERRIDE])
    world.caller = caller
    return made


def test_no_text_on_the_page_shares_its_direction_with_its_neighbours(here: Site, reader: Reader) -> None:
    task = given(here)
    reader.open("overview")
    for view, settled in (
        (("overview",), "Activity"),
        (("task", task, "s:0"), "Evidence"),
        (("task", task, "s:1"), "Evidence"),
        (("task", task, "handoff"), "Remaining"),
        (("task", "PLAN-001"), "Check off"),
        (("todos", "evil"), "Items"),
        (("todos", task), "Blocked"),
    ):
        reader.go(*view)
        expect(reader.page.locator("main")).to_contain_text(settled)
        expect(reader.page.locator("main p.waiting")).to_have_count(0)
        expect(reader.page.locator("main")).to_contain_text(OVERRIDE)

        wrong = reader.page.evaluate(JUDGE)

        assert not wrong, f"{'/'.join(view)}: {wrong}"


def test_what_stands_behind_an_overriding_text_is_drawn_behind_it(here: Site, reader: Reader) -> None:
    task = given(here)
    reader.open("task", task, "handoff")
    row = reader.page.locator("main li", has_text="Because").first
    expect(row).to_be_visible()

    placed = row.evaluate(ORDER)

    for (_, end, _text), (start, _end, behind) in pairwise(placed):
        assert start >= end - 1, f"{behind} is drawn within what stands before it: {placed}"
    assert "2026" in placed[-1][2]
