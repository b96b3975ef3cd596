"""`gatepost taskdoc`: reading, bringing back, taking over; to people and to programs."""

import json
import re
import shutil

import pytest

from tests.cli.givens import WORKSPACE, Desk
from tests.cli.taskdocs import GOALS, at_terminal, change, login, ok, package, section

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def _here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)


def test_a_taskdoc_is_made_with_its_package_and_shown_as_agents_read_it(desk: Desk) -> None:
    made = ok(desk, "taskdoc", "create", "login")
    change(desk, "goals", GOALS)

    shown = ok(desk, "taskdoc", "show", "login").out

    assert "tasks/login.tsk" in made.out
    assert package(desk, "goals").read_text(encoding="utf-8") == GOALS
    assert shown == desk.world.ok("recall_mind")["content"]
    assert shown.startswith("# Taskdoc: login\n\n## Goals\n\n- A login page.")


@pytest.mark.parametrize(
    "text", ["a", "a\n", "a\r\nb", "\tx  \n\n", "日本 \u202e🌱\n", "\x1b[2J\n", "--- a\n+++ b\n@@ -1 +1 @@\n"]
)
def test_a_section_goes_into_a_pipe_byte_for_byte(desk: Desk, text: str) -> None:
    login(desk)
    change(desk, "progress", text)

    assert ok(desk, "taskdoc", "show", "login", "progress").out == text
    assert desk.apart("taskdoc", "show", "login", "progress", PYTHONIOENCODING="ascii").out == text


def test_the_name_can_be_left_out_where_there_is_one(desk: Desk) -> None:
    login(desk)
    alone = ok(desk, "taskdoc", "show", "goals").out

    ok(desk, "taskdoc", "create", "other")
    among_two = desk.here("taskdoc", "show", "goals")

    assert alone == GOALS
    assert among_two.code == 2
    assert "login, other" in among_two.err


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        (("show", "login"), "recall_mind", {"taskdoc": "login"}),
        (("show", "login", "goals"), "recall_mind", {"taskdoc": "login", "selector": "goals"}),
        (("history", "login"), "taskdoc_history", {"taskdoc": "login"}),
        (("history", "goals", "--limit", "1"), "taskdoc_history", {"selector": "goals", "limit": 1}),
        (("diff", "login", "goals", "0", "1"), "taskdoc_diff", {"selector": "goals", "from": 0, "to": 1}),
        (("diff", "goals", "0"), "taskdoc_diff", {"selector": "goals", "from": 0}),
    ],
)
def test_json_is_the_operations_reply(
    desk: Desk, words: tuple[str, ...], tool: str, arguments: dict[str, object]
) -> None:
    login(desk)
    change(desk, "goals", "- Passkeys.\n")

    ran = ok(desk, "taskdoc", *words, "--json")

    assert json.loads(ran.out) == desk.world.ok(tool, **arguments)


def test_a_terminal_shows_who_changed_each_section_and_a_pipe_only_the_text(desk: Desk) -> None:
    login(desk)

    shown = ANSI.sub("", at_terminal("taskdoc", "show", "login").out)

    assert "## Goals\n\n- A login page.\n" in shown
    assert re.search(r"goals +revision 1 +\S.* agent:other\n", shown)
    assert re.search(r"progress +revision 0 +\S.* cli\n", shown)


def test_a_text_cannot_steer_the_terminal(desk: Desk) -> None:
    login(desk)
    change(desk, "goals", "\x1b[2J\x1b]0;gone\x07 \u202eolleh\n")

    for words in (
        ("show", "login"),
        ("show", "goals"),
        ("diff", "goals", "1"),
        ("restore", "goals", "1", "--dry-run"),
    ):
        shown = at_terminal("taskdoc", *words).out
        assert "\\u001b[2J" in ANSI.sub("", shown), words
        assert not set(ANSI.sub("", shown)) & set("\x1b\x07\u202e"), words


