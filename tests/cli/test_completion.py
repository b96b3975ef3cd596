"""What a word may become: commands, options, ids; found fast, without a trace, and never loudly."""

import json
import os
import stat
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.surfaces.cli.command_list import COMMANDS, declared
from gatepost.surfaces.cli.completion.bash_words import split
from gatepost.surfaces.terminal import columns
from tests.cli.givens import WORKSPACE, Desk
from tests.cli.test_lean import HEAVY, probe

BREAKS = " \t\n\"'><=;|&(:"


def offered(desk: Desk, *words: str) -> list[str]:
    """The candidates for the last word."""
    ran = desk.here("__complete", "fish", *words)
    assert (ran.code, ran.err) == (0, "")
    return [line.partition("\t")[0] for line in ran.out.splitlines()]


def test_every_command_is_offered_with_what_it_does(desk: Desk) -> None:
    lines = desk.here("__complete", "fish", "").out.splitlines()

    assert {line.partition("\t")[0] for line in lines} == {*COMMANDS, "hook", "help"}
    assert all(line.partition("\t")[2] for line in lines)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_every_command_is_offered_with_what_it_does(desk: Desk, command: str) -> None:
    options = {action.option_strings[0] for action in declared(command).actions() if action.option_strings}

    lines = desk.here("__complete", "zsh", command, "-").out.splitlines()

    assert {line.partition("\t")[0] for line in lines} == options
    assert all(line.partition("\t")[2] for line in lines)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("sh",), ["show"]),
        (("help", "sh"), ["show"]),
        (("help", "se"), ["settings"]),
        (("close", "1", "s:0."), ["s:0.s:0", "s:0.s:1"]),
        (("close", "task-1", "s:0", "--criteria", "--te"), ["--tests"]),
        (("close", "1", "--criteria", "Seen.", "s:2"), ["s:2"]),
        (("step", "1", "New", "--under", "s:0."), ["s:0.s:0", "s:0.s:1"]),
        (("add", "New", "--plan", ""), ["PLAN-001"]),
        (("add", "New", "--priority", "HI"), ["HIGH"]),
        (("add", "New", "--step", "A", "--st"), ["--step", "--store"]),
        (("hook", ""), ["post-tool", "pre-tool", "session-start"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("radar", ""), ["TASK-001", "TASK-002", "PLAN-001"]),
        (("show", "P"), ["PLAN-001"]),
        (("show", "TASK-002"), ["TASK-002"]),
        (("show", "TASK-001", "s:0."), ["s:0.s:0", "s:0.s:1"]),
        (("show", "--events", "3", "TASK-001", "s:2"), ["s:2"]),
        (("show", "TASK-042", ""), []),
        (("show", "TASK-001", "s:x."), []),
        (("show", "TASK-001", "s:2", "TASK"), []),
        (("ls", "--plan", ""), ["PLAN-001"]),
        (("ls", "--tag", ""), ["auth"]),
        (("ls", "--status", "A"), ["ACTIVE"]),
        (("ls", "--status=A"), ["--status=ACTIVE"]),
        (("ls", "--limit", ""), []),
        (("ls", "--workspace", "acme/"), [WORKSPACE]),
        (("ls", "--store", ""), ["*files"]),
        (("batch", "ca"), ["*files"]),
        (("taskdoc", "migrate", ""), ["*files"]),
        (("log", "--type", "step_do"), ["step_done"]),
        (("log", "--type", "step_done", "--ty"), ["--type"]),
        (("ls", "--ready", "--read"), []),
        (("ls", "--", "--"), []),
        (("call", "tasks_rad"), ["tasks_radar"]),
        (("mcp", "--tools", "tasks_radar,tasks_del"), ["tasks_radar,tasks_delta", "tasks_radar,tasks_delete"]),
        (("watch", "--scope", "m"), ["main"]),
        (("watch", "--url", "http://127.0.0.1:1", "--scope", ""), []),
        (("taskdoc", "show", ""), ["login", "goals", "constraints", "progress"]),
        (("taskdoc", "show", "login", "g"), ["goals"]),
        (("taskdoc", "bind", "login", ""), ["PLAN-001"]),
        (("taskdoc", "create", ""), []),
        (("taskdoc", "rename", ""), ["login"]),
        (("taskdoc", "rename", "login", ""), []),
        (("nothing", ""), []),
        (("show", "--nothing", "TASK-002"), ["TASK-002"]),
    ],
)
def test_a_word_is_completed_by_where_it_stands(desk: Desk, words: tuple[str, ...], found: list[str]) -> None:
    plan = desk.world.plan()
    desk.world.ok("tasks_create", kind="task", title="First", plan=plan, tags=["auth"])
    desk.world.ok(
        "tasks_decompose", task="TASK-001", steps=[{"title": "A", "steps": [{"title": "a"}, {"title": "b"}]}]
    )
    desk.world.ok("tasks_decompose", task="TASK-001", steps=[{"title": "B"}, {"title": "C"}])
    desk.world.task(title="Second")
    desk.world.ok("todo_write", session="main", items=["x"])
    desk.world.ok("taskdoc_create", name="login")

    assert offered(desk, *words) == found


