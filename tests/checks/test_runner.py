"""A check runs without a shell, where it should, with what it needs, and its result says what happened."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from gatepost.checks.runner import open_folder, run
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal
from tests.checks.programs import marked, python, running, shell

PASSWORD_URL = "http://someone:Tq8vRz2LmXw94KdPnB6c@proxy.example:3128"  # noqa: S105 - invented
LIMITS = """
import resource
print([resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA)])
"""


def test_a_check_that_ends_as_it_should_passes(tmp_path: Path) -> None:
    result = run(shell("echo out; echo err >&2"), str(tmp_path))

    assert (result.passed, result.exit_code, result.problem, result.cut) == (True, 0, None, 0)
    assert result.output == "out\nerr\n"
    assert result.seconds > 0


def test_another_exit_code_fails_unless_it_is_the_one_expected(tmp_path: Path) -> None:
    failed = run(shell("exit 3"), str(tmp_path))
    passed = run(shell("exit 3", exit_code=3), str(tmp_path))

    assert (failed.passed, failed.exit_code) == (False, 3)
    assert failed.problem == "It ended with exit code 3; 0 was expected."
    assert (passed.passed, passed.exit_code, passed.problem) == (True, 3, None)


def test_the_whole_output_is_searched_for_what_is_expected_even_where_it_is_not_kept(tmp_path: Path) -> None:
    script = "seq 100000; echo 'needle \x1b[1m42\x1b[0m'; seq 100000"

    found = run(shell(script, expect=r"^needle \d+$"), str(tmp_path))
    missed = run(shell(script, expect=r"^needle \d{3}$"), str(tmp_path))

    assert found.passed
    assert "needle" not in found.output
    assert found.cut > 0
    assert (missed.passed, missed.exit_code) == (False, 0)
    assert missed.problem == "The output does not match `expect`."


def test_no_shell_reads_the_words(tmp_path: Path) -> None:
    result = run(Check(run=("echo", "$HOME; touch made", "|", "*")), str(tmp_path))

    assert result.output == "$HOME; touch made | *\n"
    assert list(tmp_path.iterdir()) == []


def test_a_check_gets_what_tools_need_and_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"VIRTUAL_ENV": "/some/venv", "LC_TIME": "C", "NO_PROXY": "localhost", "GOPATH": "/some/go"}
    secret = {"GITHUB_TOKEN": "a", "AWS_PROFILE": "b", "OPENAI_API_KEY": "c", "GATEPOST_ACTOR": "human:boss"}
    unsafe = {"LD_PRELOAD": "", "GIT_DIR": "/x", "PYTEST_ADDOPTS": "-x", "SSH_AUTH_SOCK": "/y", "BASH_ENV": "/z"}
    for name, value in {**kept, **secret, **unsafe, "HTTPS_PROXY": PASSWORD_URL}.items():
        monkeypatch.setenv(name, value)

    result = run(Check(run=("env",)), str(tmp_path))

    seen = dict(line.split("=", 1) for line in result.output.splitlines())
    assert kept.items() <= seen.items()
    assert seen["CI"] == "true"
    assert seen["TERM"] == "dumb"
    assert seen["PATH"] == os.environ["PATH"]
    assert not seen.keys() & {*secret, *unsafe, "HTTPS_PROXY"}


def test_a_check_runs_in_the_root_or_in_a_folder_below_it(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)

    assert run(Check(run=("pwd", "-P")), str(tmp_path)).output == f"{tmp_path.resolve()}\n"
    assert run(Check(run=("pwd", "-P"), cwd="a/b"), str(tmp_path)).output == f"{tmp_path.resolve()}/a/b\n"


@pytest.mark.parametrize(
    "cwd", ["..", "../elsewhere", "/", "link", "link/inside", "file", "missing", "a\0b", ".git/x"]
)
def test_a_folder_that_is_not_below_the_root_is_refused_and_nothing_runs(tmp_path: Path, cwd: str) -> None:
    (tmp_path / "elsewhere/inside").mkdir(parents=True)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "elsewhere")
    (root / "file").touch()
    mark = tmp_path / "ran"

    with pytest.raises(Refusal):
        open_folder(str(root), cwd)
    result = run(Check(run=("touch", str(mark)), cwd=cwd), str(root))

    assert (result.passed, result.exit_code) == (False, None)
    assert result.problem
    assert not mark.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such-program",), "`no-such-program` was not found"),
        (("./plain",), "`./plain` cannot be executed"),
        (("./folder",), "`./folder` cannot be executed: it is a directory"),
        (("./plain/below",), "`./plain/below` was not found"),
        (("./no-first-line",), "`./no-first-line` is not a program"),
        (("./bad-interpreter",), "the interpreter in its first line was not"),
        (("echo", "a\0b"), "such as NUL"),
        (("echo", "\ud800"), "such as NUL"),
        (("echo", "x" * 1_000_000), "longer than this system allows"),
        (("echo", *(["word" * 100] * 20_000)), "longer than this system allows"),
        (("",), "was not found"),
        ((), "was not found"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_command_that_cannot_start_is_reported(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / "folder").mkdir()
    for name, content in (("no-first-line", "echo hi\n"), ("bad-interpreter", "#!/no/such/thing\n")):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o755)

    result = run(Check(run=words), str(tmp_path))

    assert (result.passed, result.exit_code, result.output) == (False, None, "")
    assert said in (result.problem or "")


def test_a_check_has_no_input_no_terminal_and_default_signals(tmp_path: Path) -> None:
    script = "cat; test -t 0 || echo no terminal; (: </dev/tty) 2>/dev/null || echo none; yes | head -n 1"

    result = run(shell(script), str(tmp_path))

    assert (result.passed, result.output) == (True, "no terminal\nnone\ny\n")


def test_output_comes_while_the_check_runs(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    heard = list[bytes]()

    def said(data: bytes) -> None:
        heard.extend([data] if data else [])
        if heard == [b"one\n"]:
            go.write_text("on\n")  # the check waits for this

    result = run(shell("echo '\x1b[31mone\x1b[0m'; cat go"), str(tmp_path), said)

    assert heard[0] == b"one\n"
    assert b"".join(heard).decode() == result.output == "one\non\n"


def test_a_cancelled_check_ends_and_leaves_nothing_running(tmp_path: Path) -> None:
    mark, cancelled = marked(), Event()

    def said(data: bytes) -> None:
        if data:
            cancelled.set()

    result = run(shell("sleep 1000 & echo ready; wait", mark), str(tmp_path), said, cancelled=cancelled)

    assert (result.passed, result.exit_code, result.problem) == (False, None, "It was cancelled.")
    assert result.output == "ready\n"
    assert running(mark) == []


def test_an_exception_in_the_listener_ends_the_check(tmp_path: Path) -> None:
    mark = marked()

    def said(_: bytes) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run(shell("echo ready; sleep 1000", mark), str(tmp_path), said)

    assert running(mark) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_running_when_gatepost_itself_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    mark = marked()
    words = ("sh", "-c", "export MARK=$0; echo ready; setsid sleep 1000", mark)
    program = (
        "from gatepost.checks.runner import run; from gatepost.domain.checks import Check\n"
        f"run(Check(run={words}), {str(tmp_path)!r}, lambda data: data and print(data.decode(), flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as gatepost:
        assert gatepost.stdout
        assert gatepost.stdout.readline() == b"ready\n"
        assert running(mark)

        gatepost.send_signal(number)

        assert gatepost.wait(60) != 0
    until = time.monotonic() + 60
    while running(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert running(mark) == []


def test_checks_run_side_by_side_in_threads_and_leak_no_descriptors(tmp_path: Path) -> None:
    mark = marked()

    def one(number: int) -> str:
        return run(shell(f"echo {number}; setsid sleep 1000 &", mark), str(tmp_path)).output.splitlines()[0]

    one(0)
    before = _descriptors()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(one, range(16)))
    run(Check(run=("a\0b",)), str(tmp_path))
    run(Check(run=("true",), cwd="missing"), str(tmp_path))

    assert found == [str(number) for number in range(16)]
    assert _descriptors() == before
    assert running(mark) == []


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_the_limits_hold_for_the_check_and_not_for_gatepost(tmp_path: Path) -> None:
    result = run(python(LIMITS), str(tmp_path))

    core, file_size, memory = (int(number) for number in result.output.strip("[]\n").split(","))
    assert core == 0
    assert file_size == 4 * 2**30
    assert 0 < memory < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
