"""What somebody can do to a package: every kind is found by every report, and reading leaves the disk as it is."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tsk.projects import SECTIONS, Project, project


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project with a taskdoc whose goals have a past."""
    with project(tmp_path) as made:
        made.new(goals="first\n", constraints="MUST\n", progress="begun\n")
        made.change("goals", "second\n")
        yield made


def edit(here: Project) -> None:
    here.file("goals").write_text("an outsider's text\n")


def put_an_older_text_back(here: Project) -> None:
    here.file("goals").write_text("first\n")


def delete_a_section(here: Project) -> None:
    here.file("goals").unlink()


def delete_the_package(here: Project) -> None:
    shutil.rmtree(here.package())


def erase_a_report_with_the_package(here: Project) -> None:
    edit(here)
    assert here.edited() == {"goals"}
    shutil.rmtree(here.package().parent)


def link_a_section(here: Project) -> None:
    (here.root / "aside.md").write_text("second\n")
    here.file("goals").unlink()
    here.file("goals").symlink_to(here.root / "aside.md")


def link_the_package(here: Project) -> None:
    here.package().rename(here.root / "aside")
    here.package().symlink_to(here.root / "aside")


def link_the_folder_of_packages(here: Project) -> None:
    here.package().parent.rename(here.root / "aside")
    (here.root / "tasks").symlink_to(here.root / "aside")


def delete_meta(here: Project) -> None:
    (here.package() / "meta.json").unlink()


def forge_meta(here: Project) -> None:
    meta = here.meta()
    meta["sections"]["goals"]["actor"] = "human:somebody-else"
    (here.package() / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")


def forge_text_and_meta(here: Project) -> None:
    edit(here)
    meta = here.meta()
    meta["sections"]["goals"]["sha256"] = "0" * 64
    (here.package() / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")


def give_the_package_to_another_workspace(here: Project) -> None:
    (here.package() / "meta.json").write_text(json.dumps({**here.meta(), "workspace": "somebody/else"}))


def add_a_file(here: Project) -> None:
    (here.package() / "notes.md").write_text("mine")


def add_a_folder(here: Project) -> None:
    (here.package() / "deep").mkdir()
    (here.package() / "deep" / "notes.md").write_text("mine")


def put_a_folder_in_its_place(here: Project) -> None:
    here.file("goals").unlink()
    here.file("goals").mkdir()


def put_bytes_in_its_place(here: Project) -> None:
    here.file("goals").write_bytes(b"\xff\xfe")


def fill_the_disk(here: Project) -> None:
    """A change whose package could not be written."""
    here.unfaced("change_mind", selector="goals", content="third\n")


def leave_a_conflict(here: Project) -> None:
    here.file("goals").write_text("<<<<<<< HEAD\nsecond\n=======\nother\n>>>>>>> theirs\n")


def strip_white_space(here: Project) -> None:
    here.file("goals").write_bytes(b"second  \r\n\r\n")


def open_to_git(here: Project) -> None:
    (here.package() / ".gitignore").unlink()


def tell_git_something(here: Project) -> None:
    (here.package() / ".gitattributes").write_text("mine")


KINDS: dict[Callable[[Project], None], set[str]] = {
    edit: {"edited"},
    put_an_older_text_back: {"older"},
    delete_a_section: {"missing_section"},
    delete_the_package: {"missing_package"},
    erase_a_report_with_the_package: {"missing_package"},
    link_a_section: {"link"},
    link_the_package: {"link"},
    link_the_folder_of_packages: {"link"},
    delete_meta: {"meta_missing"},
    forge_meta: {"meta_changed"},
    forge_text_and_meta: {"edited", "meta_changed"},
    give_the_package_to_another_workspace: {"meta_changed"},
    add_a_file: {"strange_file"},
    add_a_folder: {"strange_file"},
    put_a_folder_in_its_place: {"edited"},
    put_bytes_in_its_place: {"edited"},
    fill_the_disk: {"lags"},
    leave_a_conflict: {"conflict"},
    strip_white_space: {"whitespace"},
    open_to_git: {"meta_missing"},
    tell_git_something: {"strange_file"},
}
NOT_IN_THE_WAY = {"lags", "whitespace", "meta_missing", "meta_changed", "strange_file"}


def on_disk(root: Path) -> dict[str, Any]:
    """Everything below the project's folder: kind, mode, time, and bytes."""
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder) / name
            kind = path.lstat()
            body = path.read_bytes() if path.is_file() and not path.is_symlink() else None
            found[str(path)] = (kind.st_mode, kind.st_mtime_ns, kind.st_ino, body)
    return found


@pytest.mark.requirement(
    "taskdoc.tamper.detected", "taskdoc.tamper.reported-lint", "taskdoc.tamper.reported-doctor"
)
@pytest.mark.parametrize("act", KINDS, ids=lambda act: act.__name__)
def test_every_act_is_found_by_every_report_and_no_report_touches_the_disk(
    here: Project, act: Callable[[Project], None]
) -> None:
    act(here)
    here.restart()
    before = on_disk(here.root), here.everything()

    whole = {row["kind"] for row in here.ok("recall_mind").get("findings", [])}
    [listed] = here.ok("taskdoc_list")["items"]
    each = {row["kind"] for it in SECTIONS for row in here.ok("recall_mind", selector=it).get("findings", [])}
    linted = {row["code"] for row in here.ok("tasks_lint")["findings"]}
    examined = {row.code for row in here.doctor()}

    codes = {f"PACKAGE_{kind.upper()}" for kind in KINDS[act]}
    assert whole == {row["kind"] for row in listed.get("findings", [])} == KINDS[act]
    assert each == {kind for kind in KINDS[act] if kind not in ("meta_missing", "meta_changed", "strange_file")}
    assert linted == examined == codes
    assert here.text("goals") == ("third\n" if act is fill_the_disk else "second\n")
    assert (on_disk(here.root), here.everything()) == before


@pytest.mark.requirement(
    "taskdoc.tamper.change-refused", "taskdoc.tamper.restore", "taskdoc.tamper.never-overwritten"
)
@pytest.mark.parametrize("act", KINDS, ids=lambda act: act.__name__)
def test_what_is_in_the_way_refuses_a_change_and_restoring_the_package_settles_everything(
    here: Project, act: Callable[[Project], None]
) -> None:
    act(here)
    strange = [path for path in here.package().rglob("*") if path.name in ("notes.md", ".gitattributes")]

    if KINDS[act] <= NOT_IN_THE_WAY:
        here.change("goals", "changed\n")
    else:
        refused = here.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="changed\n")
        assert "restore the log's text" in refused["recovery"].lower()
        assert refused["suggestion"]["tool"] == "recall_mind"
        assert refused["suggestion"]["arguments"]["selector"] == "goals"
    if act in (link_the_package, link_the_folder_of_packages, put_a_folder_in_its_place):
        here.ask("taskdoc_restore")
        moved = here.package() if act is link_the_package else here.package().parent
        moved = here.file("goals") if act is put_a_folder_in_its_place else moved
        moved.rmdir() if act is put_a_folder_in_its_place else moved.unlink()
    here.ok("taskdoc_restore")

    assert all(path.read_text() == "mine" for path in strange if path.is_file()), "what is strange is never deleted"
    if not strange:
        here.check_face()
        assert here.doctor() == []
    assert here.text("goals") == ("changed\n" if KINDS[act] <= NOT_IN_THE_WAY else "second\n")
    here.change("goals", "and on it goes\n")
    assert here.file("goals").read_text() == "and on it goes\n"


