"""Request bodies: JSON, with limits for size and time."""

import asyncio
from typing import Any, Final

import msgspec
from starlette.requests import Request

from gatepost.surfaces.http.problems import Problem, busy, invalid, problem

LIMIT: Final = 16 * 1024 * 1024
PATIENCE: Final = 30.0
MOST_IN_FLIGHT: Final = 64 * 1024 * 1024
"""The limit in bytes for the bodies of all requests in progress."""
MOST_BRACKETS: Final = 200_000
"""A body of nothing but brackets would take a hundred times its size in memory, and block everyone meanwhile."""

_RECOVERY: Final = "Send the arguments as one JSON object."


async def raw(request: Request) -> bytes:
    """The body of a request that declares JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Also a protection: a page of another site can post forms and plain text without asking, but not JSON.
        raise problem(
            415,
            "INVALID_INPUT",
            "The body must be JSON and declared as JSON.",
            "Send it with the header `Content-Type: application/json`.",
        )
    try:
        async with asyncio.timeout(PATIENCE):
            body = await _within_limit(request)
    except TimeoutError:
        raise problem(
            408, "INVALID_INPUT", f"The body did not arrive within {PATIENCE:.0f} s.", "Send it again."
        ) from None
    if body.count(b"[") + body.count(b"{") > MOST_BRACKETS:
        no = _too_large(f"The body has more than {MOST_BRACKETS:,} lists and objects.")
        no.begun = body
        raise no
    return body


async def arguments(request: Request) -> dict[str, Any]:
    """The arguments in a body: a JSON object."""
    body = await raw(request)
    try:
        read = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise invalid(f"The body is not JSON: {str(error)[:120]}", _RECOVERY) from None
    if not isinstance(read, dict):
        raise invalid("The body is not a JSON object.", _RECOVERY)
    return read


async def _within_limit(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    limit = LIMIT if not length.isdecimal() or int(length) <= LIMIT else 0
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            parts.append(part)
            size += len(part)
            _in_flight[0] += len(part)
            if size > limit:
                raise _too_large(f"The body is larger than {LIMIT:,} bytes.")
            if _in_flight[0] > MOST_IN_FLIGHT:
                raise busy("Too much data is being sent at once.")
        return b"".join(parts)
    except Problem as no:
        no.begun = parts[0]
        raise
    finally:
        _in_flight[0] -= size


def _too_large(message: str) -> Problem:
    return problem(413, "TOO_LARGE", message, "Send less at once.", {"connection": "close"})


_in_flight: Final = [0]
"""Only changed in the event loop's thread."""
