"""`gatepost taskdoc migrate`: a single file becomes a taskdoc; shown first, all or nothing, and the file stays."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.givens import WORKSPACE, Desk
from tests.cli.taskdocs import at_terminal, ok

SINGLE = """\
Let people log in.

## Goals

- A login page.

## Rules we follow

Nothing special.

## Constraints

- MUST NOT keep passwords.

## Status

Form drafted.
"""


@pytest.fixture(autouse=True)
def _here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)


def single(desk: Desk, text: str | bytes = SINGLE, name: str = "Login Task.md") -> Path:
    """A single-file taskdoc in the project's folder."""
    file = desk.folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def recalled(desk: Desk, name: str, selector: str) -> dict[str, Any]:
    """A section as the store has it."""
    return desk.world.ok("recall_mind", taskdoc=name, selector=selector)


@pytest.mark.requirement("taskdoc.migrate.splits")
def test_a_single_file_becomes_a_package_of_three_sections(desk: Desk) -> None:
    file = single(desk)

    ok(desk, "taskdoc", "migrate", str(file), "--yes")

    package = desk.folder / "tasks" / "login-task.tsk"
    texts = {selector: recalled(desk, "login-task", selector) for selector in ("goals", "constraints", "progress")}
    assert texts["goals"]["content"].startswith("Let people log in.\n")
    assert "- A login page.\n" in texts["goals"]["content"]
    assert texts["constraints"]["content"].rstrip() == "- MUST NOT keep passwords."
    assert texts["progress"]["content"].rstrip().endswith("Form drafted.")
    for selector, section in texts.items():
        assert (package / f"{selector}.md").read_text(encoding="utf-8") == section["content"]


@pytest.mark.requirement("taskdoc.migrate.shows")
def test_what_goes_where_is_shown_before_anything_is_made(desk: Desk) -> None:
    single(desk)
    before = desk.world.everything()

    looked = ok(desk, "taskdoc", "migrate", "Login Task.md", "--dry-run")
    asked = desk.here("taskdoc", "migrate", "Login Task.md")

    rows = [" ".join(line.split()) for line in looked.out.splitlines()]
    assert "lines 1-2 (no heading) to goals before the first heading: describes the task" in rows
    assert "lines 3-6 Goals to goals the heading is about goals" in rows
    assert any(row.startswith("lines 11-14 Constraints to constraints") for row in rows)
    assert any(row.startswith("lines 15-17 Status to progress") for row in rows)
    assert asked.code == 2
    assert "--yes" in asked.err
    assert [line for line in asked.out.splitlines() if line.startswith("lines ")] == [
        line for line in looked.out.splitlines() if line.startswith("lines ")
    ]
    assert desk.world.everything() == before
    assert not (desk.folder / "tasks").exists()


@pytest.mark.requirement("taskdoc.migrate.keeps-original")
def test_the_original_stays_byte_for_byte_and_people_are_told_so(desk: Desk) -> None:
    file = single(desk)
    os.utime(file, ns=(1, 1))
    before = (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino, file.stat().st_mode)

    ran = ok(desk, "taskdoc", "migrate", str(file), "--yes")

    assert (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino, file.stat().st_mode) == before
    assert "Login Task.md stays unchanged" in " ".join(ran.out.split())


@pytest.mark.parametrize(("answer", "made"), [("n\n", False), ("\n", False), ("yes\n", True)])
def test_on_a_terminal_it_asks_and_does_as_it_is_told(desk: Desk, answer: str, *, made: bool) -> None:
    single(desk)

    ran = at_terminal("taskdoc", "migrate", "Login Task.md", answer=answer)

    assert ran.code == 0
    assert "is about" in ran.out
    assert (desk.folder / "tasks" / "login-task.tsk").exists() is made
    assert ("taskdoc_created" in str(desk.world.everything()["events"])) is made


def test_it_is_one_operation_and_undone_as_one(desk: Desk) -> None:
    single(desk)
    ok(desk, "taskdoc", "migrate", "Login Task.md", "--name", "login", "--yes")

    ok(desk, "undo", "--yes")

    assert desk.here("taskdoc", "show", "login").code == 3
    assert (desk.folder / "Login Task.md").exists()


def test_sections_without_text_are_left_empty(desk: Desk) -> None:
    single(desk, "# Goals\n\nOnly this.\n\n# Constraints\n\n", "only.md")

    ok(desk, "taskdoc", "migrate", "only.md", "--yes")

    assert recalled(desk, "only", "goals")["content"] == "Only this.\n\n"
    for selector in ("constraints", "progress"):
        assert (recalled(desk, "only", selector)["content"], recalled(desk, "only", selector)["revision"]) == (
            "",
            0,
        )


