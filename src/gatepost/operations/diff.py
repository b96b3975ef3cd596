"""The difference between two moments."""

from msgspec import field
from msgspec.structs import replace

from gatepost.domain import documents, places, terms
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Task
from gatepost.engine.reader import Reader
from gatepost.engine.rows import OperationRow
from gatepost.operations.fields import Cursor, Limit, MaxChars, PlanId, RootId, one_target
from gatepost.operations.moments import Moment, operation_at
from gatepost.operations.moved_places import text_at
from gatepost.operations.net_changes import LogSpan, change_page, span_of
from gatepost.operations.past_operations import last_operation, moment_in_log, with_history
from gatepost.operations.registry import Command, operation
from gatepost.replies.history import DiffReply
from gatepost.views.budget import View


class Diff(Command[DiffReply], frozen=True, kw_only=True):
    """Ask what differs between two moments."""

    since: Moment = field(name="from")
    to: Moment | None = None
    task: RootId | None = None
    plan: PlanId | None = None
    limit: Limit = 50
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


@operation("tasks_diff", "tasks")
def diff(reader: Reader, command: Diff) -> View[DiffReply]:
    """What differs between two moments (`to`: now), net, by document and field: created, deleted, moved, closed,
    reopened, changed. Of the workspace, a task, or a plan with its tasks."""
    since, to = _moments(reader, command)
    asked = LogSpan(0 if since is None else since.operation, 0 if to is None else to.operation)
    span = _narrowed(reader, command, span_of(command.cursor, asked))
    page = change_page(reader, span, command.cursor, command.limit, command.max_chars)
    reply = DiffReply(
        since=moment_in_log(since),
        to=moment_in_log(last_operation(reader, span.upto + 1)),
        documents=page.changes,
        has_more=page.cursor is not None,
        cursor=page.cursor,
    )
    return View(reply, page.cuts, command.max_chars)


def _moments(reader: Reader, command: Diff) -> tuple[OperationRow | None, OperationRow | None]:
    since = operation_at(reader, command.since, field="from")
    to = last_operation(reader) if command.to is None else operation_at(reader, command.to, field="to")
    if since is not None and (to is None or to.operation < since.operation):
        raise InvalidInput([("to", "must not be before `from`")])
    return since, to


def _narrowed(reader: Reader, command: Diff, span: LogSpan) -> LogSpan:
    """The span, limited to the task of the command, or to its plan and the plan's tasks at either moment."""
    target = one_target(command.task, command.plan)
    if target is None:
        return span
    root = with_history(reader, target)
    if places.is_task(root):
        return replace(span, roots=frozenset((root,)))
    now = reader.every(((terms.plan(target),),))
    tasks = {*now, *reader.left_plan(target, span.since)}
    return replace(
        span, roots=frozenset((root, *(task for task in tasks if _is_in_plan(reader, task, target, span))))
    )


def _is_in_plan(reader: Reader, task: str, plan: str, span: LogSpan) -> bool:
    """Whether a task was in a plan at one of the two moments."""
    texts = [text_at(reader, task, moment) for moment in (span.since, span.upto)]
    held = [documents.from_text(text) for text in texts if text is not None]
    return any(isinstance(document, Task) and document.plan == plan for document in held)
