"""Calls that are sent twice: the second one gets the reply of the first, to the letter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

import msgspec

from gatepost.domain.refusals import Busy, InvalidInput, StoreFault
from gatepost.engine.chain import sha256
from gatepost.engine.engine import Engine
from gatepost.engine.idempotency import AlreadyAnswered, RepeatableRequest
from gatepost.replies.batch import Batched

FIELD: Final = "request_id"

_turn: Final = threading.Condition()
_running: Final[set[tuple[int, str, str]]] = set()


def request(name: str, tool: str, arguments: Mapping[str, Any], render: Callable[[Any], str]) -> RepeatableRequest:
    """A call as a request. Its digest covers the tool and all arguments but the id."""
    asked = {field: value for field, value in arguments.items() if field != FIELD}
    try:
        text = msgspec.json.encode([tool, asked], order="deterministic")
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput([("arguments", "cannot be written as JSON")]) from None
    return RepeatableRequest(name, sha256(text), render)


def answered_once(
    engine: Engine, workspace: str, asked: RepeatableRequest, reply: Callable[[], Any], *, in_parts: bool
) -> str:
    """The text of a reply, the same each time.

    A call `in_parts` does more than one transaction. It is looked up before it begins, and two sends of it to one
    process take turns, so that no command runs twice.
    """
    try:
        if not in_parts:
            return _remembered(engine, workspace, asked, reply())
        with _turn_of(engine, workspace, asked):
            with engine.store.reading(workspace) as snapshot:
                asked.recall(snapshot)
            return _remembered(engine, workspace, asked, reply())
    except AlreadyAnswered as before:
        return before.text


def _remembered(engine: Engine, workspace: str, asked: RepeatableRequest, reply: Any) -> str:
    text = asked.render(reply)
    if text == asked.stored or not engine.lasting or _is_refused_in_part(reply):
        return text
    if asked.stored is None:
        engine.remember(workspace, asked, text)
        return text
    with suppress(Busy, StoreFault):  # a warning came after the commit; what was done is remembered already
        engine.remember(workspace, asked, text)
    return text


def _is_refused_in_part(reply: Any) -> bool:
    """Whether calls of a batch were refused. They are tried again; the others are remembered each by itself."""
    return isinstance(reply, Batched) and any("error" in result for result in reply.results)


@contextmanager
def _turn_of(engine: Engine, workspace: str, asked: RepeatableRequest) -> Iterator[None]:
    key = (id(engine.store), workspace, asked.name)
    with _turn:
        _turn.wait_for(lambda: key not in _running)
        _running.add(key)
    try:
        yield
    finally:
        with _turn:
            _running.discard(key)
            _turn.notify_all()
