"""Runs the application on a terminal: signals end it, and unsent texts are saved and listed."""

import asyncio
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from gatepost.surfaces.terminal import Terminal
from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.dialogs.dialog import BEING_SENT
from gatepost.surfaces.tui.fault_reports import REPORTS
from gatepost.surfaces.tui.session import TuiSession

_ENDED_BY: Final = 128
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PERHAPS: Final = "possibly sent"
_UNNAMED: Final = re.compile(r"[^A-Za-z0-9]+")


def show(app: GatepostApp) -> int:
    """Run the application until the person quits, then list what was not sent. Returns the exit code."""
    try:
        asyncio.run(_shown(app))
    finally:
        terminal = Terminal(sys.stderr)
        _tell(terminal, _texts(app.session))
        for fault in REPORTS.take():  # while it was shown, there was no place for them
            terminal.say(terminal.clean(fault, lines=True))
    return app.return_code or 0


async def _shown(app: GatepostApp) -> None:
    loop = asyncio.get_running_loop()
    with _signals_handled(lambda signum: loop.call_soon_threadsafe(app.leave, _ENDED_BY + signum)):
        await app.run_async()


@contextmanager
def _signals_handled(leave: Callable[[int], object]) -> Iterator[None]:
    """Signals that would end the process end the application instead."""

    def handle(signum: int, _frame: FrameType | None) -> None:
        if signum == signal.SIGHUP and not os.isatty(0):
            _do_without_terminal()
        leave(signum)

    # A signal that is ignored from the start, as under nohup, stays ignored.
    handled = [signum for signum in _SIGNALS if signal.getsignal(signum) is not signal.SIG_IGN]
    before = [(signum, signal.signal(signum, handle)) for signum in handled]
    try:
        yield
    finally:
        for signum, handler in before:
            signal.signal(signum, handler)


def _do_without_terminal() -> None:
    """The terminal is gone: discard what is still drawn. On an error Textual would wait forever."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.close(nowhere)


class _KeptText(NamedTuple):
    """A text that was not sent: its purpose, and the text or the file it is saved in."""

    about: str
    text: str = ""
    file: Path | None = None


def _texts(session: TuiSession) -> list[_KeptText]:
    """Everything that was typed and not sent. Calls without a reply may have been sent."""
    sections = [_KeptText(" ".join(key), file=draft.file) for key, draft in session.unsent.items()]
    typed = [_KeptText(_named(session, key), text) for key, text in session.drafts.items() if text.strip()]
    line = [_KeptText("the line", session.line)] if session.line.strip(": ") else []
    line += [_KeptText("a line set aside", text) for text, _ in session.set_aside.values()]
    returned = [_KeptText("an earlier line", text) for text in session.outbox.returned if text != session.line]
    sent = [_KeptText(f"a line, {_PERHAPS}", text) for text in session.outbox.lines]
    return [*sections, *typed, *line, *returned, *sent]


def _named(session: TuiSession, key: tuple[str, ...]) -> str:
    sent = BEING_SENT in key and session.sending.intersection(key)
    return " ".join(part for part in key if part not in ("", BEING_SENT)) + (f", {_PERHAPS}" if sent else "")


def _tell(terminal: Terminal, texts: list[_KeptText]) -> None:
    """Print where each text is saved, or the text itself if it could not be saved."""
    if not texts:
        return
    terminal.say(f"gatepost: {len(texts)} unsent text{'s' * (len(texts) > 1)}, saved in")
    for number, each in enumerate(_kept(texts), 1):
        said = each.text if each.file is None else f"{each.file}"
        terminal.say(terminal.clean(f"  {number}. {each.about}: {said}", lines=True))


def _kept(texts: list[_KeptText]) -> Iterator[_KeptText]:
    """The texts, each saved in a private file where the disk has room."""
    folder: Path | None = None
    for number, each in enumerate(texts, 1):
        if each.file is None:
            try:
                folder = folder or Path(tempfile.mkdtemp(prefix="gatepost-"))
                file = folder / f"{number}-{_UNNAMED.sub('-', each.about)}.md"
                file.write_text(each.text, encoding="utf-8", errors="surrogatepass", newline="")
            except OSError:
                yield each
                continue
            yield each._replace(file=file)
        else:
            yield each
