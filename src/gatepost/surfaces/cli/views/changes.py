"""What changed, document by document and field by field."""

from typing import Final

from msgspec.structs import replace

from gatepost.operations.diff import Diff
from gatepost.operations.history import History
from gatepost.replies.history import ChangedField, DiffReply, DocumentChange, HistoryReply
from gatepost.surfaces.cli.formats import brief_value, short_time
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.terminal import Terminal, stdout

_STYLES: Final = {"created": "green", "closed": "green", "deleted": "red", "reopened": "yellow", "moved": "blue"}
_LINES: Final = {"+": "green", "-": "red", "@": "dim"}


def show(invocation: Invocation, command: Diff | History) -> None:
    """Print one page of changes. Pages without changes are skipped."""
    terminal, quiet = stdout(), invocation.options.quiet
    command = replace(command, max_chars=ROOM)
    reply = _ask(invocation, command)
    while not reply.documents and reply.has_more:
        reply = _ask(invocation, replace(command, cursor=reply.cursor))
    if not quiet:
        terminal.say(terminal.paint(terminal.clean(_heading(reply)), "dim"))
    for change in reply.documents or ():
        for line in [terminal.clean(change.where)] if quiet else ["", *_document(terminal, change)]:
            terminal.say(line)
    if quiet:
        return
    if not reply.documents:
        terminal.say("Nothing changed.")
    if reply.has_more:
        from gatepost.surfaces.cli.suggested_commands import next_page

        terminal.say()
        since = {"since": reply.since.seq} if isinstance(reply, DiffReply) else {}
        terminal.say(next_page(terminal, invocation.options, cursor=reply.cursor, **since))


def _ask(invocation: Invocation, command: Diff | History) -> DiffReply | HistoryReply:
    if isinstance(command, Diff):
        return invocation.client.do(command)
    return invocation.client.do(command)


def _heading(reply: DiffReply | HistoryReply) -> str:
    if isinstance(reply, HistoryReply):
        row = reply.operations[0]
        undone = f", undone by operation {row.undone_by}" if row.undone_by else ""
        return f"Operation {row.operation} ({row.tool}) by {row.actor}, {short_time(row.at)}{undone}"
    since = f"{short_time(reply.since.at)} (seq {reply.since.seq})" if reply.since.seq else "the beginning"
    return f"From {since} to {short_time(reply.to.at)} (seq {reply.to.seq})" if reply.to.seq else f"From {since}"


def _document(terminal: Terminal, change: DocumentChange) -> list[str]:
    what = ", ".join(change.what)
    came = f" from {change.was_at}" if change.was_at is not None else ""
    head = [
        terminal.paint(terminal.clean(change.where), "bold"),
        terminal.clean(change.title or ""),
        terminal.paint(terminal.clean(f"{what}{came}"), _STYLES.get(change.what[-1], "")),
    ]
    new = change.what[0] == "created"
    told = [field for field in change.fields if not new or (field.field, field.after) != ("title", change.title)]
    gone = change.what[0] == "deleted"
    return [
        "  ".join(filter(None, head)),
        *(line for field in told if not gone for line in _field(terminal, field)),
    ]


def _field(terminal: Terminal, field: ChangedField) -> list[str]:
    if field.diff is not None:
        lines = terminal.clean(field.diff, lines=True).splitlines()[2:]
        return [f"  {field.field}:", *(f"    {terminal.paint(line, _LINES.get(line[:1], ''))}" for line in lines)]
    was, now = brief_value(field.before), brief_value(field.after)
    text = f"{field.field}: {now}" if field.before is None else f"{field.field}: {was} -> {now}"
    return [f"  {line}" for line in terminal.wrap(text, 2)]
