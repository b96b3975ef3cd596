"""Views of the past: the same reads, of a workspace as it was."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from msgspec.structs import replace

from gatepost.engine.reader import Reader
from gatepost.replies.reply import PastMoment, TargetReply
from gatepost.views.budget import View

R = TypeVar("R", bound=TargetReply)
Handler = Callable[[Reader, Any], View[R]]


def dated(handler: Handler[R]) -> Handler[R]:
    """Make a read answer for the moment that its `at` names. What to do next is left out then: nothing can be done
    there."""

    @wraps(handler)
    def answer(reader: Reader, command: Any) -> View[R]:
        if command.at is None:
            return handler(reader, command)
        then = _as_of(reader, command.at)
        view = handler(then, replace(command, at=None))
        return replace(view, reply=replace(view.reply, at=then.moment, next=None))

    return answer


def _as_of(reader: Reader, at: int | str) -> Reader:
    """A reader of the workspace as it was after the last operation at or before a moment."""
    from gatepost.engine.past import PastSnapshot
    from gatepost.operations.moments import operation_at

    operation = operation_at(reader, at, field="at")
    moment = PastMoment(seq=0) if operation is None else PastMoment(seq=operation.last_seq, at=operation.at)
    return reader.seen(moment, lambda now: PastSnapshot(now, operation))
