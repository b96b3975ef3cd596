"""What confirmations rest on, as the page shows it: lamps, proofs, checks, policies, sign-off and approval."""

import re
from typing import Any, Final

from playwright.sync_api import Page, expect

from tests.givens import World
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import by
from tests.page.browser.test_task import lamp, pane, row

AGENT: Final = "agent:claude-code/3f2a"
STEP: Final = {
    "title": "Count requests",
    "required": ["security", "perf", "docs"],
    "checks": [{"run": "true -q tests", "covers": ["src/**"]}],
}


def proven(world: World) -> str:
    """A task whose first step is confirmed in all five ways."""
    steps: list[dict[str, Any]] = [STEP, {"title": "Refuse the rest", "checks": [{"run": "false"}]}]
    task: str = by(world, AGENT, "tasks_create", kind="task", title="The limiter", steps=steps)["id"]

    def confirm(actor: str, name: str, **more: str) -> None:
        marks = {name: {"confirmed": True, **more}}
        by(world, actor, "tasks_verify", task=task, path="s:0", checkpoints=marks)

    confirm(AGENT, "criteria", note="Counted by hand.")
    confirm(AGENT, "docs")
    confirm("human:ann", "security")
    by(world, AGENT, "tasks_check", task=task, path="s:0")
    measured = {"kind": "cmd_output", "command": "wrk", "exit_code": 0, "content": "48211"}
    by(world, AGENT, "tasks_evidence_capture", task=task, path="s:0", items=[measured], checkpoints=["perf"])
    confirm(AGENT, "perf")
    return task


def test_each_lamp_says_what_its_confirmation_rests_on_and_looks_different(here: Site, reader: Reader) -> None:
    task = proven(here.world)

    step = pane(reader.open("task", task, "s:0"), "Count requests")

    words = {
        "criteria": "noted",
        "tests": "checked",
        "security": "confirmed by a person",
        "perf": "evidence",
        "docs": "word only",
    }
    for name, word in words.items():
        expect(lamp(step, name)).to_contain_text(word)
    shapes = {lamp(step, name).locator(".fill").get_attribute("d") for name in words}
    assert len(shapes) == len(words)
    told = lamp(step, "tests").get_attribute("title") or ""
    assert re.match(r"tests: checked by `true -q tests`, 0\.\d s, commit abc123, by agent:claude-code/3f2a, ", told)


def test_a_proof_shows_its_command_output_commit_and_note(here: Site, reader: Reader) -> None:
    task = proven(here.world)

    step = pane(reader.open("task", task, "s:0"), "Count requests")

    proofs = step.get_by_role("region", name="Proof")
    expect(proofs).to_contain_text("commit abc123")
    expect(proofs).to_contain_text("$ true -q tests")
    expect(proofs).to_contain_text("Counted by hand.")
    proofs.get_by_text("Output", exact=True).click()
    expect(proofs.locator("pre")).to_have_text("the output")
    expect(step.get_by_role("region", name="Checks")).to_contain_text(re.compile(r"true -q tests.*passed, 0\.\d s"))


def test_a_stale_proof_says_so_on_the_lamp_in_the_tree_and_in_the_check(here: Site, reader: Reader) -> None:
    task = proven(here.world)
    here.world.checks.digest = "two"

    page = reader.open("task", task, "s:0")

    step = pane(page, "Count requests")
    expect(lamp(step, "tests")).to_contain_text("checked, stale")
    expect(step.get_by_role("region", name="Checks")).to_contain_text("stale")
    expect(step.get_by_role("region", name="To close it")).to_contain_text("Run the checks of tests again")
    expect(row(page, "Count requests")).to_have_accessible_name(re.compile("tests checked, stale"))


def test_what_has_checks_is_not_confirmed_by_hand(here: Site, reader: Reader) -> None:
    task = proven(here.world)
    by(here.world, AGENT, "tasks_check", task=task, path="s:1")
    page = reader.open("task", task, "s:1")
    step = pane(page, "Refuse the rest")
    expect(step.get_by_role("region", name="Checks")).to_contain_text("failed, exit 1")
    expect(step).to_contain_text(f"gatepost check {task} s:1")

    lamp(step, "tests").get_by_role("button").click()

    expect(step).to_contain_text("tests has checks, so only running them confirms it.")
    step.get_by_role("button", name="Cancel").click()
    step.get_by_role("button", name="Close step").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("tests: confirmed only by running its checks")
    expect(dialog.get_by_role("checkbox", name="tests")).to_have_count(0)


def test_a_person_signs_off_what_an_agent_confirmed(here: Site, reader: Reader) -> None:
    task = proven(here.world)
    by(here.world, AGENT, "tasks_policy", task=task, signoff={"criteria": "human"})
    step = pane(reader.open("task", task, "s:0"), "Count requests")
    expect(step.get_by_role("region", name="Policy")).to_contain_text("A person signs off criteria.")
    needed = step.get_by_role("region", name="To close it")
    expect(needed).to_contain_text("Get criteria signed off by a person.")

    lamp(step, "criteria").get_by_role("button").click()
    step.get_by_role("button", name="Sign off").click()

    expect(lamp(step, "criteria")).to_contain_text("confirmed by a person, web")
    expect(needed).to_have_count(0)
    expect(step.get_by_role("region", name="Proof")).to_contain_text("signed off by")


def test_a_plan_that_waits_is_approved_on_the_page(here: Site, reader: Reader) -> None:
    plan = by(here.world, AGENT, "tasks_create", kind="plan", title="The ledger")["id"]
    task = by(here.world, AGENT, "tasks_create", kind="task", title="Write twice", plan=plan)["id"]
    by(here.world, AGENT, "tasks_policy", plan=plan, approval="human")
    page = reader.open("task", task)
    expect(page.get_by_text("“The ledger” waits for your approval.")).to_be_visible()

    page.get_by_role("link", name="Go to the plan").click()
    page.get_by_role("button", name="Approve…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Note").fill("Ship it.")
    dialog.get_by_role("button", name="Approve", exact=True).click()

    expect(page.get_by_text("waits for your approval")).to_have_count(0)
    assert here.world.ok("tasks_resume", plan=plan)["target"]["approved"]["actor"] == "human:web"


def test_help_explains_every_shape(here: Site, reader: Reader) -> None:
    task = proven(here.world)
    page = reader.open("task", task)
    expect(row(page, "Count requests")).to_be_visible()

    page.keyboard.press("?")

    _explained(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Help").click()
    _explained(page)


def _explained(page: Page) -> None:
    dialog = page.get_by_role("dialog", name="Help")
    for word in ("not confirmed", "word only", "noted", "evidence", "checked", "confirmed by a person", "stale"):
        expect(dialog).to_contain_text(word)