def test_a_step_is_found_by_its_id(desk: Desk) -> None:
    task = desk.passkeys()
    step = desk.world.step(task, "s:0.s:1")["step_id"]

    assert offered(desk, "show", task, step[:-2]) == [step]
    assert len(offered(desk, "show", task, "STEP-")) == 5


def test_what_is_open_comes_first(desk: Desk) -> None:
    desk.passkeys()
    for title in ("Done", "New"):
        desk.world.task(title=title)
    desk.world.ok("tasks_complete", task="TASK-002")

    assert offered(desk, "show", "TASK") == ["TASK-001", "TASK-003", "TASK-002"]


def test_numbers_of_any_length_are_found_by_how_they_begin(desk: Desk) -> None:
    with desk.world.store.writing(WORKSPACE) as transaction:
        head = transaction.head()
    assert head.tasks == 0
    calls = [
        {"tool": "tasks_create", "arguments": {"kind": "task", "title": f"T{number}"}} for number in range(1, 101)
    ]
    for _ in range(11):
        desk.world.ok("tasks_batch", operations=calls)

    assert offered(desk, "show", "TASK-109") == ["TASK-109", *(f"TASK-109{digit}" for digit in range(10))]
    assert offered(desk, "show", "TASK-01") == [f"TASK-01{digit}" for digit in range(10)]
    assert len(offered(desk, "show", "TASK-")) == 200


def test_the_store_and_workspace_on_the_line_are_the_ones_that_are_looked_into(desk: Desk, bare: Path) -> None:
    desk.passkeys()
    desk.world.ok("tasks_create", workspace="other/one", kind="plan", title="Other")
    store = os.environ.pop("GATEPOST_STORE")

    assert offered(desk, "show", "") == []
    assert offered(desk, "show", "--store", store, "") == []
    assert offered(desk, "show", "--store", store, "--workspace", "other/one", "") == ["PLAN-001"]
    assert offered(desk, "show", f"--store={store}", f"--workspace={WORKSPACE}", "") == ["TASK-001"]
    assert offered(desk, "ls", "--store", store, "--workspace", "") == [WORKSPACE, "other/one"]


def test_looking_leaves_no_trace(desk: Desk, bare: Path, tmp_path: Path) -> None:
    desk.passkeys()
    before = desk.world.everything()
    desk.world.store.close()
    store = tmp_path / "gatepost.db"
    assert not store.with_name("gatepost.db-wal").exists()
    there = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    store.chmod(stat.S_IRUSR)

    assert offered(desk, "show", "TASK") == ["TASK-001"]
    os.environ["GATEPOST_STORE"] = str(tmp_path / "nowhere.db")
    assert offered(desk, "show", "TASK") == []

    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == there
    store.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert desk.world.everything() == before


def test_what_is_written_just_now_is_found(desk: Desk) -> None:
    desk.passkeys()
    with desk.world.store.writing(WORKSPACE):
        desk.world.store.reading(WORKSPACE)

        assert offered(desk, "show", "TASK") == ["TASK-001"]


