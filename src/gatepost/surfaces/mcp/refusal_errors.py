"""Refusals where no result could tell them: as errors of the protocol. Loaded with the first of them."""

import json

from gatepost.domain.refusals import FORBIDDEN, INVALID, UNKNOWN, Refusal
from gatepost.surfaces.mcp.messages import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from gatepost.wire import json_output

ASKED_AMISS = (INVALID, UNKNOWN, FORBIDDEN)
"""The families of what would be refused again, however often it is asked."""


def rpc_error(refusal: Refusal) -> RpcError:
    """The refusal as an error: its message, and all of it as data, the next step too."""
    code = INVALID_PARAMS if refusal.family in ASKED_AMISS else INTERNAL_ERROR
    return RpcError(code, refusal.message, json.loads(json_output.refusal(refusal))["error"])
