"""A task that others change while somebody looks: nothing is confirmed or undone unseen, and no note is lost."""

import json
import re

from playwright.sync_api import Locator, Page, Route, expect

from tests.givens import CONFIRMED
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import Story, by, crew

REFUSED = r"the server responded with a status of [45]\d\d"
NEW = "It deploys to production"
BUSY = json.dumps({"code": "BUSY", "message": "512 calls are waiting already.", "recovery": "Ask again soon."})
NOTE = "**/v1/operations/tasks_note"


def opened(here: Site, reader: Reader, path: str = "s:0") -> tuple[Story, Page]:
    """A step of the crew's task, in front of somebody who follows the log."""
    story = crew(here.world)
    reader.forgive(REFUSED)
    page = reader.open("task", story.task, path)
    reader.live()
    expect(page.get_by_label("Note on this step")).to_be_visible()
    return story, page


def redefine(here: Site, page: Page, story: Story) -> None:
    """An agent writes other criteria, and the page shows them."""
    by(here.world, "agent:builder", "tasks_define", task=story.task, path="s:0", criteria=[NEW])
    expect(page.locator(".step-lists")).to_contain_text(NEW)


def newest(here: Site, task: str) -> dict[str, object]:
    operation: dict[str, object] = here.ok("tasks_history", task=task, limit=1)["operations"][0]
    return operation


def busy(route: Route) -> None:
    route.fulfill(status=503, content_type="application/problem+json", body=BUSY)


