"""Where taskdocs show: the radar's why, the round that resume begins with, lint, and the server's words."""

import json
from pathlib import Path
from typing import Any

import pytest

from gatepost.operations.catalog import BY_NAME
from tests.givens import World
from tests.mcp.servers import HELLO, server
from tests.tsk.projects import project
from tests.wire.credentials import EVERY


def why(world: World, **target: Any) -> str:
    return json.dumps(world.ok("tasks_radar", **target)["why"], ensure_ascii=False)


@pytest.mark.requirement("tasks.radar.why-goals", "taskdoc.bind.plan")
def test_why_falls_back_on_the_goals_of_the_taskdoc_that_is_bound_to_the_plan(world: World) -> None:
    plan = world.plan()
    task = world.task("step", plan=plan)
    for name in ("auth", "billing"):
        world.ok("taskdoc_create", name=name)
        world.ok("change_mind", taskdoc=name, selector="goals", content=f"{name} works without passwords")
    assert "passwords" not in why(world, task=task), "neither of two is the one"

    world.ok("taskdoc_bind", taskdoc="billing", plan=plan)

    assert "billing works" in why(world, task=task)
    assert "billing works" in why(world, plan=plan)
    world.ok("change_mind", taskdoc="billing", selector="goals", content="new goals")
    assert "new goals" in why(world, task=task)


@pytest.mark.requirement("tasks.radar.why-goals")
def test_why_falls_back_on_the_only_taskdoc_there_is(world: World) -> None:
    task = world.task("step")
    world.ok("taskdoc_create", name="auth")
    assert "auth works" not in why(world, task=task)

    world.ok("change_mind", selector="goals", content="auth works")

    assert "auth works" in why(world, task=task)
    world.ok("change_mind", selector="goals", clear=True)
    assert "auth works" not in why(world, task=task)


@pytest.mark.requirement("tasks.radar.why-goals")
def test_what_stands_nearer_than_the_taskdoc_is_why(world: World) -> None:
    plan = world.plan(contract="the plan's contract")
    described = world.task("step", plan=plan, description="the task's own reason")
    silent = world.task("step", plan=plan)
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="the goals")
    world.ok("taskdoc_bind", taskdoc="auth", plan=plan)

    assert "the task's own reason" in why(world, task=described)
    assert "the plan's contract" in why(world, task=silent)


def test_goals_of_any_size_do_not_drown_the_radar(world: World) -> None:
    task = world.task("step")
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="long goals\n" * 5_000)

    for most in (512, 2_000, 16_000):
        answered = world.ask("tasks_radar", task=task, max_chars=most)
        assert len(answered.text) <= most
    assert len(world.ask("tasks_radar", task=task).text) <= 16_000
    assert "long goals" in why(world, task=task)


@pytest.mark.requirement("taskdoc.clear-mind.kept-for-resume", "taskdoc.clear-mind.resets-round")
def test_the_next_resume_shows_the_re_entry_package_first(world: World) -> None:
    task = world.task("step")
    assert "re_entry" not in world.ok("tasks_resume", task=task)

    cleared = world.ok("clear_mind", reminder_content="at TASK-001 s:0\nnext: tests\r\n")

    [event] = world.logged(cleared)
    for target in ({}, {"task": task}):
        resumed = world.ok("tasks_resume", **target)
        assert next(iter(resumed)) == "re_entry"
        assert resumed["re_entry"] == {
            "reminder_content": "at TASK-001 s:0\nnext: tests\r\n",
            "round": cleared["round"],
            "at": event["at"],
            "actor": "tester",
        }
    assert event["type"] == "mind_cleared"


@pytest.mark.requirement("taskdoc.clear-mind.resets-round", "taskdoc.change-mind.no-round-reset")
def test_rounds_are_counted_by_clear_mind_alone_and_the_newest_package_is_shown(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    first = world.ok("clear_mind", reminder_content="one")["round"]
    world.ok("change_mind", selector="progress", content="text")
    world.ok("change_mind", selector="progress", clear=True)
    unchanged = world.ok("tasks_resume")["re_entry"]

    second = world.ok("clear_mind", reminder_content="one")["round"]

    assert (unchanged["round"], unchanged["reminder_content"]) == (first, "one")
    assert second == first + 1
    assert world.ok("tasks_resume")["re_entry"]["round"] == second


def test_a_re_entry_package_must_say_something(world: World) -> None:
    for said in ({}, {"reminder_content": ""}, {"reminder_content": " \n"}, {"reminder_content": 3}):
        world.no("INVALID_INPUT", "clear_mind", **said)
    world.ok("clear_mind", reminder_content="one")
    world.no("REVISION_MISMATCH", "clear_mind", reminder_content="two", expected_revision=0)


@pytest.mark.requirement("tasks.undo.passes-clear-mind")
def test_undo_passes_over_clear_mind_and_says_so(world: World) -> None:
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="text")
    world.ok("clear_mind", reminder_content="go on")

    undone = world.ok("tasks_undo")

    assert undone["tool"] == "change_mind"
    assert "clear_mind" in " ".join(undone["warnings"])
    assert world.ok("tasks_resume")["re_entry"]["reminder_content"] == "go on"
    world.ok("tasks_redo")
    assert world.ok("recall_mind", selector="goals")["content"] == "text"


def test_clear_mind_alone_leaves_nothing_to_undo_and_does_not_end_a_redo(world: World) -> None:
    world.ok("clear_mind", reminder_content="go on")
    world.no("NOTHING_TO_UNDO", "tasks_undo")
    world.ok("taskdoc_create", name="auth")
    world.ok("clear_mind", reminder_content="go on")

    world.ok("tasks_undo")

    assert world.ok("tasks_resume")["re_entry"]["round"] == 2


