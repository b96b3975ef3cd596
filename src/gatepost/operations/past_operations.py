"""Look-ups of past operations: by number, and by plan or task, even a deleted one."""

from typing import Final

from gatepost.domain import places
from gatepost.domain.refusals import Suggestion, UnknownId
from gatepost.engine.reader import Reader
from gatepost.engine.rows import OperationRow
from gatepost.replies.history import MomentInLog

NEWEST: Final = 2**62
"""Before this are all operations."""


def with_history(reader: Reader, root_id: str) -> str:
    """The place of a plan or task, even if it was deleted: it still has a history, and can be restored."""
    place = places.at_id(root_id)
    if not reader.operations(NEWEST, 1, place):
        reader.root(root_id)
    return place


def numbered(reader: Reader, number: int, root: str | None) -> OperationRow:
    """An operation by its number, or by the `seq` of one of its events; of one plan or task, if given."""
    row = next(iter(reader.operations(number + 1, 1, root)), None)
    if row is None or row.last_seq < number:
        where = reader.workspace if root is None else places.root_id(root)
        raise UnknownId("operation", f"operation {number}", where, look(root))
    return row


def last_operation(reader: Reader, before: int = NEWEST) -> OperationRow | None:
    """The last operation before a number, or of all if no number is given."""
    return next(iter(reader.operations(before, 1, None)), None)


def moment_in_log(row: OperationRow | None) -> MomentInLog:
    """The moment after an operation; without one, the beginning."""
    return MomentInLog() if row is None else MomentInLog(operation=row.operation, seq=row.last_seq, at=row.at)


def look(root: str | None) -> Suggestion:
    """The call that lists past operations."""
    return Suggestion("tasks_history", {} if root is None else {"task": places.root_id(root)})