def test_the_history_tells_each_change_and_a_line_to_paste_goes_on(desk: Desk) -> None:
    login(desk)
    change(desk, "goals", "- Passkeys.\n", actor="human:ann")
    change(desk, "progress", "Begun.\n")

    whole = ok(desk, "taskdoc", "history", "login").out.splitlines()
    first = ok(desk, "taskdoc", "history", "login", "goals", "--limit", "1").out
    cursor = first.split("--cursor ")[1].split()[0]
    rest = ok(desk, "taskdoc", "history", "login", "goals", "--cursor", cursor).out

    assert [line.split()[:3] for line in whole] == [
        ["progress", "revision", "1"],
        ["goals", "revision", "2"],
        ["goals", "revision", "1"],
    ]
    assert "human:ann" in first.splitlines()[0]
    assert "revision 1" in rest
    assert "revision 2" not in rest


def test_a_diff_is_plain_in_a_pipe_and_coloured_on_a_terminal(desk: Desk) -> None:
    login(desk)
    change(desk, "goals", "- A login page.\n- Passkeys.\n")

    plain = ok(desk, "taskdoc", "diff", "login", "goals", "1").out
    coloured = at_terminal("taskdoc", "diff", "login", "goals", "1").out

    assert plain == desk.world.ok("taskdoc_diff", selector="goals", **{"from": 1})["diff"]
    assert "\n-- No passwords.\n+- Passkeys.\n" in plain
    assert "\x1b[31m-- No passwords.\x1b[0m\n\x1b[32m+- Passkeys.\x1b[0m\n" in coloured
    assert ANSI.sub("", coloured) == plain
    assert "is the same" in ok(desk, "taskdoc", "diff", "goals", "2", "2").out


def test_a_taskdoc_is_bound_to_a_plan_and_to_none(desk: Desk) -> None:
    login(desk)
    plan = desk.world.plan()

    ok(desk, "taskdoc", "bind", "login", plan)
    bound = desk.world.ok("recall_mind")["plan"]
    ok(desk, "taskdoc", "bind", "login", "--none")

    assert bound == plan
    assert "plan" not in desk.world.ok("recall_mind")


def test_restoring_shows_the_difference_and_needs_a_yes_away_from_a_terminal(desk: Desk) -> None:
    login(desk)
    change(desk, "goals", "- Passkeys.\n")
    before = desk.world.everything()

    asked = desk.here("taskdoc", "restore", "login", "goals", "1")
    looked = ok(desk, "taskdoc", "restore", "login", "goals", "1", "--dry-run")
    untouched = desk.world.everything() == before
    done = ok(desk, "taskdoc", "restore", "login", "goals", "1", "--yes", "--json")

    assert (asked.code, untouched) == (2, True)
    assert "--yes" in asked.err
    assert "+- No passwords.\n" in looked.out
    assert json.loads(done.out)["revision"] == 3
    assert section(desk, "goals")["content"] == GOALS


@pytest.mark.parametrize(("answer", "content"), [("n\n", "- Passkeys.\n"), ("\n", "- Passkeys.\n"), ("y\n", GOALS)])
def test_on_a_terminal_restoring_asks_and_does_as_it_is_told(desk: Desk, answer: str, content: str) -> None:
    login(desk)
    change(desk, "goals", "- Passkeys.\n")

    ran = at_terminal("taskdoc", "restore", "login", "goals", "1", answer=answer)

    assert ran.code == 0
    assert "[y/N]" in ran.out
    assert section(desk, "goals")["content"] == content


def test_what_was_edited_in_the_package_is_told_beside_the_log_s_text(desk: Desk) -> None:
    login(desk)
    package(desk, "goals").write_text("- Free beer.\n", encoding="utf-8")

    piped = ok(desk, "taskdoc", "show", "login", "goals")
    shown = ANSI.sub("", at_terminal("taskdoc", "show", "login").out)

    assert piped.out == GOALS
    assert "goals.md was edited outside Gatepost" in piped.err
    assert "gatepost taskdoc adopt login goals --dry-run" in piped.err
    assert "edited outside Gatepost" in shown


