"""Hostile checks: each is bounded and reported, and nothing is left running."""

import sys
from pathlib import Path
from threading import Event

import pytest

from gatepost.checks import supervision
from gatepost.checks.runner import run
from gatepost.checks.supervision import Limits
from tests.checks.programs import marked, python, running, shell

SMALL = Limits(memory=512 * 2**20, file_size=2**20, processes=40, output=4 * 2**20)
BOMB = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
until = time.monotonic() + 120  # if the limits fail, the machine must not
def breed(depth):
    for _ in range(2):
        if depth and not os.fork():
            {each}
            breed(depth - 1)
    while time.monotonic() < until:
        time.sleep(0.01)
    os._exit(0)
breed(8)
"""
DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for number in range(3):
            os.close(number)
        if {wiped}:
            os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)", sys.argv[1]], {{}})
        time.sleep(1000)
    os._exit(0)
os.wait()
"""
SECRET = "ghp_" + "R7w2KqLz9XvB4nTfHs6YpDc1JmGa8E0uQiZx"
KEY_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB"


@pytest.mark.parametrize("each", ["pass", "os.setsid()"], ids=["one group", "a session each"])
def test_a_fork_bomb_is_stopped_at_the_limit(tmp_path: Path, each: str) -> None:
    mark = marked()

    result = run(python(BOMB.format(each=each), mark), str(tmp_path), limits=SMALL)

    assert (result.passed, result.exit_code) == (False, None)
    assert result.problem == "It started more than 40 processes and was stopped."
    assert running(mark) == []


def test_a_chain_of_processes_that_each_end_at_once_is_stopped(tmp_path: Path) -> None:
    mark = marked()
    chain = (
        "import os, time\n"
        "until = time.monotonic() + 120\n"
        "while time.monotonic() < until:\n"
        "    os.fork() and os._exit(0)"
    )

    result = run(python(chain, mark), str(tmp_path))

    # The check itself ends at once; what it left runs from process to process until it is caught.
    assert "[Processes left running, now stopped: " in result.output
    assert running(mark) == []


def test_endless_output_is_cut_and_stopped(tmp_path: Path) -> None:
    mark = marked()

    result = run(shell("yes some line of output & yes another one", mark), str(tmp_path), limits=SMALL)

    assert result.problem == "It printed more than 4,194,304 bytes and was stopped."
    assert len(result.output) < 140_000
    assert result.cut > 4_000_000
    assert running(mark) == []


def test_output_without_line_ends_is_bounded_too(tmp_path: Path) -> None:
    result = run(shell("yes | tr -d '\\n'", expect="nothing such"), str(tmp_path), limits=SMALL)

    assert result.problem == "It printed more than 4,194,304 bytes and was stopped."
    assert len(result.output) < 140_000


def test_a_check_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    mark, cancelled = marked(), Event()
    check = shell("trap '' TERM INT HUP; echo ready; while :; do sleep 1; done", mark)

    result = run(check, str(tmp_path), lambda _: cancelled.set(), cancelled=cancelled)

    assert (result.passed, result.exit_code, result.output) == (False, None, "ready\n")
    assert running(mark) == []


def test_a_check_that_is_asked_to_end_may_clean_up(tmp_path: Path) -> None:
    cancelled = Event()
    check = shell("trap 'echo bye; exit 0' TERM; sleep 1000 & echo ready; wait")

    result = run(check, str(tmp_path), lambda _: cancelled.set(), cancelled=cancelled)

    assert (result.passed, result.exit_code, result.output) == (False, None, "ready\nbye\n")


def test_a_check_that_reads_its_input_gets_none(tmp_path: Path) -> None:
    assert run(python("import sys; print(repr(sys.stdin.read()))"), str(tmp_path)).output == "''\n"


def test_a_check_that_deletes_its_folder_is_reported_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()

    result = run(shell("rm -rf ../work; echo gone; exit 4", cwd="work"), str(tmp_path))

    assert (result.exit_code, result.output) == (4, "gone\n")
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("wiped", [False, True], ids=["as it is", "with an empty environment"])
def test_a_daemon_that_forks_twice_is_stopped_and_mentioned(tmp_path: Path, wiped: bool) -> None:
    mark = marked()

    result = run(python(DAEMON.format(wiped=wiped), mark), str(tmp_path))

    assert (result.passed, result.exit_code) == (True, 0)
    assert result.output == "\n[Processes left running, now stopped: 1]\n"
    assert running(mark) == []


