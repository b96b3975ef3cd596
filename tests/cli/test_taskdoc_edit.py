"""`gatepost taskdoc edit`: a real editor on a private file, the revision checked on save, nothing typed lost."""

import json
import re
import tempfile
from pathlib import Path

import pytest

from tests.cli.givens import WORKSPACE, Desk, Ran
from tests.cli.taskdocs import GOALS, at_terminal, editor, login, meanwhile, ok, package, section
from tests.wire.credentials import EVERY


@pytest.fixture(autouse=True)
def scratch(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go, on a desk with the taskdoc `login` and no editor set."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    login(desk)
    return folder


class Editors:
    """Editors to choose from."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch

    def choose(self, *lines: str, arguments: str = "", variable: str = "EDITOR") -> None:
        """Let the person's editor be these lines of shell."""
        self._monkeypatch.setenv(variable, f"{editor(self._folder, *lines)} {arguments}")


@pytest.fixture
def editors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editors:
    """Editors to choose from."""
    return Editors(tmp_path, monkeypatch)


def kept_text(ran: Ran, scratch: Path) -> str:
    """What is in the file that a refusal names; it is the only one that is left."""
    named = re.search(r"saved in\s+(\S+)", ran.err)
    assert named is not None, ran
    assert [path for path in scratch.rglob("*") if path.is_file()] == [Path(named[1])]
    return Path(named[1]).read_text(encoding="utf-8")


def test_what_the_editor_saves_becomes_the_section_byte_for_byte(
    desk: Desk, editors: Editors, scratch: Path
) -> None:
    editors.choose("printf 'Passkeys.\\r\\n\\n  no end' > \"$1\"")

    ran = ok(desk, "taskdoc", "edit", "login", "goals", "--actor", "human:ann")

    saved = section(desk, "goals")
    assert "goals of login was saved as revision 2" in ran.out
    assert (saved["content"], saved["revision"], saved["actor"]) == ("Passkeys.\r\n\n  no end", 2, "human:ann")
    assert package(desk, "goals").read_bytes() == saved["content"].encode()
    assert list(scratch.iterdir()) == []


def test_the_editor_gets_the_present_text_in_a_private_file_outside_of_the_package(
    desk: Desk, editors: Editors, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    editors.choose(f'cp "$1" {seen}', f'stat -c "%a %n" "$1" "$(dirname "$1")" > {seen}.modes')

    ok(desk, "taskdoc", "edit", "login", "goals")

    modes = [line.split() for line in Path(f"{seen}.modes").read_text(encoding="utf-8").splitlines()]
    assert seen.read_text(encoding="utf-8") == GOALS
    assert [mode for mode, _ in modes] == ["600", "700"]
    assert modes[0][1].endswith("/login-goals.md")
    assert ".tsk" not in modes[0][1]


def test_an_editor_may_have_arguments_and_visual_goes_first(
    desk: Desk, editors: Editors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editors.choose(
        f'echo "$1|$2" > {tmp_path}/words', 'echo new > "$3"', arguments="--wait 'two words'", variable="VISUAL"
    )
    monkeypatch.setenv("EDITOR", "false")

    ok(desk, "taskdoc", "edit", "login", "goals")

    assert (tmp_path / "words").read_text(encoding="utf-8") == "--wait|two words\n"
    assert section(desk, "goals")["content"] == "new\n"


def test_an_editor_that_saves_by_renaming_and_leaves_copies_is_understood(
    desk: Desk, editors: Editors, scratch: Path
) -> None:
    editors.choose('cp "$1" "$1~"', 'echo renamed > "$1.new"', 'mv "$1.new" "$1"')

    ok(desk, "taskdoc", "edit", "login", "goals")

    assert section(desk, "goals")["content"] == "renamed\n"
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("selector", ["goals", "progress"])
def test_an_unchanged_text_changes_nothing_and_says_so(
    desk: Desk, editors: Editors, scratch: Path, selector: str
) -> None:
    editors.choose(":")
    before = desk.world.everything()

    told = ok(desk, "taskdoc", "edit", "login", selector)
    plain = json.loads(ok(desk, "taskdoc", "edit", "login", selector, "--json").out)

    assert "No change" in told.out
    assert (plain["changed"], plain["events"]) == (False, [])
    assert desk.world.everything() == before
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("blank", ["", " \\n\\t\\n"])
def test_an_emptied_text_is_refused_and_clearing_is_said_explicitly(
    desk: Desk, editors: Editors, scratch: Path, blank: str
) -> None:
    editors.choose(f"printf '{blank}' > \"$1\"")

    refused = desk.here("taskdoc", "edit", "login", "goals")
    before = section(desk, "goals")["content"]
    ok(desk, "taskdoc", "edit", "login", "goals", "--clear")

    assert refused.code == 2
    assert "gatepost taskdoc edit login goals --clear" in " ".join(refused.err.split())
    assert before == GOALS
    assert section(desk, "goals")["content"] == ""
    assert list(scratch.iterdir()) == []


def test_after_an_editor_that_failed_nothing_is_changed_but_what_was_typed_is_kept(
    desk: Desk, editors: Editors, scratch: Path
) -> None:
    before = desk.world.everything()

    editors.choose("exit 3")
    at_once = desk.here("taskdoc", "edit", "login", "goals")
    nothing_left = list(scratch.iterdir()) == []
    editors.choose('echo half a thought > "$1"', "exit 3")
    after_work = desk.here("taskdoc", "edit", "login", "goals")

    assert (at_once.code, after_work.code, nothing_left) == (1, 1, True)
    assert "failed with exit code 3; nothing was changed" in at_once.err
    assert kept_text(after_work, scratch) == "half a thought\n"
    assert desk.world.everything() == before


def test_a_conflict_shows_both_texts_and_keeps_the_typed_one(desk: Desk, editors: Editors, scratch: Path) -> None:
    editors.choose('echo "- Mine." > "$1"', meanwhile("goals", "- Theirs.\n"))

    ran = desk.here("taskdoc", "edit", "login", "goals")

    assert ran.code == 4
    assert "\n-- Theirs.\n+- Mine.\n" in ran.out
    assert "revision 2, agent:other" in ran.out
    assert "from revision 1" in ran.out
    assert kept_text(ran, scratch) == "- Mine.\n"
    assert (section(desk, "goals")["content"], section(desk, "goals")["revision"]) == ("- Theirs.\n", 2)


def test_a_conflict_as_json_has_the_difference_and_the_place_of_the_typed_text(
    desk: Desk, editors: Editors
) -> None:
    editors.choose('echo "- Mine." > "$1"', meanwhile("goals", "- Theirs.\n"))

    ran = desk.here("taskdoc", "edit", "login", "goals", "--json")

    error = json.loads(ran.out)["error"]
    assert ran.code == 4
    assert (error["code"], error["current_revision"]) == ("REVISION_MISMATCH", 2)
    assert "+- Mine.\n" in error["diff"]
    assert Path(error["kept"]).read_text(encoding="utf-8") == "- Mine.\n"


def test_a_change_of_another_section_meanwhile_is_no_conflict(desk: Desk, editors: Editors) -> None:
    editors.choose('echo "- Mine." > "$1"', meanwhile("progress", "Theirs.\n"))

    ok(desk, "taskdoc", "edit", "login", "goals")

    assert section(desk, "goals")["content"] == "- Mine.\n"
    assert section(desk, "progress")["content"] == "Theirs.\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("head -c 65537 /dev/zero | tr '\\0' x", "65,537"),
        ("printf 'x\\000y'", "content"),
        ("printf 'caf\\351'", "not UTF-8"),
    ],
)
def test_what_a_section_cannot_hold_is_refused_and_kept(
    desk: Desk, editors: Editors, scratch: Path, line: str, said: str
) -> None:
    editors.choose(f'{line} > "$1"')
    before = desk.world.everything()

    ran = desk.here("taskdoc", "edit", "login", "goals")

    assert ran.code == 2
    assert said in ran.err
    assert "saved in" in ran.err
    assert len([path for path in scratch.rglob("*") if path.is_file()]) == 1
    assert desk.world.everything() == before


@pytest.mark.requirement("secrets.refused.field-and-kind")
def test_a_credential_that_was_typed_is_refused_and_what_was_typed_is_kept(
    desk: Desk, editors: Editors, scratch: Path
) -> None:
    secret = EVERY["ghp"]
    editors.choose(f'echo "use {secret} here" > "$1"')

    refused = desk.here("taskdoc", "edit", "login", "progress")

    assert refused.code == 2
    assert "GitHub token" in refused.err
    assert secret not in refused.err
    assert kept_text(refused, scratch) == f"use {secret} here\n"


def test_a_section_edited_in_the_package_is_refused_before_the_editor_opens(
    desk: Desk, editors: Editors, tmp_path: Path
) -> None:
    package(desk, "goals").write_text("- Free beer.\n", encoding="utf-8")
    editors.choose(f"touch {tmp_path}/opened")

    ran = desk.here("taskdoc", "edit", "login", "goals")

    assert ran.code == 4
    assert "edited outside Gatepost" in ran.err
    assert "gatepost taskdoc adopt login goals, or" in " ".join(ran.err.split())
    assert not (tmp_path / "opened").exists()
    assert package(desk, "goals").read_text(encoding="utf-8") == "- Free beer.\n"


@pytest.mark.parametrize("chosen", ["no-such-editor-anywhere", "'unclosed", ""])
def test_an_editor_that_cannot_be_started_is_told_with_the_way_to_choose_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, scratch: Path, chosen: str
) -> None:
    monkeypatch.setenv("EDITOR", chosen)

    ran = desk.apart("taskdoc", "edit", "login", "goals")

    assert ran.code == 2
    assert "EDITOR=nano" in ran.err
    assert list(scratch.iterdir()) == []


def test_an_editor_that_leaves_no_file_changes_nothing(desk: Desk, editors: Editors) -> None:
    editors.choose('rm "$1"')

    ran = desk.here("taskdoc", "edit", "login", "goals")

    assert ran.code == 2
    assert section(desk, "goals")["content"] == GOALS


def test_on_a_terminal_without_an_editor_it_is_vi(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(editor(tmp_path, 'echo "by vi" > "$1"')).rename(tmp_path / "vi")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    ran = at_terminal("taskdoc", "edit", "login", "goals")

    assert ran.code == 0, ran
    assert section(desk, "goals")["content"] == "by vi\n"


def test_a_temporary_folder_inside_of_a_package_is_not_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(desk.folder / "tasks" / "login.tsk"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = sorted((desk.folder / "tasks").rglob("*"))

    ran = desk.here("taskdoc", "edit", "login", "goals")

    assert ran.code == 2
    assert "TMPDIR" in ran.err
    assert sorted((desk.folder / "tasks").rglob("*")) == before
