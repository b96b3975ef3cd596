"""Who set which field."""

from msgspec.structs import replace

from gatepost.operations.blame import EVERY
from gatepost.operations.history import History
from gatepost.replies.history import PastValue
from gatepost.surfaces.cli.formats import brief_value, short_time
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.tables import Cell, table
from gatepost.surfaces.terminal import Terminal, stdout


def show(invocation: Invocation, command: History) -> None:
    """Print the values of a field, or the newest of every field."""
    terminal = stdout()
    _, reply = invocation.ask(replace(command, max_chars=ROOM))
    rows = [_row(terminal, value, every=command.field == EVERY) for value in reply.values or ()]
    for line in table(terminal, rows, give=((4, 16), (5, 0), (3, 8))):
        terminal.say(line)
    if reply.has_more:
        from gatepost.surfaces.cli.suggested_commands import next_page

        terminal.say()
        terminal.say(next_page(terminal, invocation.options, cursor=reply.cursor))


def _row(terminal: Terminal, value: PastValue, *, every: bool) -> list[Cell]:
    restored = value.restored
    back = "" if restored is None else f"restored by {restored.actor}, {short_time(restored.at)}"
    return [
        Cell(terminal.clean(value.field) if every else "", "bold"),
        Cell(str(value.operation), "dim"),
        Cell(short_time(value.at), "dim"),
        Cell(terminal.clean(value.actor)),
        Cell(terminal.clean(brief_value(value.value))),
        Cell(terminal.clean(back), "dim"),
    ]
