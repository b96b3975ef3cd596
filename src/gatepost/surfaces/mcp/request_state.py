"""The state of a question to a modern client: the client keeps it and must return it unchanged.

It is signed with a key that only this process has. A server that was restarted, or another one behind a load
balancer, cannot open it: the client then sends the request again, and the user is asked again. Nothing is lost,
because the question is stored before anybody is asked. Loaded with the first question or answer.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Final

from gatepost.surfaces.mcp.exchange import ClientAnswers
from gatepost.surfaces.mcp.messages import INVALID_PARAMS, McpRequest, RpcError, encode, short

if TYPE_CHECKING:
    from gatepost.surfaces.mcp.exchange import InputRequired

LASTS: Final = 60 * 60.0

_KEY: Final = os.urandom(32)
_AGAIN: Final = "Send the request again without requestState and inputResponses: the user is then asked again."
_FOREIGN: Final = (
    "requestState is not from this server process: the server was restarted, another server answered first, or the"
    f" state was changed. {_AGAIN}"
)


def answers(request: McpRequest) -> ClientAnswers:
    """The client's answers so far: those in the state, and those with this request."""
    state = request.params.get("requestState")
    known = ClientAnswers({}) if state is None else _opened(request, state)
    if "inputResponses" not in request.params:
        return known
    given = request.params["inputResponses"]
    if not isinstance(given, dict):
        raise RpcError(INVALID_PARAMS, f"inputResponses must be an object, not {short(given)}")
    for key, answer in given.items():
        if not isinstance(answer, dict):
            raise RpcError(INVALID_PARAMS, f"the answer to {short(key)} must be an object, not {short(answer)}")
    return ClientAnswers(known.given | given, known.kept)


def members(request: McpRequest, required: InputRequired) -> str:
    """The members of a result that asks questions."""
    state = _sealed(request, required)
    return f'"inputRequests":{encode(required.questions)},"requestState":{encode(state)}'


def _sealed(request: McpRequest, required: InputRequired) -> str:
    state = encode([_subject(request), monotonic(), required.known, required.kept])
    text = base64.urlsafe_b64encode(state.encode()).decode()
    return f"{text}.{_mark(text)}"


def _opened(request: McpRequest, state: object) -> ClientAnswers:
    # The signature covers the text as sent: decoding base64 is too lenient to check afterwards.
    text, _, mark = state.rpartition(".") if isinstance(state, str) else ("", "", "")
    if not hmac.compare_digest(mark.encode(), _mark(text).encode()):
        raise RpcError(INVALID_PARAMS, _FOREIGN)
    subject, since, known, kept = json.loads(base64.urlsafe_b64decode(text))
    if subject != _subject(request):
        raise RpcError(INVALID_PARAMS, f"requestState belongs to another request. {_AGAIN}")
    if monotonic() - since > LASTS:
        raise RpcError(INVALID_PARAMS, f"requestState is older than {LASTS / 60:.0f} minutes. {_AGAIN}")
    return ClientAnswers(known, kept)


def _mark(text: str) -> str:
    return hmac.new(_KEY, text.encode(), sha256).hexdigest()


def _subject(request: McpRequest) -> str:
    """What a state belongs to: it must not be valid for another call or other arguments."""
    asked = [request.method, *(request.params.get(name) for name in ("name", "uri", "arguments"))]
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
