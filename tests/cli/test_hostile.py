"""Whatever texts others have stored: on every command they show, and do nothing else."""

import re
import unicodedata
from typing import Any

import pytest

from gatepost.surfaces.terminal import columns
from tests.cli.givens import Desk
from tests.cli.terminals import ANSI, gatepost, seated

ACTING = "\x1b[2J\x1b]0;title\x07\x9b31m\x08\r\x7f\u202e\u2066\u200f\u00ad\ufeff\U000e0041"
LINE = "\u202egnol \u2066日本\u200f\u00ad\ufeff\U000e0041 한\u1161 e\u0301 👩\u200d🚀"
COMMANDS = [
    ("radar",),
    ("radar", "TASK-001"),
    ("ls",),
    ("show", "TASK-001"),
    ("show", "TASK-001", "s:0"),
    ("show", "TASK-001", "s:1"),
    ("show", "PLAN-001", "--events", "50"),
    ("log",),
    ("diff", "--since", "0"),
    ("diff", "--since", "0", "--quiet"),
    ("diff", "--operation", "1"),
    ("blame", "TASK-001"),
    ("blame", "TASK-001", "title"),
    ("away", "--since", "0"),
    ("handoff", "TASK-001"),
    ("handoff", "PLAN-001"),
    ("lint", "TASK-001"),
    ("inbox",),
    ("inbox", "--quiet"),
    ("taskdoc", "show", "login"),
    ("taskdoc", "history", "login"),
    ("taskdoc", "diff", "login", "goals", "1"),
    ("digest", "show"),
    ("call", "tasks_resume", '{"workspace": "acme/repo", "task": "TASK-001", "events_limit": 20}'),
    ("call", "todo_read", '{"workspace": "acme/repo", "session": "main"}'),
    ("undo", "--dry-run"),
    ("doctor",),
    ("show", "TASK-001\x1b[2J"),
    ("call", "tasks_note\x1b[2J"),
    ("taskdoc", "show", "x\x1b[2J"),
    ("ls", "--workspace", "x\x1b[2J"),
    ("watch", "--url", "http://x\x1b[2J"),
    ("batch", "x\x1b[2J"),
    ("\x1b[2J",),
]


@pytest.fixture
def hostile(desk: Desk) -> Desk:
    """A store full of texts that would act on a terminal, wherever it takes them."""
    text = f"{LINE} {ACTING}\nand {ACTING} more"
    world = desk.world
    steps: list[dict[str, Any]] = [
        {"title": LINE, "criteria": [LINE], "tests": [LINE], "blockers": [LINE]},
        {"title": LINE},
    ]
    world.ok("tasks_create", kind="plan", title=LINE, contract=text, description=text)
    world.ok(
        "tasks_create",
        kind="task",
        title=LINE,
        plan="PLAN-001",
        description=text,
        context=text,
        domain=LINE,
        tags=[LINE],
        steps=steps,
    )
    world.ok("tasks_note", task="TASK-001", note=text)
    world.ok("tasks_block", task="TASK-001", path="s:0", reason=text, ask=text, options=[text])
    marks = {"criteria": {"confirmed": True, "note": text}, "tests": {"confirmed": True}}
    world.ok("tasks_verify", task="TASK-001", path="s:1", checkpoints=marks)
    world.ok("todo_write", session="main", items=[text])
    world.ok("taskdoc_create", name="login")
    world.ok("change_mind", taskdoc="login", selector="goals", content=text)
    world.ok("workspace_digest_set", summary=text, body=text)
    world.ok("todo_write", session="a-session-of-a-long-name." * 2, items=["x"])
    world.ok("tasks_edit", task="TASK-001", title=f"{LINE}!")
    return desk


@pytest.mark.parametrize("words", COMMANDS)
def test_a_terminal_is_sent_nothing_that_acts_but_our_own_colours(hostile: Desk, words: tuple[str, ...]) -> None:
    with seated(gatepost(*words), width=80) as seat:
        written = ANSI.sub("", seat.rest())

    acting = {sign for sign in written if unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp", "Cs")}
    assert acting <= {"\n", "\u200d"}, written
    assert "Traceback" not in written
    assert "internal error" not in written


# What `call` and `taskdoc` print into a pipe is for programs, to the letter.
@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] not in ("call", "taskdoc")])
def test_people_who_pipe_what_they_read_are_sent_nothing_that_acts(hostile: Desk, words: tuple[str, ...]) -> None:
    ran = hostile.here(*words)

    acting = {sign for sign in ran.out + ran.err if unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp", "Cs")}
    assert acting <= {"\n", "\u200d"}


@pytest.mark.parametrize("width", [44, 61, 72, 80, 100])
def test_wide_and_combining_characters_keep_tables_within_the_width(hostile: Desk, width: int) -> None:
    for words in (("ls",), ("show", "TASK-001"), ("log",), ("radar", "TASK-001"), ("handoff", "TASK-001")):
        with seated(gatepost(*words), width=width, NO_COLOR="1") as seat:
            for line in seat.rest().splitlines():
                assert columns(line) <= width, (words, line)


def test_a_korean_syllable_in_pieces_takes_two_columns_like_a_whole_one() -> None:
    assert columns("한") == columns(unicodedata.normalize("NFD", "한")) == 2


@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "", "LANG": "C"}])
def test_a_locale_without_utf_8_gets_ascii_alone(desk: Desk, variables: dict[str, str]) -> None:
    desk.passkeys()
    desk.world.task(title="日本 é 👩", tags=["ü"])

    for words in (("ls",), ("show", "TASK-001"), ("radar",), ("log",)):
        ran = desk.apart(*words, **variables)
        assert ran.code == 0
        assert ran.out.isascii(), ran.out
    assert r"\u65e5\u672c \u00e9 \ud83d\udc69" in desk.apart("ls", **variables).out


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"LC_ALL": "C.UTF-8"},
        {"LANG": "en_US.UTF-8"},
        {"LC_ALL": "C", "PYTHONUTF8": "1"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "utf-8"},
    ],
)
def test_a_locale_with_utf_8_or_none_at_all_gets_the_signs(desk: Desk, variables: dict[str, str]) -> None:
    desk.passkeys()

    assert "● ACTIVE" in desk.apart("ls", **variables).out


def test_json_stays_json_where_a_terminal_has_no_utf_8(desk: Desk) -> None:
    desk.world.task(title="é 日本")
    with seated(gatepost("ls", "--json"), LC_ALL="C", NO_COLOR="1") as seat:
        written = seat.rest()

    assert written.isascii()
    assert re.search(r'"title": "\\u00e9 \\u65e5\\u672c"', written)
