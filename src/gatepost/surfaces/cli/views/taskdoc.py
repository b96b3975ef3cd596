"""A taskdoc, its history and its differences: painted and made harmless for people, to the letter into a pipe."""

import re
import sys
from collections.abc import Sequence
from typing import Final

from gatepost.domain.taskdoc_migration import Split
from gatepost.domain.taskdocs import SELECTORS
from gatepost.replies.taskdocs import RecallReply, SectionStamp, TaskdocDiffReply, TaskdocHistoryReply, TaskdocRow
from gatepost.surfaces.cli.formats import short_time
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.suggested_commands import joined, next_page, same_place
from gatepost.surfaces.cli.tables import Cell, table
from gatepost.surfaces.terminal import Terminal, stdout

_TAB: Final = 4
_DIFF_STYLES: Final = (
    ("+++", "bold"),
    ("---", "bold"),
    ("@@", "blue"),
    ("+", "green"),
    ("-", "red"),
    ("\\", "dim"),
)
_WAYS: Final = {
    **dict.fromkeys(("edited", "older", "checkout", "conflict"), "adopt"),
    **dict.fromkeys(("missing_section", "missing_package", "link", "meta_missing", "meta_changed"), "restore"),
}
"""What shows somebody's act on the package, and settles it."""
_ABOUT_WAYS: Final = {"adopt": "To see the text on disk:", "restore": "To write it again:"}
_LINE_END: Final = re.compile(r"\r?\n")


def show(invocation: Invocation, reply: RecallReply) -> None:
    """Print what was recalled; on a terminal, with who changed each section when."""
    if sys.stdout is None or not sys.stdout.isatty():
        _write(reply.content)
        _warn(invocation, reply)
        return
    terminal = stdout()
    for line in _lines(terminal, reply.content):
        terminal.say(line)
    terminal.say()
    for line in _last_updates(terminal, reply):
        terminal.say(line)
    if reply.plan is not None:
        terminal.say(terminal.paint(f"bound to {reply.plan}", "dim"))
    if reply.archived:
        words = ["taskdoc", "archive", str(reply.taskdoc), "--undo", *same_place(invocation.options)]
        terminal.say(terminal.paint(f"archived; to reverse: {joined(words)}", "dim"))
    sys.stdout.flush()
    _warn(invocation, reply)


def archived(items: Sequence[TaskdocRow]) -> None:
    """Print the names of archived taskdocs, with when each was last changed."""
    terminal = stdout()
    newest = [max(item.sections.values(), key=lambda section: section.updated_at) for item in items]
    rows = [
        [Cell(item.name, "bold"), Cell(short_time(last.updated_at), "dim"), Cell(terminal.clean(last.actor))]
        for item, last in zip(items, newest, strict=True)
    ]
    for line in table(terminal, rows, give=((2, 8),)) if rows else ["No archived taskdocs."]:
        terminal.say(line)


def history(invocation: Invocation, reply: TaskdocHistoryReply) -> None:
    """Print a page of changes, the newest first."""
    terminal = stdout()
    rows = [
        [
            Cell(item.selector, "bold"),
            Cell(f"revision {item.revision}"),
            Cell(short_time(item.at), "dim"),
            Cell(terminal.clean(item.actor)),
            Cell(item.tool, "blue"),
            Cell(_size(item.bytes)),
            Cell(f"sha256 {item.sha256[:12]}", "dim"),
        ]
        for item in reply.items
    ]
    for line in table(terminal, rows, give=((6, 0), (3, 8), (5, 0))):
        terminal.say(line)
    if not rows:
        terminal.say(f"No more changes of {reply.taskdoc}.")
    if reply.has_more:
        terminal.say()
        terminal.say(next_page(terminal, invocation.options, cursor=reply.cursor))


def diff(reply: TaskdocDiffReply) -> None:
    """Print what differs between two revisions."""
    if reply.diff:
        difference(reply.diff)
    else:
        say(f"{reply.selector} is the same at revision {reply.since} and at {reply.to}")


def difference(text: str) -> None:
    """Print a unified diff."""
    terminal = stdout()
    if terminal.width is None and not terminal.colour:
        _write(text)
        return
    for line in text.removesuffix("\n").split("\n") if text else ():
        style = next((style for mark, style in _DIFF_STYLES if line.startswith(mark)), "")
        terminal.say(terminal.paint(terminal.clean(line.expandtabs(_TAB)), style))


def division(split: Split) -> None:
    """Print which lines of a file go to which section, and why."""
    terminal = stdout()
    rows = [
        [
            Cell(f"lines {piece.first_line}-{piece.last_line}", "dim"),
            Cell(terminal.clean(piece.title) if piece.title else "(no heading)"),
            Cell(f"to {piece.selector}", "bold"),
            Cell(terminal.clean(piece.why), "dim"),
        ]
        for piece in split.pieces
    ]
    for line in table(terminal, rows, give=((3, 20), (1, 12), (3, 0))):
        terminal.say(line)
    sizes = (f"{selector} {_size(len(getattr(split, selector).encode()))}" for selector in SELECTORS)
    terminal.say(", ".join(sizes))


def say(text: str) -> None:
    """Print a sentence."""
    terminal = stdout()
    for line in terminal.wrap(text, 0):
        terminal.say(line)


def _write(text: str) -> None:
    """Write a text byte for byte: no encoding of the stream's, and no line end that it has not."""
    if sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())


def _warn(invocation: Invocation, reply: RecallReply) -> None:
    """Say on stderr where what was printed is not what one may take it for, and what shows and settles it."""
    if sys.stderr is None:
        return
    terminal = Terminal(sys.stderr)
    for line in () if reply.hint is None else terminal.wrap(f"note: {reply.hint}", 0):
        terminal.say(line)
    for finding in reply.findings or ():
        way = _WAYS.get(finding.kind)
        about = "" if way is None else f" This is the log's text. {_ABOUT_WAYS[way]}"
        for line in terminal.wrap(f"note: {finding.says}{about}", 0):
            terminal.say(line)
        if way is not None:
            named = filter(None, (reply.taskdoc, finding.selector))
            words = ["taskdoc", way, *named, "--dry-run", *same_place(invocation.options)]
            terminal.say(f"  {terminal.paint(joined(words), 'bold')}")


def _lines(terminal: Terminal, text: str) -> list[str]:
    """A text's lines as a terminal can show them: whole, and doing nothing."""
    return [terminal.clean(line.expandtabs(_TAB)) for line in _LINE_END.split(text.removesuffix("\n"))]


def _last_updates(terminal: Terminal, reply: RecallReply) -> list[str]:
    one: list[tuple[str, SectionStamp | RecallReply]] = [(str(reply.selector), reply)]
    rows = [
        [
            Cell(selector, "bold"),
            Cell(f"revision {section.revision}"),
            Cell(short_time(section.updated_at) if section.updated_at else "", "dim"),
            Cell(terminal.clean(section.actor or "")),
            Cell("needs adopt or restore" if section.edited else "", "alarm"),
        ]
        for selector, section in (one if reply.sections is None else reply.sections.items())
    ]
    return table(terminal, rows, give=((3, 8),))


def _size(number: int) -> str:
    return f"{number:,} byte{'' if number == 1 else 's'}" if number else "empty"
