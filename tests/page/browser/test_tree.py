"""A tree of more steps than the page keeps: few rows are elements, and the last step is at hand."""

from playwright.sync_api import expect

from tests.http.givens import Site
from tests.page.browser.reader import Reader

STEPS = 20_000
A_CALL = 1_000
MOST_ROWS = 100
TALL = "document.querySelector('[role=tree]')"


def test_of_twenty_thousand_steps_only_those_in_sight_are_elements_and_the_last_can_be_reached(
    here: Site, reader: Reader
) -> None:
    task = here.world.task(title="A very long list")
    for first in range(0, STEPS, A_CALL):
        steps = [{"title": f"Step {number}"} for number in range(first, first + A_CALL)]
        here.world.ok("tasks_decompose", task=task, steps=steps)
    page = reader.open("task", task)
    rows = page.get_by_role("treeitem")
    expect(page.get_by_role("treeitem", name="Step 0,")).to_be_visible()
    assert rows.count() < MOST_ROWS

    for share in (0.25, 0.5, 0.75):
        page.evaluate(f"share => {{ {TALL}.scrollTop = {TALL}.scrollHeight * share; }}", share)
        near = page.get_by_role("treeitem", name=f"Step {int(STEPS * share)},")
        expect(near).to_have_attribute("aria-posinset", str(int(STEPS * share) + 1))
        assert rows.count() < MOST_ROWS
    page.evaluate(f"{TALL}.scrollTop = {TALL}.scrollHeight")
    page.get_by_role("tree", name="Steps").scroll_into_view_if_needed()

    last = page.get_by_role("treeitem", name=f"Step {STEPS - 1},")
    expect(last).to_be_in_viewport()
    expect(last).to_have_attribute("aria-setsize", str(STEPS))
    assert rows.count() < MOST_ROWS
    assert page.evaluate("document.querySelectorAll('*').length") < 3_000

    # By the keyboard, too; and what happens far above does not move what is read here.
    page.get_by_role("tree", name="Steps").focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("treeitem", name="Step 0,")).to_be_in_viewport()
    page.keyboard.press("End")
    expect(last).to_be_in_viewport()
    reader.live()
    here.world.close(task, "s:0")
    expect(page.locator(".task-head")).to_contain_text("1 of 20,000 done")
    expect(last).to_be_in_viewport()
    expect(page.locator("[role=treeitem].active")).to_contain_text(f"Step {STEPS - 1}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2, name=f"Step {STEPS - 1}", exact=True)).to_be_visible()


def test_a_deep_tree_opens_at_the_step_that_the_address_names(here: Site, reader: Reader) -> None:
    task = here.world.task("top", title="Deep")
    path = "s:0"
    for level in range(1, 12):
        here.world.ok("tasks_decompose", task=task, path=path, steps=[{"title": f"Level {level}"}])
        path = f"{path}.s:0"

    page = reader.open("task", task, path)
    page.get_by_role("tree", name="Steps").scroll_into_view_if_needed()

    expect(page.get_by_role("treeitem", name="Level 11,")).to_be_in_viewport()
    expect(page.get_by_role("treeitem", name="Level 11,")).to_have_attribute("aria-level", "12")
    expect(page.get_by_role("treeitem", name="Level 11,")).to_have_attribute("aria-selected", "true")


def test_the_row_at_the_top_stays_there_when_rows_come_above_it(here: Site, reader: Reader) -> None:
    task = here.world.task(*(f"Step {number}" for number in range(300)), title="Long")
    here.world.ok("tasks_decompose", task=task, path="s:3", steps=[{"title": "Below three"}])
    page = reader.open("task", task)
    expect(page.get_by_role("treeitem", name="Step 3,")).to_be_visible()
    page.get_by_role("treeitem", name="Step 3,").locator(".twisty").click()
    expect(page.get_by_role("treeitem", name="Below three")).to_be_visible()
    page.evaluate(f"{TALL}.scrollTop = {TALL}.scrollHeight / 2")
    expect(page.get_by_role("treeitem", name="Step 150,")).to_be_visible()
    reader.live()
    before = page.get_by_role("treeitem", name="Step 150,").bounding_box()

    here.world.ok("tasks_decompose", task=task, path="s:3", steps=[{"title": f"More {n}"} for n in range(20)])

    expect(page.get_by_role("heading", name="Steps (321)")).to_be_visible()
    expect(page.get_by_role("treeitem", name="Step 150,")).to_be_in_viewport()
    page.wait_for_function(f"height => {TALL}.scrollHeight > height", arg=321 * 30)
    after = page.get_by_role("treeitem", name="Step 150,").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