@pytest.mark.parametrize(
    "script",
    ["kill -9 $PPID; sleep 1000", "setsid sleep 1000 & kill -9 $PPID", "kill -15 $PPID; kill -2 $PPID; exit 5"],
)
def test_a_check_that_attacks_its_supervisor_gains_nothing(tmp_path: Path, script: str) -> None:
    mark = marked()

    result = run(shell(script, mark), str(tmp_path))

    assert not result.passed
    assert result.problem in (
        "It killed the process that supervised it, and was stopped.",
        "It ended with exit code 5; 0 was expected.",
    )
    assert running(mark) == []


def test_a_check_that_stops_its_supervisor_is_ended_in_time(tmp_path: Path) -> None:
    mark = marked()

    result = run(shell("kill -STOP $PPID; sleep 1000", mark, timeout_s=1), str(tmp_path))

    assert result.problem == "It ran longer than 1 s and was stopped."
    assert running(mark) == []


def test_a_supervisor_that_the_check_never_lets_run_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "PATIENCE", 1)
    mark = marked()
    script = "while kill -STOP $PPID; do :; done & while kill -STOP $PPID; do :; done & setsid sleep 1000"

    result = run(shell(script, mark, timeout_s=1), str(tmp_path))

    assert result.problem == "It ran longer than 1 s and was stopped."
    assert running(mark) == []


def test_terminal_escapes_and_invalid_bytes_are_removed_from_what_is_kept_and_heard(tmp_path: Path) -> None:
    heard = list[bytes]()
    printed = (
        rb"\033]0;title\007\033[2J\033[31mred\033[0m\r\nba\010d\033P1;2q\033\\ \377 \302\2331m\342\200\256x\rz\000"
    )

    result = run(shell(f"printf '{printed.decode()}'"), str(tmp_path), heard.append)

    assert result.output == "red\nbad � x\nz"
    assert b"".join(heard).decode() == result.output


def test_secrets_in_the_output_are_redacted(tmp_path: Path) -> None:
    result = run(shell("echo $1; echo and more", SECRET), str(tmp_path))

    assert SECRET not in result.output
    assert result.output.startswith("[redacted: ")
    assert result.output.endswith("]\nand more\n")


def test_a_private_key_across_a_cut_is_not_kept(tmp_path: Path) -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *[KEY_LINE] * 25, "-----END PRIVATE KEY-----"]
    code = (
        "import sys\nkey = sys.argv[1] + '\\n'\nprint('a' * 31_000 + '\\n' + key + 'line\\n' * 100_000 + key"
        " + 'z' * 97_000)"
    )

    result = run(python(code, "\n".join(lines)), str(tmp_path))

    assert result.cut > 0
    assert KEY_LINE not in result.output
    assert result.output.count("[redacted: private key]") == 2


def test_a_file_that_grows_too_large_ends_the_check(tmp_path: Path) -> None:
    result = run(shell("exec cat /dev/zero > filled"), str(tmp_path), limits=SMALL)

    assert (result.passed, result.exit_code) == (False, None)
    assert result.problem == "It was ended by SIGXFSZ: a file became larger than 1,048,576 bytes."
    assert (tmp_path / "filled").stat().st_size == SMALL.file_size


def test_memory_is_limited(tmp_path: Path) -> None:
    result = run(python("x = bytearray(2 ** 30)"), str(tmp_path), limits=SMALL)

    assert (result.passed, result.exit_code) == (False, 1)
    assert "MemoryError" in result.output


def test_a_check_that_says_nothing_at_all_ends_in_time(tmp_path: Path) -> None:
    mark = marked()

    result = run(shell("exec >&- 2>&-; sleep 1000", mark, timeout_s=1), str(tmp_path))

    assert (result.output, result.problem) == ("", "It ran longer than 1 s and was stopped.")
    assert running(mark) == []


def test_a_lie_on_the_status_pipe_is_no_result(tmp_path: Path) -> None:
    lie = (
        "import os, sys\nbelow = f'/proc/{os.getppid()}/fd'\n"
        "for name in os.listdir(below):\n"
        "    try:\n"
        "        file = os.open(f'{below}/{name}', os.O_WRONLY | os.O_NONBLOCK)\n"
        "        os.write(file, b'\\nended 0\\nended x\\n\\xff\\xff\\n')\n"
        "    except OSError:\n"
        "        pass\n"
        "sys.exit(7)"
    )

    result = run(python(lie), str(tmp_path))

    assert not result.passed


def test_the_programs_of_these_tests_are_found_while_they_run(tmp_path: Path) -> None:
    """Else all these tests would pass for nothing."""
    mark, found = marked(), list[int]()

    run(
        python("import time; print('up', flush=True); time.sleep(1)", mark),
        str(tmp_path),
        lambda _: found.extend(running(mark)),
    )

    assert len(found) >= 2, sys.platform
