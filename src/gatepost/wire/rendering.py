"""JSON out: every reply and refusal, on every surface, is made into text here, and masked on the way."""

from typing import Any

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.wire.secrets import masked, suspect

_encode = msgspec.json.Encoder().encode


def text(reply: Any) -> str:
    """A reply as compact JSON without secrets."""
    plain = _encode(reply).decode()
    return _encode(masked(msgspec.to_builtins(reply))).decode() if suspect(plain) else plain


def plain(reply: Any) -> Any:
    """A reply as plain data without secrets."""
    data = msgspec.to_builtins(reply)
    return masked(data) if suspect(_encode(data).decode()) else data


def refusal(no: Refusal, workspace: str | None) -> dict[str, Any]:
    """A refusal as data; its suggestion is made complete with the workspace of the call."""
    error: dict[str, Any] = {"code": no.code, "message": no.message, "recovery": no.recovery}
    if no.suggestion is not None:
        arguments = dict(no.suggestion.arguments)
        if workspace is not None:
            arguments = {"workspace": workspace, **arguments}
        error["suggestion"] = {"tool": no.suggestion.tool, "arguments": arguments}
    error.update(no.details)
    return {"error": error}
