"""Runs one check: without a shell, in a clean environment, under limits, and leaves nothing running."""

import errno
import os
import re
import selectors
import signal
import time
from typing import Final

from gatepost.checks.output import Excerpt, Expectation, LiveLines, PlainText
from gatepost.checks.supervision import Limits, Supervision, read
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal
from gatepost.engine.checks import Cancellation, CheckRun, Said
from gatepost.files.no_follow import closing
from gatepost.files.paths import segments
from gatepost.files.root_directory import RootDirectory

_LIMITS: Final = Limits()
_LOOK: Final = 0.1
_NOT_STARTED: Final = {
    errno.ENOENT: "`{}` was not found, or the interpreter in its first line was not. Install it, or correct `run`.",
    errno.ENOTDIR: "`{}` was not found. Correct the first word of `run`.",
    errno.EACCES: "`{}` cannot be executed: it is a directory, or its permissions do not allow it.",
    errno.ENOEXEC: "`{}` is not a program. A script needs a first line such as `#!/bin/sh`.",
    errno.E2BIG: "The command is longer than this system allows. Put its arguments into a file.",
}
_SIGNALS: Final[dict[int, str]] = {
    signal.SIGXFSZ: "a file became larger than {0.file_size:,} bytes",
    signal.SIGKILL: "the system may have run out of memory",
}

_line = re.compile(rb"^([a-z]+) (-?[0-9]{1,9})$", re.MULTILINE)


def open_folder(root: str, cwd: str | None) -> int:
    """The folder that a check runs in, as a descriptor. Refuses one outside of the root, and one behind a link."""
    at = segments(cwd or ".", field="cwd")
    directory = RootDirectory(root)
    try:
        return directory.held(directory.meant(at, "cwd"))
    finally:
        directory.close()


def run(
    check: Check,
    root: str,
    said: Said | None = None,
    *,
    cancelled: Cancellation | None = None,
    limits: Limits = _LIMITS,
) -> CheckRun:
    """Run a check to its end, or to its limits. `said` gets whole lines while it runs, without credentials.

    However this ends, by an exception too, nothing that the check started is left running.
    """
    report = _Report(check, said, limits)
    try:
        with closing(open_folder(root, check.cwd)) as folder:
            supervision = Supervision(check.run, folder, limits)
    except Refusal as refusal:
        return report.not_started(refusal.message)
    except ValueError:
        return report.not_started("A word of the command has a character that no command can contain, such as NUL.")
    except OSError as error:
        return report.not_started(_reason(check, error.errno))
    try:
        report.follow(supervision, cancelled)
    finally:
        supervision.end()
    return report.result()


class _Report:
    """What is known of a run so far."""

    def __init__(self, check: Check, said: Said | None, limits: Limits) -> None:
        self._check, self._said, self._limits = check, said, limits
        self._text, self._expected, self._excerpt = PlainText(), Expectation(check.expect), Excerpt()
        self._live = LiveLines()
        self._printed = 0
        self._status = b""
        self._stopped: str | None = None
        self._began = time.monotonic()

    def follow(self, supervision: Supervision, cancelled: Cancellation | None) -> None:
        """Read what the check prints until its supervisor is done. Stop a check at its limits."""
        with selectors.DefaultSelector() as pipes:
            pipes.register(supervision.status, selectors.EVENT_READ)
            pipes.register(supervision.output, selectors.EVENT_READ)
            while self._read(supervision, pipes) and not supervision.overdue:
                if self._stopped is None and (why := self._limit(cancelled)):
                    self._stopped = why
                    supervision.stop()
        while data := read(supervision.output):
            self._take(data)
        self._take(b"", last=True)

    def _read(self, supervision: Supervision, pipes: selectors.BaseSelector) -> bool:
        """Read what there is. Whether the supervisor goes on."""
        ready = pipes.select(_LOOK)
        if not ready and self._said is not None:
            self._said(b"")
        for key, _ in ready:
            data = read(key.fd)
            if key.fd == supervision.status:
                if not data:
                    return False
                self._status += data
            elif data:
                self._take(data)
            elif data is not None:
                pipes.unregister(key.fd)
        return True

    def _take(self, data: bytes, *, last: bool = False) -> None:
        self._printed += len(data)
        text = self._text.fed(data, last=last)
        self._expected.fed(text, last=last)
        self._excerpt.fed(text)
        if self._said is not None:
            self._said(self._live.fed(text, last=last).encode())

    def _limit(self, cancelled: Cancellation | None) -> str | None:
        """The limit that the check has reached."""
        if cancelled is not None and cancelled.is_set():
            return "It was cancelled."
        if time.monotonic() > self._began + self._check.timeout_s:
            return f"It ran longer than {self._check.timeout_s} s and was stopped."
        if self._printed > self._limits.output:
            return f"It printed more than {self._limits.output:,} bytes and was stopped."
        return None

    def not_started(self, problem: str) -> CheckRun:
        """The result of a check that never ran."""
        return CheckRun(passed=False, exit_code=None, seconds=0, output="", problem=problem)

    def result(self) -> CheckRun:
        """The result of a check that has ended."""
        told = {key.decode(): int(number) for key, number in _line.findall(self._status)}
        if "failed" in told:
            return self.not_started(_reason(self._check, told["failed"]))
        output, cut = self._excerpt.shown()
        if "left" in told:
            output += f"\n[Processes left running, now stopped: {told['left']}]\n"
        code = told.get("ended")
        problem = self._stopped or self._problem(code, crowded="crowded" in told)
        if self._stopped or "crowded" in told or (code is not None and code < 0):
            code = None
        seconds = round(time.monotonic() - self._began, 3)
        return CheckRun(problem is None, code, seconds, output, cut, problem)

    def _problem(self, code: int | None, *, crowded: bool) -> str | None:
        if crowded:
            return f"It started more than {self._limits.processes:,} processes and was stopped."
        if code is None:
            return "It killed the process that supervised it, and was stopped."
        if code < 0:
            hint = _SIGNALS.get(-code, "")
            return f"It was ended by {_name(-code)}" + (f": {hint.format(self._limits)}." if hint else ".")
        if code != self._check.exit_code:
            return f"It ended with exit code {code}; {self._check.exit_code} was expected."
        if not self._expected.met:
            return "The output does not match `expect`."
        return None


def _reason(check: Check, number: int | None) -> str:
    """Why a command could not be started."""
    words = _NOT_STARTED.get(number or 0, f"`{{}}` could not be started: {os.strerror(number or 0)}.")
    return words.format(check.run[0][:100] if check.run else "")


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
