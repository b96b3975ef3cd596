"""A report says everything once: each step, each proof, each piece of evidence; and what deserves a second look."""

import re
from typing import Any

from msgspec.structs import replace

from gatepost.client.local import LocalClient
from gatepost.surfaces.report.html_page import html_page
from gatepost.surfaces.report.markdown_text import LONGEST, markdown_text
from gatepost.surfaces.report.reader import read_report
from tests.givens import CONFIRMED, PROVEN, WORKSPACE, World
from tests.report.givens import Page, crew, report_of

PROVENANCE = ("machine", "human", "evidenced", "noted", "asserted")
ITEM = re.compile(r"^ *- \[([x ])\] `(\S+)` (.*?)(?: \*\*|: |$)", re.MULTILINE)


class CountedClient(LocalClient):
    """A client that counts its calls."""

    calls = 0

    def text(self, tool: str, arguments: dict[str, Any]) -> str:
        self.calls += 1
        return super().text(tool, arguments)


def proofs_of(page: Page) -> list[str]:
    """The provenance of each proof, in order."""
    classes = [value for tag, name, value in page.attributes if (tag, name) == ("span", "class")]
    return [found for it in classes if it != (found := it.removeprefix("chip ")) and found in PROVENANCE]


def test_every_step_proof_and_piece_of_evidence_is_in_the_html_exactly_once(world: World) -> None:
    plan = crew(world)
    report = report_of(world, plan)

    page = Page(html_page(report))

    ids = [value for tag, name, value in page.attributes if name == "id" and tag == "article"]
    assert ids == [f"TASK-001-{path}" for path in ("s0", "s1", "s1-s0", "s1-s1", "s2", "s3", "s4")] + [
        "TASK-002-s0"
    ]
    assert sorted(proofs_of(page)) == sorted(
        ["asserted", "machine", "human", "noted", "evidenced", "noted", "noted", "asserted", "asserted"]
    )
    assert page.texts.count("captured output") == 1
    assert page.texts.count("the output") == 1
    assert page.texts.count("https://example.org/1") == 2  # what it is called, and the link


def test_the_markdown_has_every_step_once_with_its_box(world: World) -> None:
    text = markdown_text(report_of(world, crew(world)))

    assert ITEM.findall(text) == [
        ("x", "s:0", "machine"),
        ("x", "s:1", "evidenced"),
        ("x", "s:1.s:0", "noted"),
        ("x", "s:1.s:1", "asserted"),
        ("x", "s:2", "forced"),
        (" ", "s:3", "blocked"),
        (" ", "s:4", "open"),
        (" ", "s:0", "other"),
    ]
    assert text.count("captured output") == 1
    assert "| 9 | 1 | 1 | 1 | 3 | 3 |" in text


def test_what_deserves_a_second_look_is_named_with_its_steps(world: World) -> None:
    report = report_of(world, crew(world))

    found = {title: [step.step.title for step in steps] for title, _, steps in report.doubts}

    assert found == {
        "On a word alone": ["machine", "asserted"],
        "Stale": ["machine"],
        "Forced": ["forced"],
    }
    assert [risk.code for risk in report.risks if risk.depends_on] == ["WAITS"]


def test_a_report_tells_who_when_on_which_commit_and_what_is_open_and_why(world: World) -> None:
    report = report_of(world, crew(world))

    for text in (" ".join(Page(html_page(report)).texts), markdown_text(report)):
        assert "run by tester" in text
        assert "on abc123" in text
        assert "by human:ana" in text
        assert "Read it." in text
        assert "forced without criteria and tests: No time" in text
        assert "blocked: Which one?" in text
        assert "Mind the gap." in text
        assert "It needs criteria and tests." in text
        assert "TASK-002 waits for TASK-001" in text


