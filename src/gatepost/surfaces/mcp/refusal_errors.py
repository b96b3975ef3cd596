"""Refusals as protocol errors, for methods whose results cannot carry them. Loaded on first use."""

import json

from gatepost.domain.refusals import FORBIDDEN, INVALID, UNKNOWN, Refusal
from gatepost.surfaces.mcp.messages import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from gatepost.wire import json_output

ASKED_AMISS = (INVALID, UNKNOWN, FORBIDDEN)
"""The families of refusals that a retry cannot change."""


def rpc_error(refusal: Refusal) -> RpcError:
    """The refusal as an error: its message, and the whole refusal as data."""
    code = INVALID_PARAMS if refusal.family in ASKED_AMISS else INTERNAL_ERROR
    return RpcError(code, refusal.message, json.loads(json_output.refusal(refusal))["error"])
