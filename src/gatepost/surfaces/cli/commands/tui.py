"""`gatepost tui`: the live lists, the tree, taskdocs, radar and log, on the whole terminal."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import ExitStack

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.tui.source import Source


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show a workspace live on the full screen: what is in progress, what is blocked\n"
        "and why, the tree of steps, taskdocs, radar and log, with a line for notes,\n"
        "commands and operations. Press ? for the keys, q to quit. Text that was typed\n"
        "but not sent is saved in files, which are listed at the end.\n\n"
        "It follows the store, whichever process writes to it, or a server (--url).",
        examples="""\
  gatepost tui                               the project's own store
  gatepost tui --url http://127.0.0.1:4870   a server's store
  gatepost tui --ascii                       if symbols are not shown well
  NO_COLOR=1 gatepost tui                    without colors
  EDITOR='code --wait' gatepost tui          choose the editor for taskdocs""",
        exits="130 interrupted; 129 and 143 if SIGHUP or SIGTERM ended it",
        variables=(
            "VISUAL the editor for taskdocs\n"
            "EDITOR the editor, if VISUAL is not set; default: vi\n"
            "TMPDIR where text is saved that was typed but not sent\n"
            "NO_COLOR no colors\n"
            "LC_ALL,LANG ASCII only, if they name a locale without UTF-8"
        ),
    )
    parser.add_argument("--ascii", action="store_true", help="show only ASCII")
    parser.add_actor()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show it until somebody leaves."""
    _check()
    from gatepost.surfaces.cli.invocation import Invocation
    from gatepost.surfaces.tui.source import Source

    with ExitStack() as stack:
        invocation = stack.enter_context(Invocation(options))
        code = _show(Source(invocation.client, invocation.workspace()), options)
        from gatepost.surfaces.tui.call_threads import under_way

        if under_way():
            stack.pop_all()  # closing the store waits for calls, and nobody waits for their answers any more
    return code


def _check() -> None:
    """Refuse what cannot be shown."""
    # Textual draws on the standard error.
    watched = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if not watched or os.environ.get("TERM") == "dumb":
        raise BadUsage(
            "gatepost tui needs a terminal to draw on", "In a pipe, use gatepost watch or gatepost log --follow."
        )


def _show(source: Source, options: Namespace) -> int:
    from gatepost.surfaces.terminal import PLAIN, stdout
    from gatepost.surfaces.tui.app import GatepostApp
    from gatepost.surfaces.tui.runner import show

    for size in ("COLUMNS", "LINES"):  # exported once, they would be believed whatever the terminal's size is now
        os.environ.pop(size, None)
    app = GatepostApp(source, glyphs=PLAIN if options.ascii else stdout().glyphs)
    code = show(app)
    if app.fault is not None:
        raise app.fault
    return code
