"""`gatepost watch`: live lists in a few lines, a line a change in a pipe, on a store or on a server."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.cli.givens import PATIENCE, Desk
from tests.cli.terminals import ANSI, Sheet, gatepost, seated
from tests.http.givens import site

SECRET = "a-token-" * 3


@contextmanager
def piped(*words: str) -> Iterator["subprocess.Popen[str]"]:
    """A watch whose output goes into a pipe."""
    with subprocess.Popen(
        gatepost("watch", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[str]") -> list[str]:
    """The words of the next line."""
    assert process.stdout is not None
    return process.stdout.readline().split()


def test_a_pipe_gets_a_line_for_each_change(desk: Desk) -> None:
    task = desk.passkeys()
    with piped() as process:
        first = line(process)
        desk.world.ok("tasks_note", task=task, note="no change of the list")
        desk.world.close(task, "s:0.s:1")
        lines = [line(process) for _ in range(2)]
        desk.world.ok("todo_write", session="main", items=["buy milk"])
        lines.append(line(process))

    assert first == [task, "·", "1/5", "done", "Passkey", "form"]
    assert lines == [
        [task, "●", "in", "progress", "Draft"],
        [task, "✓", "done", "Styles"],
        ["main", "·", "0/1", "done"],
    ]


def test_one_list_can_be_watched_alone(desk: Desk) -> None:
    task = desk.passkeys()
    with piped("--scope", "main") as process:
        desk.world.close(task, "s:0.s:1")
        desk.world.ok("todo_write", session="main", items=["buy milk"])

        assert line(process) == ["main", "·", "0/1", "done"]


def test_json_is_what_lists_took_in_as_the_stream_has_it(desk: Desk) -> None:
    task = desk.passkeys()
    with piped("--json") as process:
        assert process.stdout is not None
        whole = json.loads(process.stdout.readline())
        desk.world.close(task, "s:0.s:1")
        change = json.loads(process.stdout.readline())

    assert (whole["op"], whole["scopeKey"], len(whole["items"])) == ("replace", task, 5)
    assert change["op"] == "patch"
    assert change["revision"] == whole["revision"] + 1
    assert "done" in {patch.get("status") for patch in change["patches"]}


def test_a_terminal_sees_the_lists_in_place(desk: Desk) -> None:
    task = desk.passkeys()
    with seated(gatepost("watch"), NO_COLOR="1") as seat:
        before = seat.until(lambda text: "Deploy" in text and "live" in text)
        desk.world.close(task, "s:0.s:1")
        after = seat.until(lambda text: "2 done" in text and text.endswith("\x1b[J"))

    sheet = Sheet(80)
    sheet.write(after)
    assert "  ● Styles" in before
    assert sheet.seen() == [
        "TASK-001  Passkey form  ███▏░░░░ 2/5  1 blocked",
        "  ● Draft",
        "  ■ Deploy (staging is down)",
        "  ○ Wire",
        "  ✓ 2 done",
        "acme/repo · live",
        "",
    ]


def test_an_interrupt_leaves_the_last_picture_and_a_clean_line(desk: Desk) -> None:
    desk.passkeys()
    with seated(gatepost("watch"), NO_COLOR="1") as seat:
        seat.until(lambda text: "live" in text and text.endswith("\x1b[J"))

        seat.process.send_signal(signal.SIGINT)
        written = seat.rest()

    sheet = Sheet(80)
    sheet.write(written)
    assert seat.process.returncode == 130
    assert sheet.seen()[-2:] == ["acme/repo · live", ""]
    assert "Traceback" not in written


def test_a_window_that_becomes_narrower_is_drawn_anew_within_it(desk: Desk) -> None:
    desk.world.task("A step with quite a long title, longer than that", title="Wide " * 12)
    with seated(gatepost("watch"), NO_COLOR="1") as seat:
        wide = seat.until(lambda text: "live" in text and text.endswith("\x1b[J"))

        seat.resize(40)
        narrow = seat.until(lambda text: text.count("live") > 1 and text.endswith("\x1b[J"))[len(wide) :]

    sheet = Sheet(40)
    sheet.write(narrow)
    assert all(len(shown) < 40 for shown in sheet.seen())
    assert "…" in sheet.seen()[0]
    # The three lines before took five rows, once the terminal had broken them.
    assert narrow.startswith("\x1b[5A\r")


def test_columns_and_lines_make_it_smaller(desk: Desk) -> None:
    desk.world.task(*(f"Step {number}" for number in range(20)), title="Long " * 20)
    with seated(gatepost("watch"), NO_COLOR="1", COLUMNS="30", LINES="6") as seat:
        written = seat.until(lambda text: "live" in text and text.endswith("\x1b[J"))

    sheet = Sheet(80)
    sheet.write(written)
    *shown, last = sheet.seen()
    assert (len(shown), last) == (5, "")
    assert max(map(len, shown)) <= 29
    assert shown[-2] == "  ⋮ 18 more"


def test_a_terminal_that_cannot_rewrite_lines_gets_them_one_by_one(desk: Desk) -> None:
    desk.passkeys()
    with seated(gatepost("watch"), TERM="dumb") as seat:
        written = seat.until(lambda text: text.endswith("\n"))

    assert written == "TASK-001    · 1/5 done     Passkey form\n"


def test_state_is_told_without_colour_and_without_unicode(desk: Desk) -> None:
    desk.passkeys()
    with seated(gatepost("watch"), NO_COLOR="1", LC_ALL="C") as seat:
        written = seat.until(lambda text: "live" in text and text.endswith("\x1b[J"))

    assert written.isascii()
    assert not ANSI.search(written)
    for told in ("> Styles", "! Deploy", "o Wire", "x 1 done", "#....... 1/5"):
        assert told in written


def test_hostile_titles_do_nothing_but_show(desk: Desk) -> None:
    hostile = "over\x1b[2Jwritten \x07\u202egnol"
    desk.world.ok("todo_write", session="main", items=[hostile])
    with seated(gatepost("watch"), NO_COLOR="1") as seat:
        drawn = seat.until(lambda text: "live" in text and text.endswith("\x1b[J"))
    with piped() as process:
        assert process.stdout is not None
        process.stdout.readline()
        desk.world.ok("todo_write", session="main", items=[hostile, hostile])
        told = process.stdout.readline()

    Sheet(200).write(drawn)
    for text in (drawn, told):
        assert r"over\u001b[2Jwritten \u0007\u202egnol" in text
        assert not set(text) & set("\x07\u202e")
    assert "\x1b" not in told


def test_a_server_is_watched_like_a_store(desk: Desk, tmp_path: Path) -> None:
    task = desk.passkeys()
    token = tmp_path / "token"
    token.write_text(SECRET, encoding="ascii")
    with site(desk.world, token=SECRET) as there, piped("--url", there.url, "--token-file", str(token)) as process:
        first = line(process)
        desk.world.close(task, "s:0.s:1")
        then = [line(process) for _ in range(2)]

    assert first == [task, "·", "1/5", "done", "Passkey", "form"]
    assert then == [[task, "●", "in", "progress", "Draft"], [task, "✓", "done", "Styles"]]


def test_a_lost_server_is_said_to_be_lost_and_found_again_by_itself(desk: Desk) -> None:
    task = desk.passkeys()
    server = Server(desk.world.engine, ServerSettings(), 0)
    url = f"http://127.0.0.1:{server.port}"
    try:
        with seated(gatepost("watch", "--url", url, "--workspace", "acme/repo"), NO_COLOR="1") as seat:
            seat.until(lambda text: "· live" in text)
            server.stop()
            lost = seat.until(lambda text: "· lost at" in text)
            desk.world.close(task, "s:0.s:1")
            server = Server(desk.world.engine, ServerSettings(), server.port)
            found = seat.until(lambda text: "· live" in text[text.rindex("2/5") :] if "2/5" in text else False)
            found = found[len(lost) :]
    finally:
        server.stop()

    assert "2 done" in found
    assert "· live" in found[found.rindex("2/5") :]


def test_a_cut_in_a_pipe_is_told_on_stderr_and_nothing_is_told_twice(desk: Desk) -> None:
    task = desk.passkeys()
    server = Server(desk.world.engine, ServerSettings(), 0)
    try:
        with piped("--url", f"http://127.0.0.1:{server.port}") as process:
            assert process.stderr is not None
            line(process)
            server.stop()
            said = process.stderr.readline()
            server = Server(desk.world.engine, ServerSettings(), server.port)
            desk.world.ok("tasks_block", task=task, path="s:1", reason="so")
            then = line(process)
    finally:
        server.stop()

    assert said == "gatepost: connection lost; trying again\n"
    assert then == [task, "■", "blocked", "Wire", "(so)"]


def test_a_server_that_is_not_there_or_says_no_is_told_in_words(desk: Desk) -> None:
    desk.passkeys()
    with site(desk.world, token=SECRET) as there:
        refused = desk.here("watch", "--url", there.url, "--workspace", "acme/repo")
        asked = desk.here("watch", "--url", there.url)
    gone = desk.here("watch", "--url", there.url, "--workspace", "acme/repo")

    assert (refused.code, asked.code, gone.code) == (5, 5, 1)
    assert "token" in refused.err
    assert "does not answer" in gone.err
    assert "gatepost up" in gone.err


def test_a_server_that_is_bound_to_a_workspace_is_watched_there(desk: Desk) -> None:
    desk.passkeys()
    desk.world.ok("tasks_create", workspace="other/one", kind="task", title="x")
    server = Server(desk.world.engine, ServerSettings(bound="acme/repo"), 0)
    try:
        with piped("--url", f"http://127.0.0.1:{server.port}") as process:
            assert "TASK-001" in " ".join(line(process))
    finally:
        server.stop()


def test_a_server_with_several_workspaces_asks_which(desk: Desk) -> None:
    desk.passkeys()
    desk.world.ok("tasks_create", workspace="other/one", kind="task", title="x")
    with site(desk.world) as there:
        ran = desk.here("watch", "--url", there.url)

    assert ran.code == 2
    assert "acme/repo, other/one" in ran.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--lines", "2"), 2),
        (("--lines", "x"), 2),
        (("--token-file", "f"), 2),
        (("--url", "ftp://x"), 2),
        (("--url", "http://[::1"), 2),
        (("--url", "http://127.0.0.1:4870", "--store", "x.db"), 2),
        (("--url", "http://127.0.0.1:4870", "--token-file", "nowhere"), 2),
        (("--scope", "no good name"), 2),
        (("--scope", "PLAN-001"), 2),
        (("--store", "nowhere.db"), 3),
    ],
)
def test_what_cannot_be_watched_is_refused_with_a_way_out(desk: Desk, words: tuple[str, ...], code: int) -> None:
    desk.passkeys()

    ran = desk.here("watch", *words)

    assert ran.code == code, ran
    assert len(ran.err.splitlines()) >= 2
    assert "Traceback" not in ran.err


def test_watching_writes_nothing(desk: Desk) -> None:
    desk.passkeys()
    before = desk.world.everything()
    with piped() as process:
        line(process)

    assert desk.world.everything() == before


@pytest.mark.parametrize("words", [(), ("--json",)], ids=["lines", "json"])
def test_a_reader_that_leaves_ends_it_though_nothing_changes(desk: Desk, words: tuple[str, ...]) -> None:
    desk.passkeys()
    with piped(*words) as process:
        line(process)
        assert process.stdout is not None
        process.stdout.close()

        assert process.stderr is not None
        err = process.stderr.read()

        assert (process.wait(PATIENCE), err) == (141, "")


def test_a_reader_that_leaves_ends_it_on_a_server_too(desk: Desk) -> None:
    desk.passkeys()
    with site(desk.world) as there, piped("--url", there.url) as process:
        line(process)
        assert process.stdout is not None
        process.stdout.close()

        assert process.stderr is not None
        assert (process.stderr.read(), process.wait(PATIENCE)) == ("", 141)


def test_a_reader_that_leaves_while_a_connection_is_lost_ends_it_too(desk: Desk) -> None:
    desk.passkeys()
    server = Server(desk.world.engine, ServerSettings(), 0)
    with piped("--url", f"http://127.0.0.1:{server.port}") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line(process)
        server.stop()
        assert "lost" in process.stderr.readline()

        process.stdout.close()

        assert (process.stderr.read(), process.wait(PATIENCE)) == ("", 141)


@pytest.mark.parametrize("words", ["watch", "watch --json", "log --follow"])
def test_without_an_output_it_says_so_and_ends(desk: Desk, words: str) -> None:
    desk.passkeys()
    line_ = " ".join(gatepost(*words.split())) + " >&-"

    done = subprocess.run(["sh", "-c", line_], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)

    assert done.returncode == 1
    assert "internal error" not in done.stderr
    assert "--json" in words or "standard output is closed" in done.stderr


@pytest.mark.parametrize("scope", ["NOPE", "TASK-099"])
@pytest.mark.parametrize("served", [False, True], ids=["store", "server"])
def test_of_a_list_that_is_not_there_yet_it_is_said_that_it_is_waited_for(
    desk: Desk, scope: str, *, served: bool
) -> None:
    desk.passkeys()
    server = Server(desk.world.engine, ServerSettings(), 0)
    try:
        url = ("--url", f"http://127.0.0.1:{server.port}") if served else ()
        with piped("--scope", scope, *url) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == f"gatepost: there is no list {scope} yet; waiting for it\n"
            if scope == "NOPE":
                desk.world.ok("todo_write", session="NOPE", items=["buy milk"])
                assert line(process) == ["NOPE", "·", "0/1", "done"]
    finally:
        server.stop()


def test_a_terminal_says_that_a_list_is_waited_for_until_it_is_there(desk: Desk) -> None:
    desk.passkeys()
    with seated(gatepost("watch", "--scope", "NOPE"), NO_COLOR="1") as seat:
        before = seat.until(lambda text: "there is no list NOPE yet" in text and text.endswith("\x1b[J"))
        desk.world.ok("todo_write", session="NOPE", items=["buy milk"])
        after = seat.until(lambda text: "buy milk" in text and text.endswith("\x1b[J"))[len(before) :]

    assert "there is no list" not in after


def test_a_new_reason_is_shown_in_place_of_the_one_before(desk: Desk) -> None:
    task = desk.passkeys()
    with seated(gatepost("watch"), NO_COLOR="1") as seat:
        seat.until(lambda text: "Deploy (staging is down)" in text)
        desk.world.ok("tasks_block", task=task, path="s:2", reason="waits for Ada")
        seat.until(lambda text: "Deploy (waits for Ada)" in text)
