"""A taskdoc on the page: three sections and the whole, edited one at a time, and nobody's text is lost."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.http.givens import Site
from tests.page.browser.conftest import Readers
from tests.page.browser.reader import PHONE, Reader
from tests.page.browser.story import DOC, GOALS, SECTIONS, by, crew

TITLES = {"goals": "Goals", "constraints": "Constraints", "progress": "Progress"}
SHOWN = {
    "goals": "No client can starve the others.",
    "constraints": "Clients MUST be told when to come back.",
    "progress": "The limiter counts. Headers remain.",
}
REFUSED = r"the server responded with a status of 4\d\d"
NOTHING_PASSES = "window.setTimeout = () => 0"
"""What is said in passing stays, however slow the machine is on which somebody reads it."""


def pane(page: Page, selector: str) -> Locator:
    return page.get_by_role("region", name=TITLES[selector], exact=True)


def edit(page: Page, selector: str, text: str) -> Locator:
    """Begin to edit a section, and type; gives the field."""
    page.get_by_role("button", name=f"Edit {TITLES[selector]}").click()
    field = page.get_by_label(f"New text for {TITLES[selector]}")
    field.fill(text)
    return field


def save(page: Page, selector: str) -> None:
    page.get_by_role("button", name="Review and save…").click()
    page.get_by_role("dialog").get_by_role("button", name=f"Replace {TITLES[selector]}").click()


def stored(here: Site, selector: str) -> str:
    text: str = here.ok("recall_mind", taskdoc=DOC, selector=selector)["content"]
    return text


@pytest.mark.requirement("page.taskdoc.three-sections", "page.taskdoc.last-updated")
def test_goals_constraints_and_progress_stand_side_by_side_each_with_its_last_update(
    here: Site, reader: Reader
) -> None:
    crew(here.world)

    page = reader.open("taskdoc", DOC)

    for selector, text in SHOWN.items():
        expect(pane(page, selector)).to_contain_text(text)
        expect(pane(page, selector)).to_contain_text(f"{selector}-keeper")
        said = here.ok("recall_mind", taskdoc=DOC, selector=selector)["updated_at"]
        expect(pane(page, selector).locator("time")).to_have_attribute("datetime", said)
        expect(pane(page, selector).locator("time")).to_contain_text("ago")
    boxes = [pane(page, selector).bounding_box() for selector in SHOWN]
    assert len({round(box["y"]) for box in boxes if box}) == 1


@pytest.mark.requirement("page.taskdoc.three-sections", "page.taskdoc.last-updated")
def test_on_a_phone_the_sections_are_tabs_that_arrow_keys_turn(here: Site, readers: Readers) -> None:
    crew(here.world)
    reader = readers(viewport=PHONE)

    page = reader.open("taskdoc", DOC)
    tabs = page.get_by_role("tablist", name="Sections")

    expect(tabs.get_by_role("tab")).to_have_text(list(TITLES.values()))
    tabs.get_by_role("tab", name="Goals").focus()
    for selector, text in SHOWN.items():
        expect(tabs.get_by_role("tab", name=TITLES[selector])).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel")).to_contain_text(text)
        expect(page.get_by_role("tabpanel")).to_contain_text(f"{selector}-keeper")
        page.keyboard.press("ArrowRight")


@pytest.mark.requirement("page.taskdoc.combined")
def test_the_combined_view_is_the_text_that_agents_are_given(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)

    page.get_by_role("button", name="Combined").click()

    whole = page.get_by_role("region", name="Complete text")
    for text in SHOWN.values():
        expect(whole).to_contain_text(text)
    page.get_by_role("button", name="Source").click()
    source = whole.locator("pre")
    expect(source).to_be_visible()
    assert source.text_content() == here.ok("recall_mind", taskdoc=DOC)["content"]


@pytest.mark.requirement("page.taskdoc.explicit-edit", "page.taskdoc.sends-revision")
def test_an_edit_names_what_it_replaces_shows_the_difference_first_and_sends_the_revision(
    here: Site, reader: Reader
) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    field = edit(page, "goals", GOALS + "- Everyone is told why.\n")
    expect(pane(page, "goals")).to_contain_text(f"Replacing Goals of {DOC}, revision 1")
    expect(page.get_by_role("textbox")).to_have_count(1)

    page.get_by_role("button", name="Review and save…").click()

    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Replace Goals of {DOC}?")
    expect(dialog.get_by_label("What would change in Goals")).to_contain_text("Everyone is told why.")
    assert reader.asked("change_mind") == []
    assert stored(here, "goals") == GOALS
    dialog.get_by_role("button", name="Replace Goals").click()
    expect(pane(page, "goals")).to_contain_text("Everyone is told why.")
    expect(field).to_have_count(0)
    (sent,) = reader.asked("change_mind")
    assert (sent["selector"], sent["expected_revision"]) == ("goals", 1)
    assert stored(here, "goals") == GOALS + "- Everyone is told why.\n"
    assert here.ok("recall_mind", taskdoc=DOC, selector="goals")["actor"] == "human:web"
    assert {selector: stored(here, selector) for selector in ("constraints", "progress")} == {
        selector: SECTIONS[selector] for selector in ("constraints", "progress")
    }


@pytest.mark.requirement("page.taskdoc.sends-revision")
def test_emptying_and_restoring_send_the_revision_too(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)

    page.get_by_role("button", name="Clear Goals…").click()
    page.get_by_role("dialog").get_by_role("button", name="Clear Goals").click()

    expect(pane(page, "goals")).to_contain_text("revision 2")
    assert stored(here, "goals") == ""
    assert reader.asked("change_mind")[0].items() >= {"clear": True, "expected_revision": 1}.items()
    page.get_by_role("link", name="History of Goals").click()
    page.get_by_role("button", name="Revision 1").click()
    page.get_by_role("button", name="Restore…").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore revision 1").click()
    expect(page.get_by_role("button", name="Revision 3")).to_be_visible()
    assert stored(here, "goals") == GOALS
    assert reader.asked("taskdoc_restore")[0].items() >= {"revision": 1, "expected_revision": 2}.items()


@pytest.mark.requirement("taskdoc.change-mind.seen-on-page")
def test_a_change_is_seen_on_every_open_page_without_a_reload(here: Site, readers: Readers) -> None:
    crew(here.world)
    first, second = readers(), readers()
    for one in (first, second):
        one.open("taskdoc", DOC)
        one.live()
        one.page.evaluate("window.__same = 1")

    by(here.world, "agent:planner", "change_mind", taskdoc=DOC, selector="progress", content="Headers are done.")

    for one in (first, second):
        expect(pane(one.page, "progress")).to_contain_text("Headers are done.")
        expect(pane(one.page, "progress")).to_contain_text("planner")
        assert one.page.evaluate("window.__same") == 1


@pytest.mark.parametrize("late", [False, True], ids=["noticed before saving", "refused by the revision"])
def test_two_people_edit_one_section_both_texts_are_shown_and_neither_is_lost(
    here: Site, readers: Readers, late: bool
) -> None:
    crew(here.world)
    first, second = readers(), readers()
    for one, text in ((first, "- Mine.\n"), (second, "- Theirs.\n")):
        one.open("taskdoc", DOC)
        one.live()
        edit(one.page, "goals", GOALS + text)
    if late:
        first.forgive(REFUSED)
        first.page.get_by_role("button", name="Review and save…").click()

    save(second.page, "goals")

    expect(pane(second.page, "goals")).to_contain_text("revision 2")
    expect(first.page.locator("gp-editor")).to_contain_text("was changed while you were editing")
    if late:
        first.page.get_by_role("dialog").get_by_role("button", name="Replace Goals").click()
    else:
        first.page.get_by_role("button", name="Review and save…").click()
    expect(first.page.get_by_label("Their changes to Goals")).to_contain_text("Theirs.")
    expect(first.page.get_by_label("My changes to Goals")).to_contain_text("Mine.")
    expect(first.page.get_by_label("New text for Goals")).to_have_value(GOALS + "- Mine.\n")
    assert stored(here, "goals") == GOALS + "- Theirs.\n"
    assert [sent["expected_revision"] for sent in first.asked("change_mind")] == ([1] if late else [])


@pytest.mark.parametrize("choice", ["mine", "theirs", "edit on"])
def test_a_conflict_is_settled_either_way_and_the_other_text_can_be_had_back(
    here: Site, reader: Reader, choice: str
) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    reader.live()
    edit(page, "goals", GOALS + "- Mine.\n")
    by(here.world, "agent:x", "change_mind", taskdoc=DOC, selector="goals", content=GOALS + "- Theirs.\n")
    page.get_by_role("button", name="Compare").click()

    if choice == "theirs":
        page.evaluate(NOTHING_PASSES)
        page.get_by_role("button", name="Use theirs").click()
        expect(pane(page, "goals").locator("gp-markdown")).to_contain_text("Theirs.")
        page.get_by_role("button", name="Restore it").click()
        expect(page.get_by_label("New text for Goals")).to_have_value(GOALS + "- Mine.\n")
        assert stored(here, "goals") == GOALS + "- Theirs.\n"
        return
    if choice == "mine":
        page.get_by_role("button", name="with mine").click()
    else:
        page.get_by_role("button", name="Continue editing").click()
        page.get_by_label("New text for Goals").fill(GOALS + "- Theirs.\n- Mine.\n")
        page.get_by_role("button", name="Review and save…").click()
    page.get_by_role("dialog").get_by_role("button", name="Replace Goals").click()
    expect(pane(page, "goals")).to_contain_text("revision 3")
    assert stored(here, "goals") == GOALS + ("- Mine.\n" if choice == "mine" else "- Theirs.\n- Mine.\n")
    assert reader.asked("change_mind")[-1]["expected_revision"] == 2
    revisions = here.ok("taskdoc_history", taskdoc=DOC, selector="goals")["items"]
    assert [item["revision"] for item in revisions] == [3, 2, 1]


def test_every_revision_has_its_difference_and_its_actor_in_the_history(here: Site, reader: Reader) -> None:
    crew(here.world)
    by(here.world, "agent:x", "change_mind", taskdoc=DOC, selector="progress", content="Headers are done.\n")

    page = reader.open("taskdoc", DOC, "progress", "history")

    revisions = page.get_by_role("list", name="Revisions of Progress, newest first")
    expect(revisions.get_by_role("button")).to_have_count(2)
    expect(revisions.get_by_role("button", name="Revision 2")).to_contain_text("x")
    expect(revisions.get_by_role("button", name="Revision 1")).to_contain_text("progress-keeper")
    changed = page.get_by_label("What changed")
    expect(changed).to_contain_text("Headers are done.")
    expect(changed).to_contain_text("The limiter counts.")
    revisions.get_by_role("button", name="Revision 1").click()
    expect(page.get_by_role("heading", name="Revision 1, the first")).to_be_visible()
    expect(changed).not_to_contain_text("Headers are done.")


def test_half_typed_text_outlives_a_reload(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    edit(page, "progress", "Half a sen")
    page.on("dialog", lambda dialog: dialog.accept())

    page.reload()

    expect(page.get_by_label("New text for Progress")).to_have_value("Half a sen")


def test_unsaved_text_is_not_left_behind_without_a_question(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    edit(page, "progress", "Half a sen")

    page.get_by_role("link", name="Todos").click()

    expect(page.get_by_role("dialog")).to_contain_text("Unsaved text")
    expect(page.get_by_label("New text for Progress")).to_have_value("Half a sen")
    page.get_by_role("dialog").get_by_role("button", name="Leave and keep the draft").click()
    expect(reader.heading("Todos")).to_be_visible()
    reader.go("taskdoc", DOC)
    page.get_by_role("button", name="Continue editing").click()
    expect(page.get_by_label("New text for Progress")).to_have_value("Half a sen")


def test_unsaved_text_stays_open_at_an_address_that_means_the_same_taskdoc(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    reader.live()
    field = edit(page, "goals", "Half a go")

    with page.expect_response("**/v1/operations/taskdoc_list"):
        page.get_by_role("link", name="Taskdocs").click()

    by(here.world, "agent:x", "change_mind", taskdoc=DOC, selector="progress", content="Read after that.")
    expect(pane(page, "progress")).to_contain_text("Read after that.")
    expect(field).to_have_value("Half a go")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_list_of_several_taskdocs_waits_for_what_becomes_of_unsaved_text(here: Site, reader: Reader) -> None:
    crew(here.world)
    here.world.ok("taskdoc_create", name="second")
    page = reader.open("taskdoc", DOC)
    field = edit(page, "goals", "Half a go")
    to_the_list = page.get_by_role("link", name="Taskdocs")

    to_the_list.click()

    expect(page.get_by_role("dialog")).to_contain_text("Unsaved text")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(field).to_have_value("Half a go")
    to_the_list.click()
    page.get_by_role("dialog").get_by_role("button", name="Leave and keep the draft").click()
    expect(reader.heading("Taskdocs")).to_be_visible()
    reader.go("taskdoc", DOC)
    page.get_by_role("button", name="Continue editing").click()
    expect(field).to_have_value("Half a go")


def test_a_list_that_comes_late_does_not_take_the_place_of_the_taskdoc_chosen_since(
    here: Site, reader: Reader
) -> None:
    crew(here.world)
    here.world.ok("taskdoc_create", name="second")
    page = reader.open("taskdoc", DOC)
    expect(reader.heading(DOC)).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/v1/operations/taskdoc_list", hold)
    with page.expect_request("**/v1/operations/taskdoc_list"):
        page.get_by_role("link", name="Taskdocs").click()
    expect(reader.heading(DOC)).to_be_visible()
    reader.go("taskdoc", "second")
    expect(reader.heading(DOC)).to_have_count(0)

    for route in held:
        route.continue_()

    expect(reader.heading("second")).to_be_visible()


def test_blank_text_is_refused_where_it_was_typed(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    reader.forgive(REFUSED)
    edit(page, "goals", "  ")

    save(page, "goals")

    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("clear")
    assert stored(here, "goals") == GOALS


def test_a_taskdoc_is_made_and_bound_on_the_page(here: Site, reader: Reader) -> None:
    plan = here.world.plan(title="The plan")
    page = reader.open("taskdoc")
    page.get_by_role("button", name="New taskdoc").click()
    page.get_by_role("dialog").get_by_label("Name").fill("fresh")
    page.get_by_role("dialog").get_by_label("Plan").select_option(plan)

    page.get_by_role("dialog").get_by_role("button", name="Create taskdoc").click()

    expect(reader.heading("fresh")).to_be_visible()
    expect(page.get_by_role("link", name=f"{plan} The plan")).to_be_visible()
    assert here.ok("taskdoc_list")["items"][0]["plan"] == plan