def test_a_plan_that_waits_for_approval_says_so_and_then_who_approved_it(world: World) -> None:
    plan = world.plan()
    world.task("a", plan=plan)
    world.ok("tasks_policy", plan=plan, approval="human", proof="note", signoff={"tests": "other"})

    before = report_of(world, plan)
    world.caller = replace(world.caller, actor="human:ana")
    world.ok("tasks_approve", plan=plan, note="Go.")
    after = report_of(world, plan)

    for document in (html_page, markdown_text):
        assert f"A person approves {plan}." in document(before)
        assert "Each confirmation needs a note." in document(after)
        assert "Someone who did not work on the step signs off tests." in document(after)
        assert "Approved by human:ana" in document(after)
        assert f"A person approves {plan}." not in document(after)


def test_steps_that_were_closed_in_one_call_are_found_in_the_whole_log(world: World) -> None:
    task = world.task(*"abcd")
    shared = {"workspace": WORKSPACE, "task": task, "checkpoints": PROVEN}
    calls = [{"tool": "tasks_close_step", "arguments": {**shared, "path": path}} for path in ("s:0", "s:1")]
    world.ok("tasks_batch", operations=calls)
    world.close(task, "s:2")
    for number in range(400):
        world.ok("tasks_note", task=task, note=f"note {number}")

    report = report_of(world, task)

    assert [step.step.title for step in report.steps if step.together] == ["a", "b"]
    assert {step.closed.actor for step in report.steps if step.closed is not None} == {"tester"}


def test_a_task_with_a_thousand_steps_takes_few_calls_and_bounded_documents(world: World) -> None:
    task = world.task()
    for first in range(0, 1_000, 100):
        world.ok(
            "tasks_decompose",
            task=task,
            steps=[{"title": f"step {first + at}" + " of many" * 8} for at in range(100)],
        )
    for number in range(0, 1_000, 50):
        item = {"kind": "cmd_output", "content": f"begin {number} " + "é" * 100_000}
        world.ok("tasks_evidence_capture", task=task, path=f"s:{number}", items=[item], checkpoints=["tests"])
        world.ok("tasks_close_step", task=task, path=f"s:{number}", checkpoints=CONFIRMED)
    client = CountedClient(world.engine, world.caller)

    report = read_report(client, WORKSPACE, task)

    assert report is not None
    assert client.calls < 12
    page = html_page(report)
    assert Page(page).tags.count("article") == 1_000
    assert all(page.count(f"begin {number} ") == 1 for number in range(0, 1_000, 50))
    assert len(page) < 1_000_000
    text = markdown_text(report)
    assert len(text) <= LONGEST
    shown = len(ITEM.findall(text))
    assert shown > 400
    assert f"**{1_000 - shown} more steps** not listed here" in text


def test_the_markdown_gives_up_output_before_steps(world: World) -> None:
    task = world.task(*(f"step {number}" for number in range(60)))
    for number in range(60):
        item = {"kind": "cmd_output", "content": f"{number} line\n" * 1_000}
        world.ok("tasks_evidence_capture", task=task, path=f"s:{number}", items=[item], checkpoints=["tests"])

    text = markdown_text(report_of(world, task))

    assert len(text) <= LONGEST
    assert len(ITEM.findall(text)) == 60
    assert text.count("<details>") == 60
    assert "characters are left out here" in text


def test_the_html_is_one_file_that_loads_and_runs_nothing(world: World) -> None:
    page = Page(html_page(report_of(world, crew(world))))

    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base", "svg"} & {*page.tags}
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name == "src"]
    style = next(text for text in page.texts if ":root" in text)
    assert "url(" not in style
    assert "@import" not in style


def test_a_report_says_if_somebody_wrote_while_it_was_made(world: World) -> None:
    task = world.task("a")

    class Busy(LocalClient):
        def text(self, tool: str, arguments: dict[str, Any]) -> str:
            found = super().text(tool, arguments)
            if tool == "tasks_handoff":
                world.ok("tasks_note", task=task, note="meanwhile")
            return found

    report = read_report(Busy(world.engine, world.caller), WORKSPACE, task)

    assert report is not None
    assert report.moved
    assert "may be newer than others" in markdown_text(report)
    assert not report_of(world, task).moved


def test_an_empty_workspace_has_no_report(world: World) -> None:
    assert read_report(LocalClient(world.engine, world.caller), WORKSPACE, None) is None