def test_adopting_shows_the_edit_needs_a_yes_and_takes_it(desk: Desk) -> None:
    login(desk)
    package(desk, "goals").write_text("- Free beer.\n", encoding="utf-8")

    asked = desk.here("taskdoc", "adopt", "login")
    looked = ok(desk, "taskdoc", "adopt", "login", "goals", "--dry-run")
    before = section(desk, "goals")["content"]
    done = ok(desk, "taskdoc", "adopt", "login", "--yes")

    assert asked.code == 2
    assert "+- Free beer.\n" in looked.out
    assert before == GOALS
    assert "Adopted goals from the package of login" in done.out
    assert section(desk, "goals")["content"] == "- Free beer.\n"
    assert "No change" in ok(desk, "taskdoc", "adopt", "login").out


def test_a_package_whose_taskdoc_was_undone_is_adopted_by_name(desk: Desk) -> None:
    login(desk)
    ok(desk, "undo", "--yes", "--actor", "agent:other")
    package(desk, "goals").write_text("- Free beer.\n", encoding="utf-8")
    ok(desk, "undo", "--yes")
    gone = desk.here("taskdoc", "show", "login")

    ok(desk, "taskdoc", "adopt", "login", "--yes")

    assert gone.code == 3
    assert section(desk, "goals")["content"] == "- Free beer.\n"


def test_restoring_without_a_revision_takes_an_edit_out_of_the_package(desk: Desk) -> None:
    login(desk)
    package(desk, "goals").write_text("- Free beer.\n", encoding="utf-8")

    looked = ok(desk, "taskdoc", "restore", "login", "goals", "--dry-run")
    kept = package(desk, "goals").read_text(encoding="utf-8")
    ok(desk, "taskdoc", "restore", "login", "goals", "--yes")

    assert "+- Free beer.\n" in looked.out
    assert kept == "- Free beer.\n"
    assert package(desk, "goals").read_text(encoding="utf-8") == GOALS
    assert section(desk, "goals")["content"] == GOALS


@pytest.mark.requirement("taskdoc.format.single-file-refused")
@pytest.mark.parametrize("verb", ["show", "edit", "history", "adopt", "create", "bind"])
@pytest.mark.parametrize("file", ["notes.md", "./docs/notes.md", "notes.markdown", "notes.tsk", "tasks/notes.tsk/"])
def test_a_file_is_not_used_as_a_taskdoc_and_the_refusal_names_the_migration(
    desk: Desk, verb: str, file: str
) -> None:
    (desk.folder / "notes.md").write_text("# Goals\nA login page.\n", encoding="utf-8")
    before = desk.world.everything()

    ran = desk.here("taskdoc", verb, file, *{"edit": ["goals"], "bind": ["PLAN-001"]}.get(verb, []))

    assert ran.code == 2
    assert "gatepost taskdoc migrate" in " ".join(ran.err.split())
    assert desk.world.everything() == before
    assert not (desk.folder / "tasks").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("shw",), 2),
        (("show", "login", "goal"), 2),
        (("show", "login", "goals", "1"), 2),
        (("show", "nothing"), 3),
        (("show", "login", "--yes"), 2),
        (("show", "login", "--name", "x"), 2),
        (("edit", "login"), 2),
        (("diff", "login", "goals"), 2),
        (("diff", "login", "goals", "one"), 2),
        (("diff", "login", "goals", "77"), 3),
        (("restore", "login", "goals", "77", "--yes"), 3),
        (("create",), 2),
        (("create", "Login Page"), 2),
        (("create", "goals"), 2),
        (("create", "login"), 4),
        (("bind", "login"), 2),
        (("bind", "login", "PLAN-042"), 3),
        (("bind", "login", "PLAN-001", "--none"), 2),
        (("adopt", "nothing", "--yes"), 3),
    ],
)
def test_what_cannot_be_done_is_told_by_the_exit_code_and_leaves_nothing(
    desk: Desk, words: tuple[str, ...], code: int
) -> None:
    login(desk)
    before = desk.world.everything()

    ran = desk.here("taskdoc", *words)

    assert ran.code == code, ran
    assert ran.err.strip()
    assert desk.world.everything() == before


def test_reading_makes_no_store(desk: Desk) -> None:
    for words in (("show",), ("history", "login"), ("diff", "login", "goals", "0"), ("restore", "login", "goals")):
        assert desk.here("taskdoc", *words, "--store", "new/store.db").code == 3
    assert not (desk.folder / "new").exists()