def test_line_ends_are_kept_and_a_byte_order_mark_does_not_hide_the_first_heading(desk: Desk) -> None:
    single(desk, b"\xef\xbb\xbf# Constraints\r\n\r\nMUST rest.\r\n", "marked.md")

    ok(desk, "taskdoc", "migrate", "marked.md", "--yes")

    assert recalled(desk, "marked", "constraints")["content"] == "MUST rest.\r\n"


@pytest.mark.parametrize("flags", [("--yes",), ("--dry-run",), ()])
def test_an_existing_taskdoc_of_that_name_is_not_touched(desk: Desk, flags: tuple[str, ...]) -> None:
    single(desk)
    ok(desk, "taskdoc", "create", "login-task")
    before = desk.world.everything()

    ran = desk.here("taskdoc", "migrate", "Login Task.md", *flags)

    assert ran.code == 4
    assert "there is a taskdoc login-task already" in " ".join(ran.err.split())
    assert ran.out == ""
    assert desk.world.everything() == before


def test_a_section_that_would_be_too_large_is_named_and_nothing_is_made(desk: Desk) -> None:
    single(desk, f"# Goals\n\nShort.\n\n# Progress\n\n{'x' * 65_537}\n", "large.md")
    before = desk.world.everything()

    words = desk.here("taskdoc", "migrate", "large.md", "--yes")
    plain = desk.here("taskdoc", "migrate", "large.md", "--yes", "--json")

    assert (words.code, plain.code) == (2, 2)
    assert "progress of large" in words.err
    assert json.loads(plain.out)["error"]["code"] == "TOO_LARGE"
    assert desk.world.everything() == before
    assert not (desk.folder / "tasks").exists()


@pytest.mark.parametrize(
    ("text", "name", "code", "said"),
    [
        (b"", "empty.md", 2, "contains no text"),
        (b" \n\t\n", "blank.md", 2, "contains no text"),
        (b"# Goals\n\n", "bare.md", 2, "contains no text"),
        (b"caf\xe9", "latin.md", 2, "not UTF-8"),
        (b"x" * 1_000_001, "huge.md", 2, "more than"),
        (b"x", "\xe6\x97\xa5.md", 2, "--name"),
        (b"x", "goals.md", 2, "--name"),
        (b"x", "a\x1bb.md", 0, ""),
        (b"a\x00b", "nul.md", 2, "content"),
        (b"x", "single.tsk", 2, "FILE.md"),
    ],
)
def test_a_file_that_cannot_be_migrated_is_refused_in_words(
    desk: Desk, text: bytes, name: str, code: int, said: str
) -> None:
    single(desk, text, name)

    ran = desk.here("taskdoc", "migrate", name, "--yes")

    assert ran.code == code, ran
    assert said in ran.err
    assert "\x1b" not in ran.out + ran.err
    assert (desk.folder / "tasks").exists() is (code == 0)


def test_what_is_no_single_file_is_refused(desk: Desk) -> None:
    ok(desk, "taskdoc", "create", "login")
    os.mkfifo(desk.folder / "pipe.md")
    (desk.folder / "way.md").symlink_to("tasks/login.tsk/goals.md")
    before = desk.world.everything()

    codes = {
        words: desk.here("taskdoc", "migrate", *words, "--yes").code
        for words in (
            (),
            ("a.md", "b.md"),
            ("no-such.md",),
            (".",),
            ("pipe.md",),
            ("way.md",),
            ("tasks/login.tsk",),
            ("tasks/login.tsk/goals.md",),
        )
    }

    assert codes == {words: 3 if words == ("no-such.md",) else 2 for words in codes}
    assert desk.world.everything() == before


def test_looking_at_a_migration_makes_no_store(desk: Desk) -> None:
    single(desk)

    ok(desk, "taskdoc", "migrate", "Login Task.md", "--dry-run", "--store", "new/store.db")

    assert not (desk.folder / "new").exists()
    assert not (desk.folder / "tasks").exists()


def test_json_is_the_batch_s_reply(desk: Desk) -> None:
    single(desk)

    reply = json.loads(ok(desk, "taskdoc", "migrate", "Login Task.md", "--yes", "--json").out)

    assert [result.get("selector", "made") for result in reply["results"]] == [
        "made",
        "goals",
        "constraints",
        "progress",
    ]