@pytest.mark.parametrize("selector", ["goals", "progress"])
def test_white_space_does_not_block_and_the_next_change_restores_it_as_an_event(
    here: Project, selector: str
) -> None:
    here.file("goals").write_bytes(b"second   \r\n")

    changed = here.change(selector, "new\n")

    assert "warnings" not in changed
    said = here.ok("recall_mind", selector=selector)
    assert (said["content"], said["revision"]) == ("new\n", changed["revision"])
    here.check_face()
    events = [row for row in here.ok("tasks_delta")["events"] if row.get("because") == "white space"]
    assert [row["selector"] for row in events] == ["goals"]
    kept = here.ok("taskdoc_history", selector="goals")["items"][0]
    assert kept["outside"] == "second   \r\n"


def test_a_package_that_is_gone_comes_back_whole_by_restoring_one_section(here: Project) -> None:
    shutil.rmtree(here.package())

    here.ok("taskdoc_restore", selector="progress")

    here.check_face()
    assert here.doctor() == []


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("meta", ["{}", "no meta at all", '{"stamps": []}'])
def test_a_meta_that_git_cannot_have_brought_is_found_after_a_commit_too(
    tmp_path: Path, meta: str, tracked: bool
) -> None:
    with project(tmp_path) as here:
        head = here.root / ".git" / "HEAD"
        head.parent.mkdir()
        head.write_text("1" * 40)
        here.tracked = tracked
        here.restart()
        here.new(goals="mine\n")
        head.write_text("2" * 40)
        (here.package() / "meta.json").write_text(meta)

        changed = here.change("progress", "begun\n")

        assert ["meta.json was changed outside Gatepost" in said for said in changed["warnings"]] == [True]
        assert (here.package() / "meta.json").read_text() == meta
        assert {row["kind"] for row in here.ok("recall_mind")["findings"]} == {"meta_changed"}
        here.ok("taskdoc_restore")
        assert "findings" not in here.ok("recall_mind")


def test_what_others_tell_git_in_a_package_is_kept_when_the_setting_changes_or_the_record_is_lost(
    tmp_path: Path,
) -> None:
    with project(tmp_path) as here:
        here.new(goals="mine\n")
        (here.package() / ".gitattributes").write_text("theirs\n")
        here.tracked = True
        here.restart()
        here.change("goals", "second\n")
        (here.package() / ".gitignore").write_text("theirs too\n")
        moved = here.root.rename(tmp_path / "moved")

        here.root, here.tracked = moved, False
        here.restart()
        here.change("goals", "third\n")

        assert (here.package() / ".gitattributes").read_text() == "theirs\n"
        assert (here.package() / ".gitignore").read_text() == "theirs too\n"
        assert {row["kind"] for row in here.ok("recall_mind")["findings"]} == {"strange_file"}
        assert here.file("goals").read_text() == "third\n"
