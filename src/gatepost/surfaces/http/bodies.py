"""Bodies of requests: JSON, of a size that can be held, within a time that can be waited."""

import asyncio
from typing import Any, Final

import msgspec
from starlette.requests import Request

from gatepost.surfaces.http.problems import problem

LIMIT: Final = 16 * 1024 * 1024
PATIENCE: Final = 30.0


async def raw(request: Request) -> bytes:
    """The body of a request that says it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Also a lock: a page of another site can post forms and plain text unasked, but not this.
        raise problem(
            415,
            "INVALID_INPUT",
            "The body must be JSON, and say so.",
            "Send it with the header `Content-Type: application/json`.",
        )
    try:
        async with asyncio.timeout(PATIENCE):
            return await _within_limit(request)
    except TimeoutError:
        raise problem(
            408, "INVALID_INPUT", f"The body did not come within {PATIENCE:.0f} s.", "Send it again."
        ) from None


async def arguments(request: Request) -> dict[str, Any]:
    """The arguments that a body spells: a JSON object."""
    body = await raw(request)
    try:
        read = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise problem(
            400,
            "INVALID_INPUT",
            f"The body is not JSON: {str(error)[:120]}",
            "Send the arguments as one JSON object.",
        ) from None
    if not isinstance(read, dict):
        raise problem(
            400, "INVALID_INPUT", "The body is not a JSON object.", "Send the arguments as one JSON object."
        )
    return read


async def _within_limit(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    parts, size = [], int(length) if length.isdecimal() else 0
    if size <= LIMIT:
        size = 0
        async for part in request.stream():
            parts.append(part)
            size += len(part)
            if size > LIMIT:
                break
    if size > LIMIT:
        raise problem(
            413,
            "TOO_LARGE",
            f"The body is larger than {LIMIT:,} bytes.",
            "Send less at once.",
            {"connection": "close"},
        )
    return b"".join(parts)
