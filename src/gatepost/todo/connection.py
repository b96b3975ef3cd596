"""One HTTP connection to an event stream: opened, checked, and read as bytes arrive."""

from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

_CHUNK: Final = 65_536
_MOST_DETAIL: Final = 2_000
_GONE: Final = 409
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamAddress:
    """The address of a stream, and the token for it."""

    url: str
    token: str | None
    quiet_seconds: float


class StreamRefused(Exception):
    """The server refused the stream, and trying again would not help."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"The stream was refused with status {status}: {detail}")
        self.status = status
        self.detail = detail


class StreamInterrupted(Exception):
    """The server cannot stream right now. With `start_afresh`, the position to resume from is gone too."""

    def __init__(self, *, retry_after: float = 0.0, start_afresh: bool = False) -> None:
        super().__init__("no stream right now")
        self.retry_after = retry_after
        self.start_afresh = start_afresh


def chunks(address: StreamAddress, last_id: str) -> Iterator[bytes]:
    """The stream's bytes as they arrive, until it ends."""
    with _opened(address, last_id) as response:
        if response.headers.get_content_type() != "text/event-stream":
            if response.status == 200 and not response.read(1):
                raise StreamInterrupted  # cut off within the headers, which the library cannot notice
            raise StreamRefused(response.status, "the response is not an event stream")
        if response.status != 200:
            raise StreamRefused(response.status, "the response has no stream")
        while chunk := response.read1(_CHUNK):
            yield chunk


def _opened(address: StreamAddress, last_id: str) -> HTTPResponse:
    request = Request(address.url, headers={"Accept": "text/event-stream", "Cache-Control": "no-store"})  # noqa: S310 - `follow` takes http(s) only
    if last_id:
        # Header values are sent as Latin-1, but the standard requires the id's UTF-8 bytes.
        request.add_header("Last-Event-ID", last_id.encode("utf-8", "replace").decode("latin-1"))
    if address.token is not None:
        request.add_header("Authorization", f"Bearer {address.token}")
    try:
        response: HTTPResponse = _opener(address).open(request, timeout=address.quiet_seconds)
    except HTTPError as error:
        with error:
            raise _judged(error, resuming=bool(last_id)) from None
    return response


def _opener(address: StreamAddress) -> OpenerDirector:
    """Follows no redirects, which would send the token elsewhere, and opens only http(s)."""
    opener = OpenerDirector()
    if urlsplit(address.url).hostname not in _LOOPBACK:
        opener.add_handler(ProxyHandler())
    for handler in (HTTPHandler(), HTTPSHandler(), HTTPDefaultErrorHandler(), HTTPErrorProcessor()):
        opener.add_handler(handler)
    return opener


def _judged(error: HTTPError, *, resuming: bool) -> Exception:
    if error.code == _GONE and resuming:
        return StreamInterrupted(start_afresh=True)
    if error.code in _PASSING:
        asked = error.headers.get("Retry-After", "")
        return StreamInterrupted(retry_after=float(asked[:6]) if asked.isascii() and asked.isdigit() else 0.0)
    return StreamRefused(error.code, error.read(_MOST_DETAIL).decode("utf-8", "replace") or error.reason)