def test_a_resume_with_a_long_re_entry_package_keeps_within_its_budget(world: World) -> None:
    world.task("step")
    world.ok("clear_mind", reminder_content="word " * 3_000)

    for most in (512, 1_000, 16_000):
        answered = world.ask("tasks_resume", max_chars=most)
        assert len(answered.text) <= most
        shown = json.loads(answered.text)
        assert next(iter(shown)) == "re_entry"
        assert shown["re_entry"]["reminder_content"].startswith("word")


@pytest.mark.requirement("texts.out.unaltered")
def test_a_section_is_shown_as_it_was_written_by_every_reader_and_can_be_written_back(world: World) -> None:
    content = "token = next()\npassword: reset mail\n"
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="constraints", content=content)

    section = world.ok("recall_mind", selector="constraints")
    whole = world.ok("recall_mind")["content"]
    diff = world.ok("taskdoc_diff", selector="constraints", **{"from": 0})["diff"]
    again = world.ok("change_mind", selector="constraints", content=section["content"])

    assert section["content"] == content
    assert content in whole
    assert "+token = next()\n+password: reset mail" in diff
    assert again["changed"] is False


@pytest.mark.requirement("secrets.outside.refused")
def test_a_credential_in_a_package_is_not_adopted_and_kept_without_it_when_the_log_is_restored(
    tmp_path: Path,
) -> None:
    key = EVERY["openai project"]
    with project(tmp_path) as here:
        here.new(constraints="use the vault\n")
        here.file("constraints").write_text(f"use {key}\n")

        error = here.no("SECRET_FOUND", "taskdoc_adopt", taskdoc="auth")
        here.ok("taskdoc_restore", taskdoc="auth", selector="constraints")
        (kept,) = (json.loads(row[3]) for row in here.everything()["artifacts"])

        assert error["found"] == [{"field": "constraints", "kind": "OpenAI key"}]
        assert (kept["content"], kept["redacted"]) == ("use [redacted: OpenAI key]\n", 1)
        assert here.file("constraints").read_text() == "use the vault\n"


@pytest.mark.requirement("taskdoc.tamper.reported-lint")
def test_lint_reports_an_edit_whatever_it_is_asked_about(tmp_path: Path) -> None:
    with project(tmp_path) as here:
        task, plan = here.task("step"), here.plan()
        here.new(goals="log")
        here.file("goals").write_text("outside")

        for target in ({}, {"task": task}, {"plan": plan}, {"task": task, "max_chars": 1_000}):
            found = {row["code"]: row for row in here.ok("tasks_lint", **target)["findings"]}
            assert found["PACKAGE_EDITED"]["fix"]["tool"] in ("recall_mind", "taskdoc_restore")


@pytest.mark.requirement("taskdoc.state.durable")
def test_a_taskdoc_outlives_rounds_and_processes(tmp_path: Path) -> None:
    with server(tmp_path, "--tools", "taskdoc") as first:
        first.ok("taskdoc_create", name="auth")
        first.ok("change_mind", selector="goals", content="outlives\r\n")
        first.ok("clear_mind", reminder_content="go on")
        first.kill()

    with server(tmp_path, "--tools", "taskdoc") as second:
        assert second.ok("recall_mind", selector="goals")["content"] == "outlives\r\n"


@pytest.mark.requirement("mcp.sets.taskdoc")
def test_the_set_taskdoc_lists_the_taskdoc_calls(tmp_path: Path) -> None:
    with server(tmp_path, "--tools", "taskdoc") as chosen:
        listed = set(chosen.tools())

    assert listed == {name for name, operation in BY_NAME.items() if "taskdoc" in operation.toolsets}
    assert {"change_mind", "clear_mind", "recall_mind", "taskdoc_create", "taskdoc_adopt"} <= listed
    assert not listed & {"tasks_create", "file_read"}


@pytest.mark.requirement("taskdoc.clear-mind.guidance-re-entry")
def test_the_description_of_clear_mind_asks_for_a_short_scannable_re_entry_package() -> None:
    said = BY_NAME["clear_mind"].about

    assert all(word in said for word in ("short", "scannable", "re-entry"))


@pytest.mark.requirement("guard.words.prompt", "guard.words.tool-descriptions")
def test_the_server_and_each_of_its_file_tools_say_that_packages_are_closed(tmp_path: Path) -> None:
    with server(tmp_path, "--tools", "core,files") as chosen:
        greeted = chosen._request("initialize", HELLO)["result"]
        listed = chosen._request("tools/list", {})["result"]["tools"]

    files = {tool["name"]: tool["description"] for tool in listed if tool["name"].startswith("file_")}
    assert len(files) >= 10
    assert [name for name, said in files.items() if ".tsk" not in said or "recall_mind" not in said] == []
    assert all(word in greeted["instructions"] for word in CLOSED)


CLOSED = (".tsk", "closed to file tools and shells", "recall_mind", "change_mind")


@pytest.mark.requirement("guard.words.prompt")
def test_a_server_speaks_of_packages_only_where_the_project_has_one(tmp_path: Path) -> None:
    with server(tmp_path) as without:
        assert "tsk" not in without._request("initialize", HELLO)["result"]["instructions"]
        without.ok("taskdoc_create", name="garden")
    with server(tmp_path) as chosen:
        greeted = chosen._request("initialize", HELLO)["result"]["instructions"]

    assert all(word in greeted for word in CLOSED)
    assert len(greeted) <= 700
