"""Refusals over HTTP, of operations and of this surface, as `application/problem+json`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatepost.domain import refusals
from gatepost.domain.refusals import Refusal, StoreFault
from gatepost.wire import json_output
from gatepost.wire.credentials import redacted

MEDIA_TYPE: Final = "application/problem+json"
STATUS_OF_FAMILY: Final = {
    refusals.INVALID: 400,
    refusals.UNKNOWN: 404,
    refusals.CONFLICT: 409,
    refusals.FORBIDDEN: 403,
    refusals.BUSY: 503,
}
STATUS_OF_CODE: Final = {"TOO_LARGE": 413, "UNAUTHORIZED": 401, "RATE_LIMITED": 429}

_LONGEST_READ: Final = 1_000
_LONGEST_QUOTED: Final = 80
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


def quoted(name: str) -> str:
    """A client's name for something, short and without credentials, to quote in a refusal."""
    return redacted(name[:_LONGEST_READ])[0][:_LONGEST_QUOTED]


class Problem(Exception):
    """A refusal as an exception. `error` has the members of a refusal: code, message, recovery and so on."""

    def __init__(self, status: int, error: Mapping[str, Any], headers: Mapping[str, str] = _NO_HEADERS) -> None:
        super().__init__(error["message"])
        self.status = status
        self.begun = b""
        """The beginning of a body that was refused."""
        self.error = error
        self.headers = headers

    @property
    def code(self) -> str:
        """The refusal's code."""
        return str(self.error["code"])


def problem(
    status: int, code: str, message: str, recovery: str, headers: Mapping[str, str] = _NO_HEADERS
) -> Problem:
    """A problem of this surface, without an operation."""
    return Problem(status, {"code": code, "message": message, "recovery": recovery}, headers)


def invalid(message: str, recovery: str) -> Problem:
    """The request is not understood."""
    return problem(400, "INVALID_INPUT", message, recovery)


def status_of(kind: type[Refusal]) -> int:
    """The HTTP status of a family of refusals. Store faults have their own."""
    if issubclass(kind, StoreFault):
        return kind.status
    return STATUS_OF_CODE.get(kind.code) or STATUS_OF_FAMILY[kind.family]


def refused(refusal: Refusal, text: str) -> Problem:
    """The problem for a refusal. `text` is the refusal as every surface renders it."""
    status = status_of(type(refusal))
    headers = {"retry-after": "1"} if refusal.family == refusals.BUSY or status == 429 else _NO_HEADERS
    return Problem(status, msgspec.json.decode(text)["error"], headers)


def busy(message: str) -> Problem:
    """Too many at once. Nothing was done."""
    error = {
        "code": "BUSY",
        "message": message,
        "recovery": "Nothing was changed. Send the same call again in a moment.",
        "retry_after_ms": 1_000,
    }
    return Problem(503, error, {"retry-after": "1"})


def response(no: Problem) -> Response:
    """The HTTP response. The members of RFC 9457 come first and cannot be overridden."""
    members = {
        "type": f"urn:gatepost:problem:{no.code}",
        "title": no.code.replace("_", " ").capitalize(),
        "status": no.status,
        "detail": no.error["message"],
    }
    body = members | {name: value for name, value in no.error.items() if name not in members}
    return Response(json_output.text(body), no.status, dict(no.headers), MEDIA_TYPE)
