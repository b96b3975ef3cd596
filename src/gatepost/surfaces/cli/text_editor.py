"""The person's own editor, on a private file that is kept if what was typed into it was not saved elsewhere."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Final

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import Refusal
from gatepost.surfaces.cli.errors import FAULT, BadUsage, CommandError
from gatepost.surfaces.terminal import Terminal

_CHOOSE: Final = "Set VISUAL or EDITOR, for example EDITOR=nano or EDITOR='code --wait'."


@contextmanager
def sheet(name: str, text: str) -> Iterator[str]:
    """A private file with a text, gone afterwards; but kept, and named, if what was typed into it was not saved."""
    folder = _private_folder()
    path = os.path.join(folder, name)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(text.encode())
        yield path
    except BaseException as error:
        if _typed(path, text):
            _tell_kept(error, path)
        else:
            rmtree(folder, ignore_errors=True)
        raise
    rmtree(folder, ignore_errors=True)


def _private_folder() -> str:
    above = os.path.realpath(gettempdir())
    if any(map(closed, above.split(os.sep))):
        raise BadUsage(
            f"{above} is not a place for a temporary file", "Set TMPDIR to a folder outside of packages."
        )
    return mkdtemp(prefix="gatepost-", dir=above)


def _typed(path: str, text: str) -> bool:
    """Whether the file holds something that is nowhere else."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    return bool(data.strip()) and data != text.encode()


def _tell_kept(error: BaseException, path: str) -> None:
    if isinstance(error, Refusal):
        error.recovery += f" Your text is saved in {path}"
        error.details["kept"] = path
    elif isinstance(error, CommandError):
        error.error |= {"recovery": f"{error.error['recovery']} Your text is saved in {path}", "kept": path}
    elif sys.stderr is not None:
        terminal = Terminal(sys.stderr)
        terminal.say(terminal.clean(f"gatepost: your text is saved in {path}"))


def run_editor(path: str) -> None:
    """Let the person edit a file, until the editor ends."""
    words = _editor()
    try:
        process = subprocess.Popen([*words, path])  # noqa: S603 - the person's own choice of editor
    except OSError as error:
        raise BadUsage(f"the editor {words[0]} cannot be started: {error.strerror}", _CHOOSE) from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the editor's: it is in front
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        said = f"the editor {words[0]} failed with exit code {code}; nothing was changed"
        raise CommandError(FAULT, {"code": "EDITOR_FAILED", "message": said, "recovery": _CHOOSE})


def _editor() -> list[str]:
    """The editor's words: it may have arguments."""
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not chosen:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            raise BadUsage("no editor is set, and there is no terminal for vi", _CHOOSE)
        return ["vi"]
    try:
        return shlex.split(chosen)
    except ValueError as error:
        raise BadUsage(f"the editor {chosen} cannot be read as a command: {error}", _CHOOSE) from None


def read_text(path: str) -> str:
    """What the editor saved."""
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except FileNotFoundError:
        raise BadUsage("the editor left no file; nothing was changed", "Save it under the same name.") from None
    except UnicodeDecodeError as error:
        raise BadUsage(
            f"the saved text is not UTF-8 (at byte {error.start}); nothing was changed",
            "Set your editor to UTF-8.",
        ) from None
