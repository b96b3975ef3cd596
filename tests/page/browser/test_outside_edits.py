"""A package that was edited outside Gatepost: the page says so, and offers the two ways to settle it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.givens import World
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.tsk.projects import Project, project

OURS = "- No client starves.\n"
THEIRS = "- Somebody else was here.\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A project folder with a taskdoc in it."""
    with project(tmp_path, "sqlite") as made:
        made.new("auth", goals=OURS, constraints="- MUST be kind.\n")
        yield made


def of(here: Site) -> Project:
    assert isinstance(here.world, Project)
    return here.world


def expect_edit_warning(page: Page) -> None:
    """Wait until the page says that the goals were edited."""
    expect(page.get_by_role("alert").filter(has_text="goals.md was edited outside Gatepost")).to_be_visible()


def opened_late(here: Site, reader: Reader) -> Page:
    """The page, opened after somebody edited the goals on disk."""
    of(here).file("goals").write_text(THEIRS)
    page = reader.open("taskdoc", "auth")
    expect_edit_warning(page)
    return page


@pytest.mark.requirement("taskdoc.tamper.reported-page")
def test_an_edit_from_outside_is_reported_on_an_open_page_and_agents_still_get_the_logs_text(
    here: Site, reader: Reader
) -> None:
    page = reader.open("taskdoc", "auth")
    expect(page.get_by_role("region", name="Goals")).to_contain_text("No client starves.")
    expect(page.get_by_role("alert")).to_have_count(0)

    of(here).file("goals").write_text(THEIRS)
    expect_edit_warning(page)

    expect(page.get_by_role("region", name="Goals", exact=True)).to_contain_text("No client starves.")
    page.get_by_text("Differences on disk").click()
    expect(page.get_by_role("alert")).to_contain_text("Somebody else was here.")
    assert of(here).text("goals") == OURS


@pytest.mark.requirement("taskdoc.tamper.reported-page")
def test_the_overview_and_the_list_report_it_too(here: Site, reader: Reader) -> None:
    of(here).new("other")
    of(here).file("goals").write_text(THEIRS)

    page = reader.open("overview")

    expect(page.locator("main .banner")).to_contain_text("goals.md was edited outside Gatepost")
    reader.go("taskdoc")
    expect(page.get_by_role("listitem").filter(has_text="auth").first).to_contain_text(
        "goals.md was edited outside Gatepost"
    )


def test_it_is_adopted_once_that_was_confirmed(here: Site, reader: Reader) -> None:
    page = opened_late(here, reader)

    page.get_by_role("alert").get_by_role("button", name="Adopt…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Somebody else was here.")
    dialog.get_by_role("button", name="Adopt Goals").click()

    expect(page.get_by_role("region", name="Goals", exact=True)).to_contain_text("Somebody else was here.")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert of(here).text("goals") == THEIRS


@pytest.mark.requirement("page.taskdoc.sends-revision")
def test_it_is_restored_once_that_was_confirmed(here: Site, reader: Reader) -> None:
    page = opened_late(here, reader)

    page.get_by_role("alert").get_by_role("button", name="Restore…").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore Goals").click()

    expect(page.get_by_role("alert")).to_have_count(0)
    assert of(here).file("goals").read_text() == OURS
    (sent,) = reader.asked("taskdoc_restore")
    assert isinstance(sent.get("expected_revision"), int)


def test_of_a_missing_file_nothing_is_compared_and_only_restoring_is_offered(here: Site, reader: Reader) -> None:
    of(here).file("goals").unlink()
    page = reader.open("taskdoc", "auth")
    alert = page.get_by_role("alert").filter(has_text="goals.md is missing")
    expect(alert).to_be_visible()

    expect(alert.get_by_role("button")).to_have_text(["Restore…"])
    expect(alert).not_to_contain_text("The other text")
    expect(alert.get_by_text("Differences on disk")).to_have_count(0)
    alert.get_by_role("button", name="Restore…").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore Goals").click()

    expect(page.get_by_role("alert")).to_have_count(0)
    assert of(here).file("goals").read_text() == OURS


def test_the_editor_says_before_one_types_that_the_section_cannot_be_changed_yet(
    here: Site, reader: Reader
) -> None:
    page = opened_late(here, reader)

    page.get_by_role("button", name="Edit Goals").click()

    expect(page.locator("gp-editor").get_by_role("alert")).to_contain_text("cannot be changed yet")
    page.get_by_label("New text for Goals").fill("Mine.")
    expect(page.get_by_role("button", name="Review and save…")).to_be_disabled()
    page.get_by_role("alert").get_by_role("button", name="Restore…").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore Goals").click()
    expect(page.get_by_role("button", name="Review and save…")).to_be_enabled()
    expect(page.get_by_label("New text for Goals")).to_have_value("Mine.")


@pytest.mark.requirement("taskdoc.extra-files.shown-explicitly")
def test_further_files_are_told_of_when_asked_for_and_never_read_raw(here: Site, reader: Reader) -> None:
    (of(here).package() / "attachments-index.md").write_text("the text of a further file")
    page = reader.open("taskdoc", "auth")
    package = page.get_by_role("group").filter(has_text="Files on disk")
    expect(page.get_by_role("table")).to_have_count(0)

    package.locator("summary").click()

    expect(package.get_by_role("row").filter(has_text="goals.md")).to_contain_text("tester")
    assert of(here).meta()["sections"]["goals"]["sha256"] in package.inner_text()
    assert "the text of a further file" not in page.content()
    assert not [sent.url for sent in reader.sent if ".tsk" in sent.url or "file_" in sent.url]
