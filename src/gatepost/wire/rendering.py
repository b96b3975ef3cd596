"""JSON out: every reply and refusal, on every surface, is made into text here, and masked on the way."""

from typing import Any

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.wire.secrets import masked, suspect

_encode = msgspec.json.Encoder().encode


def text(reply: Any) -> str:
    """A reply as compact JSON without secrets."""
    shown = compact(reply)
    return compact(masked(msgspec.to_builtins(reply))) if suspect(shown) else shown


def plain(data: Any) -> Any:
    """Plain data without secrets."""
    return masked(data) if suspect(compact(data)) else data


def compact(data: Any) -> str:
    """Data that holds no secrets, as compact JSON."""
    return _encode(data).decode()


def refusal(no: Refusal, workspace: str | None) -> dict[str, Any]:
    """A refusal as data; its suggestion is made complete with the workspace of the call."""
    error: dict[str, Any] = {"code": no.code, "message": no.message, "recovery": no.recovery}
    if no.suggestion is not None:
        arguments = {"workspace": workspace, **no.suggestion.arguments}
        if arguments["workspace"] is not None:  # without one it would be refused in its turn
            error["suggestion"] = {"tool": no.suggestion.tool, "arguments": arguments}
    error.update(no.details)
    return {"error": error}