def holding(page: Page) -> list[Route]:
    """Notes that were sent, and are not answered yet."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(NOTE, hold)
    return held


def history_button(page: Page, word: str) -> Locator:
    return page.get_by_role("region", name="History").get_by_role("button", name=re.compile(f"^{word} #"))


def test_an_undo_takes_back_what_it_was_asked_about_whatever_was_done_since(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    asked = newest(here, story.task)["operation"]
    history_button(page, "Undo").click()
    form = page.get_by_role("dialog")
    expect(form).to_contain_text(f"Undo #{asked}?")
    redefine(here, page, story)

    form.get_by_role("button", name="Undo", exact=True).click()

    expect(page.get_by_role("dialog")).to_have_count(0)
    assert newest(here, story.task)["of"] == asked
    assert here.world.step(story.task, "s:0")["criteria"] == [NEW]


def test_an_undo_whose_fields_changed_since_it_was_shown_changes_nothing_and_says_so(
    here: Site, reader: Reader
) -> None:
    story, page = opened(here, reader)
    history_button(page, "Undo").click()
    form = page.get_by_role("dialog")
    expect(form).to_contain_text("The guide is being moved.")
    by(here.world, "agent:builder", "tasks_block", task=story.task, path="s:2", reason="The guide is gone.")
    later = newest(here, story.task)["operation"]

    form.get_by_role("button", name="Undo", exact=True).click()

    expect(form.get_by_role("alert").first).to_contain_text(
        "cannot be undone: TASK-001 s:2 has another reason now."
    )
    expect(form).not_to_contain_text("tasks_")
    assert newest(here, story.task)["operation"] == later


def test_a_redo_is_not_sent_once_something_new_was_written(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    undone = by(here.world, "agent:builder", "tasks_undo", task=story.task)["operation"]
    history_button(page, "Redo").click()
    form = page.get_by_role("dialog")
    expect(form).to_contain_text(f"Redo #{undone}?")
    redefine(here, page, story)
    later = newest(here, story.task)["operation"]

    form.get_by_role("button", name="Redo", exact=True).click()

    expect(form.get_by_role("alert")).to_contain_text(f"#{undone} cannot be redone now")
    assert (
        reader.asked("tasks_redo")[0]["expected_revision"]
        < here.ok("tasks_radar", task=story.task)["target"]["revision"]
    )
    assert newest(here, story.task)["operation"] == later


def test_criteria_that_were_changed_under_the_dialog_are_shown_and_ticked_anew(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    page.locator(".step-pane").get_by_role("button", name="Close step").click()
    form = page.get_by_role("dialog")
    form.get_by_role("checkbox", name="criteria").check()
    form.get_by_label("How criteria was verified").fill("By hand")
    redefine(here, page, story)

    form.get_by_role("button", name="Confirm and close step").click()

    expect(form.get_by_role("alert")).to_contain_text(NEW)
    expect(form.locator(".ticks")).to_contain_text(NEW)
    expect(form.get_by_role("checkbox", name="criteria")).not_to_be_checked()
    expect(form.get_by_label("How criteria was verified")).to_have_value("By hand")
    step = here.world.step(story.task, "s:0")
    assert not step["done"]
    assert [mark["actor"] for mark in step["confirmed"] if mark["checkpoint"] == "criteria"] == []
    form.get_by_role("checkbox", name="criteria").check()
    form.get_by_role("button", name="Confirm and close step").click()
    expect(form).to_have_count(0)
    assert here.world.step(story.task, "s:0")["done"]


def test_ticks_stay_where_the_change_was_elsewhere(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    page.locator(".step-pane").get_by_role("button", name="Close step").click()
    form = page.get_by_role("dialog")
    form.get_by_role("checkbox", name="criteria").check()
    by(here.world, "agent:builder", "tasks_note", task=story.task, path="s:2", note="Still moving.")

    form.get_by_role("button", name="Confirm and close step").click()

    expect(form.get_by_role("alert")).to_contain_text("The change does not affect this dialog")
    expect(form.get_by_role("checkbox", name="criteria")).to_be_checked()
    form.get_by_role("button", name="Confirm and close step").click()
    expect(form).to_have_count(0)
    assert here.world.step(story.task, "s:0")["done"]


def test_what_a_refusal_suggests_is_sent_from_the_dialog_which_then_goes_on(here: Site, reader: Reader) -> None:
    _, page = opened(here, reader, "s:2")
    page.locator(".step-pane").get_by_role("button", name="Close step").click()
    form = page.get_by_role("dialog")
    for name in ("criteria", "tests"):
        form.get_by_role("checkbox", name=name).check()
    send = form.get_by_role("button", name="Confirm and close step")
    send.click()

    form.get_by_role("button", name=re.compile("^Unblock")).click()
    expect(form).to_contain_text("You can now try again")
    send.click()

    expect(form).to_have_count(0)
    expect(page.get_by_role("treeitem", name="Document it, done")).to_be_visible()


def test_a_lamp_confirms_only_what_its_form_was_opened_for(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    page.get_by_role("list", name="Checkpoints").get_by_role("button", name="criteria").click()
    page.get_by_role("textbox", name="I verified criteria").fill("By hand")
    redefine(here, page, story)

    page.get_by_role("button", name="Confirm criteria").click()

    expect(page.get_by_role("alert")).to_contain_text(NEW)
    assert "criteria" in here.world.step(story.task, "s:0")["unconfirmed"]
    expect(page.get_by_role("textbox", name="I verified criteria")).to_have_value("By hand")
    page.get_by_role("button", name="Confirm criteria").click()
    expect(page.get_by_role("listitem").filter(has_text="confirmed by a person, web")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_step_is_not_blocked_for_what_it_was(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    page.get_by_role("button", name="Block…").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Reason").fill("The clock is broken")
    redefine(here, page, story)

    form.get_by_role("button", name="Block step").click()

    expect(form.get_by_role("alert")).to_contain_text(NEW)
    assert not here.world.step(story.task, "s:0").get("blocked")
    expect(form.get_by_label("Reason")).to_have_value("The clock is broken")
    form.get_by_role("button", name="Block step").click()
    expect(form).to_have_count(0)
    assert here.world.step(story.task, "s:0")["blocked"] == "The clock is broken"


def test_a_half_typed_note_outlives_another_view_and_a_reload(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    note = page.get_by_label("Note on this step")
    note.fill("Half a thou")

    reader.go("overview")
    expect(page.get_by_role("region", name="Activity")).to_be_visible()
    reader.go("task", story.task, "s:0")
    expect(note).to_have_value("Half a thou")
    page.reload()
    expect(note).to_have_value("Half a thou")

    reader.go("task", story.task, "s:2")
    expect(page.get_by_role("region", name="Document it", exact=True)).to_be_visible()
    expect(note).to_have_value("")


def test_what_is_typed_while_a_note_is_sent_stays(here: Site, reader: Reader) -> None:
    _, page = opened(here, reader)
    held = holding(page)
    note = page.get_by_label("Note on this step")
    note.fill("First")
    with page.expect_request(NOTE):
        page.get_by_role("button", name="Add note").click()
    note.press("End")
    note.press_sequentially(", and second")

    held[0].continue_()

    expect(page.locator(".timeline .entry").first).to_contain_text("First")
    expect(page.get_by_role("button", name="Add note")).to_be_enabled()
    expect(note).to_have_value("First, and second")


def test_a_note_that_is_refused_after_its_view_was_left_is_told_and_kept(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    held = holding(page)
    page.get_by_label("Note on this step").fill("Important")
    with page.expect_request(NOTE):
        page.get_by_role("button", name="Add note").click()
    reader.go("overview")
    expect(page.get_by_role("region", name="Activity")).to_be_visible()

    busy(held[0])

    expect(page.locator("#notices")).to_contain_text("512 calls are waiting already.")
    reader.go("task", story.task, "s:0")
    expect(page.get_by_label("Note on this step")).to_have_value("Important")


def test_a_server_that_is_busy_for_a_moment_leaves_the_task_where_it_is(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)
    turned_away: list[str] = []

    def at_first(route: Route) -> None:
        if len(turned_away) == 5:
            route.continue_()
            return
        turned_away.append(route.request.url)
        busy(route)

    page.route("**/v1/operations/tasks_resume", at_first)

    by(here.world, "agent:builder", "tasks_edit", task=story.task, title="Another name")

    expect(reader.heading("Another name")).to_be_visible()
    assert len(turned_away) == 5
    expect(page.get_by_label("Note on this step")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_task_that_is_deleted_while_it_is_shown_says_so_and_stays(here: Site, reader: Reader) -> None:
    story, page = opened(here, reader)

    by(here.world, "agent:planner", "tasks_delete", task=story.later)
    by(here.world, "agent:planner", "tasks_delete", task=story.task)

    expect(page.get_by_role("alert").first).to_contain_text(story.task)
    expect(reader.heading("The limiter")).to_be_visible()


def test_of_many_notes_the_newest_are_shown_and_the_others_on_demand(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    for number in range(120):
        by(here.world, "agent:builder", "tasks_note", task=story.task, path="s:1", note=f"Number {number}.")

    page = reader.open("task", story.task, "s:1")

    entries = page.locator(".timeline .entry")
    expect(entries).to_have_count(50)
    expect(entries.first).to_contain_text("Number 119.")
    page.get_by_role("button", name="Show more (70 older)").click()
    expect(entries).to_have_count(100)
    page.get_by_role("button", name="Show more (20 older)").click()
    expect(entries).to_have_count(120)
    expect(entries.last).to_contain_text("Number 0.")


def test_what_the_page_let_go_of_a_step_can_be_read_again(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    note = {"tool": "tasks_note", "arguments": {"task": story.task, "path": "s:1", "note": "Again."}}
    for _ in range(19):
        by(here.world, "agent:builder", "tasks_batch", operations=[note] * 100)
    page = reader.open("task", story.task, "s:1")
    reader.live()
    expect(page.get_by_role("button", name="Show more (1,850 older)")).to_be_visible()
    for _ in range(4):
        by(here.world, "agent:builder", "tasks_batch", operations=[note] * 100)
    by(here.world, "agent:builder", "tasks_note", task=story.task, path="s:1", note="The last one.")
    expect(page.locator(".timeline .entry").first).to_contain_text("The last one.")

    reader.go("task", story.task, "s:0")
    expect(page.get_by_role("region", name="Choose a counter", exact=True)).to_be_visible()
    expect(page.get_by_text("A sliding window")).to_have_count(0)
    page.get_by_role("button", name="Load older entries").click()

    expect(page.locator(".timeline")).to_contain_text("A sliding window")


def test_checkpoints_that_are_confirmed_together_with_closing_are_guarded_as_well(
    here: Site, reader: Reader
) -> None:
    story = crew(here.world)
    given = {"task": story.task, "path": "s:0"}
    by(here.world, "agent:tester", "tasks_define", **given, required=["security"])
    by(here.world, "agent:tester", "tasks_verify", **given, checkpoints={"criteria": {"confirmed": True}})
    reader.forgive(REFUSED)
    page = reader.open("task", story.task, "s:0")
    reader.live()
    page.locator(".step-pane").get_by_role("button", name="Close step").click()
    form = page.get_by_role("dialog")
    form.get_by_role("checkbox", name="security").check()
    by(here.world, "agent:builder", "tasks_define", **given, tests=["test_deployment"])
    by(here.world, "agent:tester", "tasks_verify", **given, checkpoints=CONFIRMED)
    expect(page.locator(".step-lists")).to_contain_text("test_deployment")

    form.get_by_role("button", name="Confirm and close step").click()

    expect(form.get_by_role("alert")).to_contain_text("test_deployment")
    assert not here.world.step(story.task, "s:0")["done"]
    assert "security" in here.world.step(story.task, "s:0")["unconfirmed"]