def test_the_first_taskdoc_makes_the_store_it_is_kept_in(desk: Desk) -> None:
    ok(desk, "taskdoc", "create", "login", "--store", "new/store.db")

    assert "# Taskdoc: login" in ok(desk, "taskdoc", "show", "--store", "new/store.db").out


def test_the_help_tells_every_verb(desk: Desk) -> None:
    told = ok(desk, "taskdoc", "--help").out

    for verb in ("show", "edit", "history", "diff", "restore", "adopt", "create", "bind", "migrate"):
        assert re.search(rf"^  {verb} ", told, re.MULTILINE), verb


def test_a_clone_without_a_store_shows_its_taskdocs_and_makes_none(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    login(desk)
    monkeypatch.delenv("GATEPOST_STORE", raising=False)
    clone = desk.folder / "clone"
    shutil.copytree(desk.folder / "tasks", clone / "tasks")
    (clone / ".git").mkdir()

    shown = desk.here("taskdoc", "show", "--root", str(clone))
    listed = desk.here("taskdoc", "show", "login", "goals", "--root", str(clone), "--json")

    assert (shown.code, "A login page" in shown.out, "not in the store yet" in shown.err) == (0, True, True), shown
    assert json.loads(listed.out)["actor"] == "agent:other"
    assert sorted(path.name for path in clone.iterdir()) == [".git", "tasks"]


def test_a_package_that_is_gone_is_told_and_restored_whole(desk: Desk) -> None:
    login(desk)
    shutil.rmtree(desk.folder / "tasks")

    shown = ok(desk, "taskdoc", "show", "login")
    restored = ok(desk, "taskdoc", "restore", "login", "--yes")

    assert "tasks/login.tsk is missing. This is the log's text. To write it again:" in shown.err
    assert "gatepost taskdoc restore login --dry-run" in shown.err
    assert "Restored the package of login" in restored.out
    assert package(desk, "goals").read_text() == GOALS


def test_a_taskdoc_is_renamed_with_its_package_and_found_by_both_names(desk: Desk) -> None:
    login(desk)

    renamed = ok(desk, "taskdoc", "rename", "login", "sign-in")

    assert renamed.out == "Renamed login to sign-in; its package is tasks/sign-in.tsk\n"
    assert (
        ok(desk, "taskdoc", "show", "login", "goals").out
        == ok(desk, "taskdoc", "show", "sign-in", "goals").out
        == GOALS
    )
    assert not package(desk, "goals").exists()
    assert ok(desk, "taskdoc", "rename", "login", "sign-in").out == "No change: it is already like this\n"
    assert json.loads(ok(desk, "taskdoc", "rename", "login", "login", "--json").out)["before"] == "sign-in"
    assert package(desk, "goals").read_text(encoding="utf-8") == GOALS
    for words in (("login",), ("login", "a", "b"), ("login", "goals"), ("login", "a.md")):
        assert desk.here("taskdoc", "rename", *words).code == 2


def test_a_taskdoc_is_archived_listed_among_the_archived_and_brought_back(desk: Desk) -> None:
    login(desk)
    assert ok(desk, "taskdoc", "archive").out == "No archived taskdocs.\n"

    archived = ok(desk, "taskdoc", "archive", "login")

    assert archived.out == "Archived login\n"
    assert not package(desk, "goals").exists()
    assert ok(desk, "taskdoc", "archive").out.startswith("login ")
    assert "every taskdoc in acme/repo is archived" in desk.here("taskdoc", "show").err
    assert json.loads(ok(desk, "taskdoc", "archive", "--json").out)["items"][0]["archived"] is True
    assert ok(desk, "taskdoc", "show", "login", "goals").out == GOALS
    shown = ANSI.sub("", at_terminal("taskdoc", "show", "login").out)
    assert "gatepost taskdoc archive login --undo" in shown
    refused = desk.here("taskdoc", "restore", "login", "goals", "0", "--yes")
    assert (refused.code, "login is archived" in refused.err) == (4, True)
    assert desk.here("taskdoc", "archive", "--undo").code == 2
    assert ok(desk, "taskdoc", "archive", "login", "--undo").out == "Restored login from the archive\n"
    assert package(desk, "goals").read_text(encoding="utf-8") == GOALS
