"""Edits a text in the person's own editor. The text stays in a file until it is sent or discarded."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from textual.app import App, SuspendNotSupported

_USUAL: Final = "vi"
_CHOOSE: Final = "Set EDITOR to your editor, for example EDITOR=nano or EDITOR='code --wait'."


class UnsentText(NamedTuple):
    """A text that was not sent: the revision it is based on, and its file."""

    text: str
    revision: int
    file: Path

    def reread(self) -> "UnsentText":
        """The same with the file's current text. Raises `EditorError` if it cannot be read."""
        try:
            with self.file.open(encoding="utf-8", newline="") as file:
                return self._replace(text=file.read())
        except (OSError, UnicodeDecodeError) as error:
            raise EditorError(f"{self.file} cannot be read as UTF-8 text ({error}).") from None

    def forget(self) -> None:
        """Remove the file: the text was sent or discarded."""
        shutil.rmtree(self.file.parent, ignore_errors=True)


class EditorError(Exception):
    """The editor could not be run, or left no usable text."""


def begin(name: str, text: str, revision: int) -> UnsentText:
    """A private file with the text to start from. Raises `EditorError`."""
    try:
        file = Path(tempfile.mkdtemp(prefix="gatepost-")) / f"{name}.md"
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise EditorError(
            f"Cannot create a file to edit ({error}). Set TMPDIR to a folder with free space."
        ) from None
    return UnsentText(text, revision, file)


def edit(app: App[Any], draft: UnsentText) -> UnsentText:
    """Hand the terminal to the editor, and take the text that it leaves. Raises `EditorError`."""
    words = _editor()
    try:
        with _handed_over(app):
            ended = subprocess.run([*words, str(draft.file)], check=False)  # noqa: S603 - their own editor
    except SuspendNotSupported:
        raise EditorError("This terminal cannot run an editor.") from None
    except OSError as error:
        raise EditorError(f"Cannot start {shlex.join(words)} ({error.strerror}). {_CHOOSE}") from None
    if ended.returncode:
        raise EditorError(f"The editor exited with code {ended.returncode}. Nothing was sent.")
    return draft.reread()


def _editor() -> list[str]:
    """The editor's command with its arguments."""
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip() or _USUAL
    try:
        return shlex.split(chosen)
    except ValueError as error:
        raise EditorError(f"EDITOR is not a valid command: {chosen} ({error}). {_CHOOSE}") from None


@contextmanager
def _handed_over(app: App[Any]) -> Iterator[None]:
    """The terminal in its normal mode. Textual takes it back only if nothing is raised, so errors come later.

    Ctrl+C is meant for the editor. The terminal signals both of us, so we ignore it.
    """
    raised: BaseException | None = None
    with app.suspend():
        # A handler and not `SIG_IGN`, which the editor would inherit.
        before = signal.signal(signal.SIGINT, lambda _signum, _frame: None)
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - raised again, once the terminal is ours
            raised = error
        finally:
            signal.signal(signal.SIGINT, before)
            _forget_typed()
    if raised is not None:
        raise raised


def _forget_typed() -> None:
    """Discard keys that were typed while an editor with its own window was open."""
    if sys.__stdin__ is not None and sys.__stdin__.isatty():
        termios.tcflush(sys.__stdin__, termios.TCIFLUSH)
