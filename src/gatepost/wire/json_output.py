"""JSON output: the text of every reply and refusal, on every surface."""

from typing import Any

import msgspec

from gatepost.domain.refusals import Refusal

_encode = msgspec.json.Encoder().encode


def text(data: Any) -> str:
    """Data as compact JSON."""
    return _encode(data).decode()


def refusal(no: Refusal) -> str:
    """A refusal as compact JSON."""
    error: dict[str, Any] = {"code": no.code, "message": no.message, "recovery": no.recovery}
    if no.suggestion is not None:
        error["suggestion"] = no.suggestion._asdict()
    return text({"error": error | no.details})
