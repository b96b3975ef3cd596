"""JSON out: every reply and refusal, on every surface, is made into text here, and masked on the way."""

from typing import Any

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.views.budget import Body, View, fitted
from gatepost.wire.secrets import mask_text, masked, suspect

_encode = msgspec.json.Encoder().encode


def text(reply: Any) -> str:
    """A reply as compact JSON without secrets."""
    shown = compact(reply)
    return compact(masked(msgspec.to_builtins(reply))) if suspect(shown) else shown


def plain(data: Any) -> Any:
    """Plain data without secrets."""
    return masked(data) if suspect(compact(data)) else data


def fit(view: View) -> Body:
    """A view within its budget and without secrets: masked before it is cut, so that what is sent counts."""
    return fitted(view._replace(body=plain(view.body)))


def compact(data: Any) -> str:
    """Data that holds no secrets, as compact JSON."""
    return _encode(data).decode()


def refusal(no: Refusal) -> str:
    """A refusal as compact JSON without secrets; whoever catches the refusal itself sees none either."""
    no.message, no.recovery = mask_text(no.message), mask_text(no.recovery)
    no.args = (no.message,)
    no.details = plain(no.details)
    error: dict[str, Any] = {"code": no.code, "message": no.message, "recovery": no.recovery}
    if no.suggestion is not None:
        error["suggestion"] = no.suggestion._asdict()
    return text({"error": error | no.details})
