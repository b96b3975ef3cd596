"""Sends a write again whose answer was lost. Its key tells the server that it is the same call."""

from __future__ import annotations

import time

import msgspec

from gatepost.client.connections import AnswerTooLarge, NoAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Sent = tuple[int, bytes]

KEY_HEADER = "Idempotency-Key"
PAUSES = (0.1, 0.5, 2.0)
"""Seconds before each further attempt."""
_LONGEST = 30.0
"""Seconds after which a call that was sent twice is not sent again."""
_LONGEST_PAUSE = 5.0
_BUSY = 503
_GATEWAY = (502, 504)
"""What a proxy answers for a server that it cannot reach, or that does not answer it in time."""


def new_key() -> str:
    """A key that no other call has."""
    import os

    return os.urandom(16).hex()


def sent_until_answered(send: Callable[[], Sent], tool: str) -> Sent:
    """The status and answer of a call, which is sent again if it is a write and its answer was lost.

    A server that was not reached at all is not asked again, unless an earlier attempt may have reached it.
    """
    began, outcome = time.monotonic(), _attempt(send)
    for number, pause in enumerate(PAUSES):
        wait = _wait(outcome, pause, is_first=number == 0)
        is_late = number > 0 and time.monotonic() - began > _LONGEST
        if wait is None or is_late or not is_repeatable(tool):
            break
        time.sleep(wait)
        outcome = _attempt(send)
        if isinstance(outcome, NoAnswer):
            outcome.sent = True  # if not now, then before
    if isinstance(outcome, NoAnswer):
        raise outcome
    return outcome


def _attempt(send: Callable[[], Sent]) -> Sent | NoAnswer:
    try:
        return send()
    except NoAnswer as no:
        return no


def _wait(outcome: Sent | NoAnswer, pause: float, *, is_first: bool) -> float | None:
    """How long to wait before the call is sent again; none if what came is final."""
    if isinstance(outcome, NoAnswer):
        is_final = isinstance(outcome, AnswerTooLarge) or (is_first and not outcome.sent)
        return None if is_final else pause
    status, answer = outcome
    if status in _GATEWAY:
        return pause
    return _busy_wait(answer, pause) if status == _BUSY else None


def _busy_wait(answer: bytes, pause: float) -> float | None:
    """The wait that a busy server asks for. Other faults of its store stay until somebody mends them."""
    try:
        problem = msgspec.json.decode(answer)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return pause  # a proxy's words
    if not isinstance(problem, dict) or problem.get("code") != "BUSY":
        return None
    hint = problem.get("retry_after_ms")
    return max(pause, min(hint / 1_000, _LONGEST_PAUSE)) if isinstance(hint, int) else pause


def is_repeatable(tool: str) -> bool:
    """Whether a server knows such a call by its key. Looked up only once an answer is missing."""
    from gatepost.operations.catalog import BY_NAME

    return tool in BY_NAME and "request_id" in BY_NAME[tool].command.__struct_fields__
