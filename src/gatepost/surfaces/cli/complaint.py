"""What people read on stderr: what is wrong, what to do about it, and the command that does it."""

import os
import sys
from argparse import Namespace
from typing import Any
from zlib import crc32

from gatepost.surfaces.cli.endings import Trouble
from gatepost.surfaces.cli.pasting import command_line
from gatepost.surfaces.cli.screen import Screen


def complain(trouble: Trouble, options: Namespace | None) -> None:
    """Say what is wrong, then the way out, then the suggestion as a line to paste."""
    if sys.stderr is None:
        return
    screen = Screen(sys.stderr)
    error = trouble.error
    first, *rest = screen.wrap(trouble.prefix + error["message"], 0)
    screen.say(screen.paint(first, "alarm"))
    for line in (*rest, *screen.wrap(error["recovery"], 0)):
        screen.say(line)
    suggestion: dict[str, Any] | None = error.get("suggestion")
    if suggestion is not None:
        line = command_line(suggestion["tool"], suggestion["arguments"], options)
        screen.say(f"  {screen.paint(screen.clean(line), 'bold')}")


def explain(error: BaseException) -> None:
    """Say what the environment does not allow, in its own words; or own up to a fault."""
    said = _environment(error)
    debug = os.environ.get("GATEPOST_DEBUG", "") not in ("", "0")
    if debug:
        from gatepost.surfaces.faults import report

        report("in the command line", error)
    if said is None and not debug:
        mark = _mark(error)
        said = f"internal error {mark}: a fault in Gatepost, not in what you typed. GATEPOST_DEBUG=1 shows where."
    if said is not None and sys.stderr is not None:
        screen = Screen(sys.stderr)
        for line in screen.wrap(f"gatepost: {said}", 0):
            screen.say(line)


def _environment(error: BaseException) -> str | None:
    """Words for what is wrong outside of Gatepost; none if it is Gatepost itself."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    from gatepost.storage.sqlite.connections import UnsafeSqlite
    from gatepost.storage.sqlite.schema import NewerStore

    if isinstance(error, UnsafeSqlite):
        return str(error)
    if isinstance(error, NewerStore):
        return f"the store was written by a later version of Gatepost ({error}). Update Gatepost to read it."
    return _of_sqlite(error)


def _of_sqlite(error: BaseException) -> str | None:
    import apsw

    for kind, words in (
        (apsw.NotADBError, "the store is not an SQLite database. Check --store and GATEPOST_STORE."),
        (apsw.CantOpenError, "the store cannot be opened: a folder in its place, or no permission."),
        (apsw.ReadOnlyError, "the store is read-only. Check the permissions of the file and of its folder."),
        (apsw.PermissionsError, "the store may not be accessed. Check its permissions."),
        (apsw.FullError, "the disk is full; nothing was changed."),
        (apsw.IOError, "the disk did not do what was asked of it."),
        (apsw.CorruptError, "the store is damaged. Restore it from a copy; SQLite's .recover may save the rest."),
    ):
        if isinstance(error, kind):
            return f"{words} ({error})"
    return None


def _mark(error: BaseException) -> str:
    """The same fault, the same mark: so that two reports of it can be told to be one."""
    trace, where = error.__traceback__, type(error).__name__
    while trace is not None:
        where += f" {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{crc32(where.encode()):08x}"
