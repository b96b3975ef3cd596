"""Views of the past: the same reads, of a workspace as it was."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain.refusals import InvalidInput, Suggestion, UnknownId
from gatepost.engine.reader import Reader
from gatepost.operations.fields import KNOWN
from gatepost.operations.moments import Moment
from gatepost.replies.reply import PastMoment, TargetReply
from gatepost.views.budget import View

R = TypeVar("R", bound=TargetReply)
Handler = Callable[[Reader, Any], View[R]]
At = Annotated[
    Moment,
    Meta(description="Show it as it was then: a seq, or a time (RFC 3339 text) or date, UTC.", extra=KNOWN),
]


def dated(handler: Handler[R]) -> Handler[R]:
    """Make a read answer for the moment that its `at` names. It then leaves out `next`, since nothing can be done
    in the past."""

    @wraps(handler)
    def answer(reader: Reader, command: Any) -> View[R]:
        if command.at is None:
            return handler(reader, command)
        then = _as_of(reader, command.at)
        try:
            view = handler(then, replace(command, at=None))
        except UnknownId as unknown:
            raise _unknown_then(unknown, command.at) from None
        return replace(view, reply=replace(view.reply, at=then.moment, next=None))

    return answer


def _as_of(reader: Reader, at: int | str) -> Reader:
    """A reader of the workspace as it was after the last operation at or before a moment."""
    from gatepost.engine.past import PastSnapshot
    from gatepost.operations.moments import operation_at

    if getattr(reader, "lasting", False):  # a draft, which writes its images when it is committed
        problem = "cannot be given in a batch after a call that changed something"
        raise InvalidInput([("at", problem)], "Send this read as a call of its own.")
    operation = operation_at(reader, at, field="at")
    moment = PastMoment(seq=0) if operation is None else PastMoment(seq=operation.last_seq, at=operation.at)
    return reader.seen(moment, lambda now: PastSnapshot(now, operation))


def _unknown_then(unknown: UnknownId, at: int | str) -> UnknownId:
    """Say that it did not exist at that moment, and suggest a call that lists what did."""
    looked = unknown.suggestion
    unknown.message = f"{unknown.message.removesuffix('.')} at {at}."
    unknown.suggestion = None if looked is None else Suggestion(looked.tool, {**looked.arguments, "at": at})
    return unknown
