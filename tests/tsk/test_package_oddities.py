"""What can stand where a package should: packages that nobody knew, those of others, links, pipes, and worse."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tsk.projects import SECTIONS, Project, project


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project with nothing in it yet."""
    with project(tmp_path) as made:
        yield made


def found(here: Project, name: str = "found", **texts: str) -> None:
    """A package that somebody put there."""
    here.package(name).mkdir(parents=True, mode=0o700)
    for selector, text in texts.items():
        here.file(selector, name).write_bytes(text.encode())
        here.file(selector, name).chmod(0o600)


@pytest.mark.requirement("taskdoc.package.adopted-once")
def test_a_package_that_nobody_knew_is_adopted_once_as_an_event(here: Project) -> None:
    found(here, goals="found\r\n", progress="too")

    here.start()
    first = here.ok("recall_mind", taskdoc="found", selector="goals")
    events = here.ok("tasks_delta")["events"]
    here.start()

    assert (first["content"], first["actor"]) == ("found\r\n", "gatepost")
    assert {event["actor"] for event in events} == {"gatepost"}
    assert [event["type"] for event in events] == ["taskdoc_created", "section_replaced", "section_replaced"]
    assert here.ok("tasks_delta")["events"] == events
    here.check_face("found")


@pytest.mark.requirement("taskdoc.package.adopted-once")
def test_an_adoption_is_not_made_again_after_an_undo_and_the_text_stays_on_disk(here: Project) -> None:
    found(here, goals="found")
    here.start()
    here.ask("tasks_undo")

    here.start()
    here.no("ALREADY_EXISTS", "taskdoc_create", name="found")

    events = here.ok("tasks_delta")["events"]
    assert [event["type"] for event in events].count("taskdoc_created") == 1
    assert here.file("goals", "found").read_text() == "found"


def test_a_package_is_adopted_by_asking_if_it_came_after_the_start(here: Project) -> None:
    here.start()
    found(here, goals="found")

    here.no("ALREADY_EXISTS", "taskdoc_create", name="found")
    adopted = here.ok("taskdoc_adopt", taskdoc="found")

    assert adopted["adopted"] == ["goals"]
    assert here.ok("recall_mind", taskdoc="found", selector="goals")["actor"] == "tester"
    here.check_face("found")


@pytest.mark.requirement("taskdoc.package.adopted-once")
@pytest.mark.parametrize("name", ["Found", "a.b", "a b", "x=goals", "ünïcode", "-a", ".hidden", "a~b", "y" * 65])
def test_a_package_whose_name_no_taskdoc_can_have_is_left_alone(here: Project, name: str) -> None:
    found(here, name, goals="found")
    found(here, "good", goals="good")
    before = here.tree()

    here.start()

    assert {event["taskdoc"] for event in here.ok("tasks_delta")["events"]} == {"good"}
    assert {path: said for path, said in here.tree().items() if "good.tsk" not in path} == {
        path: said for path, said in before.items() if "good.tsk" not in path
    }
    assert {finding.code for finding in here.doctor()} <= {"PACKAGE_UNKNOWN"}


@pytest.mark.parametrize("goals", [b"x" * 65_537, b"\xff\xfe", b"x" * 2_000_000])
def test_a_package_that_cannot_be_adopted_does_not_keep_another_from_it(here: Project, goals: bytes) -> None:
    found(here, "bad")
    here.file("goals", "bad").write_bytes(goals)
    found(here, "good", goals="good")

    here.start()

    assert here.ok("recall_mind", taskdoc="good", selector="goals")["revision"] == 1
    refused = here.no("UNKNOWN_ID", "change_mind", taskdoc="bad", selector="goals", content="mine")
    assert "no taskdoc bad" in refused["message"]
    assert "gatepost taskdoc adopt" in refused["recovery"]
    assert here.file("goals", "bad").read_bytes() == goals


def test_a_package_of_another_workspace_is_left_alone(here: Project) -> None:
    here.new(goals="ours")
    before = here.tree()
    other = here.beside("acme/other")

    other.ok("taskdoc_history")
    other.no("ALREADY_EXISTS", "taskdoc_create", name="auth")
    other.no("ALREADY_EXISTS", "taskdoc_adopt", taskdoc="auth")
    other.no("UNKNOWN_ID", "recall_mind", taskdoc="auth")
    other.new("theirs", goals="theirs")

    assert {path: said for path, said in here.tree().items() if "theirs.tsk" not in path} == before
    here.check_face()
    other.check_face("theirs")


