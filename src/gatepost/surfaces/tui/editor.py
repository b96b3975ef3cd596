"""A text in the person's own editor. What was written is in a file until it was sent, or let go."""

import difflib
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
from weakref import WeakKeyDictionary

from textual.app import App, SuspendNotSupported

from gatepost.surfaces.tui.widgets.text_view import TextLine, diff_lines, text_lines

_USUAL: Final = "vi"
_CHOOSE: Final = "Set EDITOR to one that can, as in EDITOR=nano or EDITOR='code --wait'."


class UnsentText(NamedTuple):
    """A text that was written and not sent: on which revision it stands, and the file that has it."""

    text: str
    revision: int
    file: Path

    def reread(self) -> "UnsentText":
        """The same with the text that its file has by now. Raises `EditorError` where that is none."""
        try:
            with self.file.open(encoding="utf-8", newline="") as file:
                return self._replace(text=file.read())
        except (OSError, UnicodeDecodeError) as error:
            raise EditorError(f"{self.file} cannot be read as UTF-8 text ({error}).") from None

    def forget(self) -> None:
        """It was sent, or let go: the file goes."""
        shutil.rmtree(self.file.parent, ignore_errors=True)


_unsent: WeakKeyDictionary[App[Any], dict[tuple[str, str], UnsentText]] = WeakKeyDictionary()


def unsent(app: App[Any]) -> dict[tuple[str, str], UnsentText]:
    """What was written and not sent, by taskdoc and section. It lives as long as the application does."""
    return _unsent.setdefault(app, {})


class EditorError(Exception):
    """There was no editing, or it came to nothing."""


def begin(name: str, text: str, revision: int) -> UnsentText:
    """A file of one's own, for nobody else to read, with a text to begin with. Raises `EditorError`."""
    try:
        file = Path(tempfile.mkdtemp(prefix="gatepost-")) / f"{name}.md"
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise EditorError(f"There is no file to edit it in ({error}). Set TMPDIR to a folder with room.") from None
    return UnsentText(text, revision, file)


def edit(app: App[Any], draft: UnsentText) -> UnsentText:
    """Hand the terminal to the editor, and take the text that it leaves. Raises `EditorError`."""
    words = _editor()
    try:
        with _handed_over(app):
            ended = subprocess.run([*words, str(draft.file)], check=False)  # noqa: S603 - their own editor
    except SuspendNotSupported:
        raise EditorError("This terminal cannot be handed to an editor.") from None
    except OSError as error:
        raise EditorError(f"{shlex.join(words)} could not be started ({error.strerror}). {_CHOOSE}") from None
    if ended.returncode:
        raise EditorError(f"The editor ended with {ended.returncode}, so nothing was sent.")
    return draft.reread()


def _editor() -> list[str]:
    """The editor's words: it may have arguments."""
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip() or _USUAL
    try:
        return shlex.split(chosen)
    except ValueError as error:
        raise EditorError(f"The editor {chosen} cannot be read as a command ({error}). {_CHOOSE}") from None


@contextmanager
def _handed_over(app: App[Any]) -> Iterator[None]:
    """The terminal as others know it. Textual takes it back only if nothing is raised, so that is held until then.

    Who presses Ctrl-C means the editor, which is in front: it is told by the terminal, as we are.
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
    """What was typed while an editor was in front that reads no keys was meant for that one, and not for us."""
    if sys.__stdin__ is not None and sys.__stdin__.isatty():
        termios.tcflush(sys.__stdin__, termios.TCIFLUSH)


def warnings(draft: UnsentText) -> list[TextLine]:
    """What somebody should know before this text is sent."""
    if not draft.text.strip():
        return text_lines(
            "The text is empty: sending it empties the section. Its history keeps what it was.", "bad"
        )
    return []


def changes(before: str, after: str) -> list[TextLine]:
    """How a text becomes another."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "as it is", "as you wrote it", lineterm=""
    )
    return diff_lines("\n".join(lines)) if before != after else [TextLine("They are the same.", "dim")]
