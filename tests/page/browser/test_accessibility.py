"""Every view, light and dark, as axe-core judges it: no violation."""

from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.givens import World
from tests.http.givens import Site, site
from tests.page.browser.conftest import Readers
from tests.page.browser.profiles import Profiles
from tests.page.browser.reader import PHONE, Reader
from tests.page.browser.story import DOC, GOALS, Story, by, crew
from tests.tsk.projects import Project, project

AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN = "() => axe.run(document, { resultTypes: ['violations'] }).then((told) => told.violations)"

Act = Callable[[Page], object]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A project folder, so that packages can be edited from outside."""
    with project(tmp_path, "sqlite") as made:
        yield made


def nothing(page: Page) -> None:
    """Look at the view as it is."""


def press(*names: str) -> Act:
    """Press buttons, links or tabs, one after the other."""

    def act(page: Page) -> None:
        for name in names:
            expect(page.locator("main p.waiting")).to_have_count(0)
            page.locator(f":is(button, a, summary):visible:has-text('{name}')").first.click()

    return act


def edit(page: Page) -> None:
    """Be in the middle of editing the goals, with the difference shown."""
    page.get_by_role("button", name="Edit Goals").click()
    page.get_by_label("New text for Goals").fill(GOALS + "- More.\n")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".preview")).to_contain_text("More.")


def review(page: Page) -> None:
    """See the difference before it is saved."""
    edit(page)
    page.get_by_role("button", name="Review and save…").click()


def search(page: Page) -> None:
    """Have found something."""
    page.keyboard.press("Control+k")
    page.keyboard.type("the")
    expect(page.get_by_role("dialog").get_by_role("option", name="The limiter").first).to_be_visible()


def overtaken(page: Page) -> None:
    """Be overtaken by somebody while editing."""
    page.get_by_role("button", name="Compare").click()


VIEWS: dict[str, tuple[tuple[str, ...], Act]] = {
    "overview": (("overview",), nothing),
    "overview, all opened": (("overview",), press("Show the call")),
    "new task": (("overview",), press("New task")),
    "search": (("overview",), search),
    "task": (("task", "TASK-001"), nothing),
    "step": (("task", "TASK-001", "s:0"), nothing),
    "step that somebody holds": (("task", "TASK-001", "s:1"), nothing),
    "what needs a person": (("inbox",), nothing),
    "what changed": (("task", "TASK-001"), press("What changed")),
    "blocked step": (("task", "TASK-001", "s:2"), nothing),
    "closing a step": (("task", "TASK-001", "s:0"), press("Close step")),
    "undoing": (("task", "TASK-001"), press("Undo #")),
    "waiting task": (("task", "TASK-002"), nothing),
    "plan": (("task", "PLAN-001"), nothing),
    "handoff": (("task", "TASK-001", "handoff"), nothing),
    "taskdoc": (("taskdoc", DOC), press("Files on disk")),
    "taskdoc in tabs": (("taskdoc", DOC), press("Tabs")),
    "taskdoc combined": (("taskdoc", DOC, "combined"), nothing),
    "taskdoc as source": (("taskdoc", DOC), press("Source")),
    "taskdoc history": (("taskdoc", DOC, "goals", "history"), nothing),
    "editing": (("taskdoc", DOC), edit),
    "reviewing": (("taskdoc", DOC), review),
    "todos": (("todos",), nothing),
    "todos of a task": (("todos", "TASK-001"), nothing),
    "todos of a session": (("todos", "builder"), nothing),
}


def judge(page: Page) -> None:
    """No violation, neither in the light nor in the dark."""
    expect(page.locator("main p.waiting")).to_have_count(0)
    expect(page.locator("main gp-markdown:not(:has(*)):not(:empty)")).to_have_count(0)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found: list[dict[str, Any]] = page.evaluate(RUN)
        told = [f"{one['id']}: {one['help']}: {[node['html'][:200] for node in one['nodes'][:4]]}" for one in found]
        assert not told, f"in the {scheme}: " + "\n".join(told)


@pytest.fixture
def story(here: Site) -> Story:
    """Something to look at."""
    told = crew(here.world)
    here.world.close(told.task, "s:1.s:0")
    asked = {"ask": "How many a minute?", "options": ["60", "600"]}
    by(here.world, "agent:builder", "tasks_block", task=told.task, path="s:1.s:1", **asked)
    by(here.world, "agent:builder", "tasks_claim", task=told.task, path="s:1")
    by(here.world, "human:ann", "tasks_policy", task=told.later, signoff={"criteria": "human"})
    by(here.world, "agent:planner", "tasks_decompose", task=told.later, steps=[{"title": "Name it"}])
    marks = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    by(here.world, "agent:planner", "tasks_verify", task=told.later, path="s:0", checkpoints=marks)
    plan = by(here.world, "agent:planner", "tasks_create", kind="plan", title="Later")["id"]
    by(here.world, "human:ann", "tasks_policy", plan=plan, approval="human")
    return told


def come(readers: Readers, **settings: Any) -> Reader:
    """Somebody with axe at hand. It has to come past the content policy, which lets nothing in."""
    reader = readers(bypass_csp=True, **settings)
    reader.page.add_init_script(AXE)
    return reader


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_violates_a_rule_of_axe_in_the_light_or_the_dark(story: Story, readers: Readers, view: str) -> None:
    reader = come(readers)
    place, act = VIEWS[view]
    page = reader.open(*place)
    reader.live()
    act(page)

    judge(page)


def test_nothing_on_a_phone_violates_a_rule_of_axe(story: Story, readers: Readers) -> None:
    reader = come(readers, viewport=PHONE)
    page = reader.open("overview")
    for place in (("overview",), ("task", story.task, "s:0"), ("taskdoc", DOC), ("todos", story.task)):
        reader.go(*place)
        expect(page.locator("main h1").first).to_be_visible()

        judge(page)


def test_no_empty_view_violates_a_rule_of_axe(here: Site, readers: Readers) -> None:
    reader = come(readers)
    page = reader.open()
    expect(page.locator("main")).to_contain_text("claude mcp add")
    judge(page)
    for place in ("overview", "task", "taskdoc", "todos"):
        reader.go(place, workspace="acme/new")
        expect(page.locator("main h1").first).to_be_visible()

        judge(page)


def test_the_question_for_the_token_violates_no_rule_of_axe(world: World, profiles: Profiles) -> None:
    with site(world, token="a-token-" * 3) as here:
        reader = Reader(profiles, here, bypass_csp=True)
        reader.page.add_init_script(AXE)
        page = reader.open("overview")
        expect(page.get_by_label("The token")).to_be_visible()

        judge(page)
        reader.leave()


def test_neither_a_conflict_nor_an_edit_from_outside_violates_a_rule_of_axe(
    here: Site, story: Story, readers: Readers
) -> None:
    assert isinstance(here.world, Project)
    reader = come(readers)
    page = reader.open("taskdoc", DOC)
    reader.live()
    edit(page)
    by(here.world, "agent:x", "change_mind", taskdoc=DOC, selector="goals", content=GOALS + "- Theirs.\n")
    overtaken(page)
    judge(page)

    here.world.file("progress", DOC).write_text("Somebody else was here.")
    page.get_by_text("Differences on disk").click()
    judge(page)
    reader.go("overview")
    page.get_by_role("button", name="Leave and keep the draft").click()
    expect(page.locator("main .banner").first).to_be_visible()
    judge(page)