def test_texts_from_outside_cannot_reach_the_shell(desk: Desk) -> None:
    hostile = "$(touch x) `touch x` \u202e; rm"
    desk.world.task(title=hostile, tags=["$(touch x)", "a b", "ok"], domain="x;y")

    assert offered(desk, "ls", "--tag", "") == ["ok"]
    assert offered(desk, "ls", "--domain", "") == []
    ran = desk.here("__complete", "zsh", "show", "")
    word, _, about = ran.out.rstrip("\n").partition("\t")
    assert word == "TASK-001"
    assert "\u202e" not in about
    assert columns(about) <= 60


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("bash",),
        ("bash", "gatepost show", "x", ":"),
        ("bash", "gatepost show T", "-4", ":"),
        ("tcsh", "show", ""),
        ("fish", "show", "\udcff"),
        ("fish", "show", "TASK-\u0663"),
        ("fish", "show", "TASK-" + "9" * 5000),
        ("fish", "show", "TASK-001", "s:" + "9" * 5000 + "."),
        ("fish", "show", "TASK-001", "s:0" + ".s:0" * 50 + "."),
        ("fish", "show", "--store", "ftp://x", ""),
        ("fish", "show", "--workspace", "..", ""),
        ("fish", "show", "--root", "\0", ""),
    ],
)
def test_nothing_makes_it_loud(desk: Desk, words: tuple[str, ...]) -> None:
    desk.passkeys()

    ran = desk.here("__complete", *words)

    assert (ran.code, ran.err) == (0, "")


def test_a_spoilt_store_is_passed_over_in_silence_and_told_when_asked(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.passkeys()
    desk.world.store.close()
    store = tmp_path / "gatepost.db"
    connection = apsw.Connection(str(store))
    connection.execute("UPDATE documents SET text = 'spoilt'")
    connection.close()
    spoilt = desk.here("__complete", "fish", "show", "")
    store.write_bytes(b"These are my notes. " * 500)
    foreign = desk.here("__complete", "fish", "show", "")
    monkeypatch.setenv("GATEPOST_DEBUG", "1")

    told = desk.here("__complete", "fish", "show", "")

    assert (spoilt, foreign) == ((0, "", ""), (0, "", ""))
    assert (told.code, told.out) == (0, "")
    assert "Traceback" in told.err


@pytest.mark.usefixtures("bare")
def test_commands_and_options_are_completed_with_nothing_heavy_on_board() -> None:
    for words in (("bash", "gatepost sh", "11", ":"), ("bash", "gatepost ls --st", "16", ":")):
        code, _, modules = probe("__complete", *words)
        assert code == 0
        assert not modules & HEAVY


def test_ids_are_completed_without_the_engine(desk: Desk) -> None:
    desk.passkeys()

    code, _, modules = probe("__complete", "bash", "gatepost show T", "15", ":")

    assert code == 0
    assert "apsw" in modules
    assert not modules & {"msgspec", "gatepost.engine.engine", "gatepost.operations.catalog", "urllib.request"}


def test_a_line_of_bash_is_completed_behind_its_own_breaks(desk: Desk) -> None:
    task = desk.passkeys()
    line = f"gatepost show {task} s:0."

    ran = desk.here("__complete", "bash", line, str(len(line)), BREAKS)

    assert ran.out == "0.s:0\n0.s:1\n"


@pytest.mark.parametrize(
    ("line", "words", "kept"),
    [
        ("gatepost", [""], 0),
        ("gatepost ", [""], 0),
        ("gatepost  show   TASK", ["show", "TASK"], 0),
        ("gatepost show TASK-001 s:0.s:1", ["show", "TASK-001", "s:0.s:1"], 6),
        ("gatepost ls --status=A", ["ls", "--status=A"], 9),
        ("gatepost show 'TASK-001' \"s:0", ["show", "TASK-001", "s:0"], 0),
        (r"gatepost ls --tag a\ b", ["ls", "--tag", "a b"], 0),
        ("gatepost ls --tag '' x", ["ls", "--tag", "", "x"], 0),
        ('gatepost call x "a\\"b', ["call", "x", 'a"b'], 0),
        ("gatepost ls --text 日本 x", ["ls", "--text", "日本", "x"], 0),
    ],
)
def test_a_line_is_split_as_bash_would(line: str, words: list[str], kept: int) -> None:
    assert split(line, len(line.encode()), BREAKS) == (words, kept)


@given(line=st.text("gate post'\"\\s:=日\n\t$(", max_size=40), point=st.integers(0, 60))
def test_no_line_is_too_broken_to_be_split(line: str, point: int) -> None:
    words, kept = split(line, point, BREAKS)

    assert words
    assert 0 <= kept <= len(words[-1]) or words == [""]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(desk: Desk, shell: str) -> None:
    ran = desk.here("completion", shell)

    assert ran.code == 0
    assert f"gatepost __complete {shell}" in ran.out
    assert desk.here("completion", "tcsh").code == 2
    assert json.dumps(ran.out).isascii()
