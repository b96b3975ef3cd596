"""What the last round left for the next one, as a resume shows it."""

from gatepost.domain import places
from gatepost.domain.documents import Rounds
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.engine.rows import EventRow
from gatepost.replies.resume import ReEntry


def re_entry(reader: Reader, target: str | None, *, named: bool) -> ReEntry | None:
    """The re-entry package that a resume shows first. `named` says that the caller named the target."""
    found = _newest(reader, target, named=named)
    if found is None:
        return None
    event = shown(found)
    return ReEntry(**{name: event[name] for name in ReEntry.__struct_fields__ if name in event})


def _newest(reader: Reader, target: str | None, *, named: bool) -> EventRow | None:
    """The newest of: the target's rounds, by any actor, and the caller's that named no task. Where the caller
    named no target, also those of the task that its own newest round named.

    A store from before rounds had owners has one line for the workspace: everyone's until there is a newer round.
    """
    mine = places.rounds_of_agent(reader.caller.agent)
    lines = {places.ROUND, mine}
    if target is not None:
        lines.add(places.rounds_of_task(target))
    last = None if named else last_task(reader, mine)
    if last is not None:
        lines.add(places.rounds_of_task(last))
    found = [row for line in lines for row in reader.recent(1, line)]
    return max(found, key=lambda row: row.seq, default=None)


def last_task(reader: Reader, mine: str) -> str | None:
    """The task that an agent's newest round named."""
    found = reader.at(mine)
    return found.value.task if found is not None and isinstance(found.value, Rounds) else None
