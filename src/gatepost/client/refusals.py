"""A server's refusals, rebuilt as the exceptions that a store in this process would raise."""

from __future__ import annotations

from gatepost.domain.refusals import (
    BUSY,
    CONFLICT,
    FORBIDDEN,
    INVALID,
    UNKNOWN,
    InvalidInput,
    Refusal,
    StoreFault,
    Suggestion,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_FAMILIES = {401: FORBIDDEN, 403: FORBIDDEN, 404: UNKNOWN, 409: CONFLICT, 429: BUSY, 503: BUSY}
_PROBLEM = ("type", "title", "status", "detail")
_REFUSAL = ("code", "message", "recovery", "suggestion")


def rebuilt(problem: Mapping[str, Any], status: int) -> Refusal:
    """The refusal that a server's answer describes, of the same class where this version knows its code."""
    code = str(problem.get("code") or "INVALID_INPUT")
    kind = _kind(code)
    no = kind.__new__(kind)
    Refusal.__init__(
        no,
        str(problem.get("message") or problem.get("detail") or f"The server answered with status {status}."),
        str(problem.get("recovery") or "Check what you sent, and call again."),
        _suggestion(problem.get("suggestion")),
    )
    no.details = {name: value for name, value in problem.items() if name not in (*_PROBLEM, *_REFUSAL)}
    no.code = code
    if kind is Refusal:
        no.family = _FAMILIES.get(status, INVALID)
    return no


def _kind(code: str) -> type[Refusal]:
    if code == InvalidInput.code:
        return InvalidInput
    if code.startswith("STORE_") or code == "NOT_A_STORE":
        return StoreFault
    return next((kind for kind in _below(Refusal) if vars(kind).get("code") == code), Refusal)


def _below(kind: type[Refusal]) -> Iterator[type[Refusal]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _suggestion(given: object) -> Suggestion | None:
    if not isinstance(given, dict) or not isinstance(given.get("arguments"), dict):
        return None
    return Suggestion(str(given.get("tool")), given["arguments"])
