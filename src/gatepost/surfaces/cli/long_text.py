"""A text for a command: as it was typed, from stdin, or from the person's editor."""

from __future__ import annotations

import sys

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.questions import line, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

STDIN = "-"
_EMPTY = ("the text is empty", "Nothing was changed.")


def send_text(
    options: Namespace, typed: str | None, what: str, send: Callable[[str], None], choices: Sequence[str] = ()
) -> None:
    """Send the text that was typed; where it is missing, the one that the person types now or in the editor.

    What was typed in the editor is kept in a file if it cannot be sent. `what` is the argument's name. The person
    can also type the number of one of the choices.
    """
    if typed == STDIN:
        send(_filled(_read_stdin()))
        return
    if typed is None and not options.edit:
        require(options, what)
        typed = _choice(line(f"{what.capitalize()} (Enter opens your editor)"), choices) or None
    if typed is not None and not options.edit:
        send(typed)
        return
    from gatepost.surfaces.cli.text_editor import read_text, run_editor, sheet

    with sheet(f"{what.lower()}.md", typed or "") as path:
        run_editor(path)
        send(_filled(read_text(path)))


def _choice(typed: str, choices: Sequence[str]) -> str:
    numbered = {str(number): choice for number, choice in enumerate(choices, 1)}
    return typed if typed in choices else numbered.get(typed, typed)


def _read_stdin() -> str:
    if sys.stdin is None:
        raise BadUsage("stdin is closed", "Pipe the text into the command, or type it as an argument.")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadUsage(f"stdin is not UTF-8 (at byte {error.start})", "Convert it to UTF-8.") from None


def _filled(text: str) -> str:
    """The text without the newline that editors and `echo` end it with."""
    text = text.removesuffix("\n").removesuffix("\r")
    if not text.strip():
        raise BadUsage(*_EMPTY)
    return text