def link_to_a_text(path: Path) -> None:
    target = path.parents[2] / "elsewhere.md"
    target.write_text("a text elsewhere")
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def link_to_nothing(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("nowhere")


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()
    (path / "inside").write_text("kept")


def giant(path: Path) -> None:
    path.write_bytes(b"y" * 3_000_000)


ODD = [link_to_a_text, link_to_nothing, pipe, folder, giant]


@pytest.mark.requirement("taskdoc.tamper.detected", "taskdoc.tamper.readers-get-log")
@pytest.mark.parametrize("text", ["log", ""])
@pytest.mark.parametrize("odd", ODD)
def test_whatever_stands_in_a_files_place_readers_get_the_logs_text_and_are_told(
    here: Project, odd: Callable[[Path], None], text: str
) -> None:
    here.new(goals="before", progress="p")
    here.change("goals", text)
    odd(here.file("goals"))
    here.restart()

    assert here.texts() == {"goals": text, "constraints": "", "progress": "p"}
    here.change("progress", "others can be changed")
    assert here.file("progress").read_text() == "others can be changed"
    assert here.edited() == {"goals"} or stat.S_ISREG(here.file("goals").lstat().st_mode), "not told, not mended"


@pytest.mark.requirement("taskdoc.tamper.never-taken", "taskdoc.tamper.never-overwritten")
@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_text_is_not_adopted_and_a_restore_does_not_reach_through_it(
    here: Project, odd: Callable[[Path], None]
) -> None:
    here.new(goals="log")
    odd(here.file("goals"))
    elsewhere = here.root / "elsewhere.md"

    here.ask("taskdoc_adopt", selector="goals")
    assert here.text("goals") == "log", "nothing was there to adopt"
    here.ask("taskdoc_restore", selector="goals")

    assert here.text("goals") == "log"
    assert not elsewhere.exists() or elsewhere.read_text() == "a text elsewhere"


def test_a_giant_edit_is_not_cut_short_by_restoring(here: Project) -> None:
    here.new(goals="log")
    outside = "".join(f"line {number}\n" for number in range(150_000))
    here.file("goals").write_text(outside)

    here.ask("taskdoc_restore", selector="goals")

    last = "line 149999"
    files = [body for _, body in here.tree().values() if body is not None]
    assert last in json.dumps(here.store_rows()) or any(last.encode() in body for body in files)


def test_the_difference_of_a_giant_edit_does_not_drown_the_reader(here: Project) -> None:
    here.new(goals="log")
    here.file("goals").write_bytes(b"y\n" * 400_000)

    said = here.ask("recall_mind", selector="goals")

    assert len(said.text) <= 16_000


BAD_META = {
    "no JSON": b"{",
    "a list": b"[]",
    "null": b"null",
    "not UTF-8": b"\xff\xfe",
    "deep": b"[" * 200_000,
    "a long number": b'{"sections": {"goals": {"revision": ' + b"9" * 10_000 + b"}}}",
    "sections is a list": b'{"workspace": 3, "sections": ["goals"]}',
    "a section is a word": b'{"workspace": null, "sections": {"goals": "x"}}',
    "empty": b"",
}


@pytest.mark.parametrize("meta", BAD_META.values(), ids=BAD_META.keys())
def test_a_meta_that_cannot_be_read_is_reported_and_written_again_by_restoring(here: Project, meta: bytes) -> None:
    here.new(goals="log")
    (here.package() / "meta.json").write_bytes(meta)

    here.start()
    here.change("goals", "changed")

    assert (here.package() / "meta.json").read_bytes() == meta
    assert [row.code for row in here.doctor()] == ["PACKAGE_META_CHANGED"]
    here.ok("taskdoc_restore")
    here.check_face()


@pytest.mark.parametrize("odd", [link_to_a_text, link_to_nothing, pipe, folder, giant])
def test_a_meta_that_cannot_be_kept_disturbs_no_reader_and_is_not_written_over(
    here: Project, odd: Callable[[Path], None]
) -> None:
    here.new(goals="log")
    meta = here.package() / "meta.json"
    odd(meta)

    here.restart()

    assert here.text("goals") == "log"
    assert "changed" not in here.change("goals", "changed")
    refused = here.no("PACKAGE_TAMPERED", "taskdoc_restore")
    assert "Move it away by hand" in refused["recovery"]
    meta.rename(here.root / "aside")
    here.ok("taskdoc_restore")
    here.check_face()


@pytest.mark.parametrize("what", ["package is a link", "package is a file", "tasks is a link", "tasks is a file"])
def test_a_package_that_is_no_folder_is_not_followed_and_disturbs_no_reader(here: Project, what: str) -> None:
    here.new(goals="log")
    place = here.package() if what.startswith("package") else here.package().parent
    aside = here.root / "aside"
    place.rename(aside)
    if what.endswith("link"):
        place.symlink_to(aside)
    else:
        place.write_text("a file")
    before = {path: path.read_bytes() for path in aside.rglob("*") if path.is_file()}
    here.restart()

    assert here.text("goals") == "log"
    assert here.ok("recall_mind")["sections"]["goals"]["revision"] == 1
    changed = here.ask("change_mind", selector="goals", content="changed")

    assert {path: path.read_bytes() for path in aside.rglob("*") if path.is_file()} == before
    assert "tasks" in changed.text
    assert here.text("goals") == ("log" if changed.refusal else "changed")


def test_a_link_among_unknown_packages_is_not_adopted(here: Project) -> None:
    outside = here.root / "outside"
    outside.mkdir()
    for selector in SECTIONS:
        (outside / f"{selector}.md").write_text("secret")
    (here.root / "tasks").mkdir()
    here.package("sly").symlink_to(outside)
    found(here, "linked")
    here.file("goals", "linked").symlink_to(outside / "goals.md")

    here.start()

    assert "secret" not in json.dumps(here.store_rows())
