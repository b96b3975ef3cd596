"""Access control: no pages of other sites, whatever name they use for this machine; others with the token."""

import hmac
import ipaddress
import os
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from gatepost.surfaces.http import problems
from gatepost.surfaces.http.problems import Problem, problem
from gatepost.surfaces.http.request_record import header, record_of

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
PROBES: Final = ("/healthz", "/readyz")
"""Probes of supervisors, which have no token. The answers reveal nothing."""
PAGE: Final = ("/", "/page/")
"""The page and its files: they hold no data, and a browser cannot send a token with a link."""


class AccessControl:
    """An ASGI app behind three checks: the host name, the origin and the token."""

    def __init__(self, app: ASGIApp, host: str, token: str | None) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._names = LOOPBACK_NAMES | {host.lower()}
        self._everywhere = is_address(host) and ipaddress.ip_address(host).is_unspecified
        if self._everywhere:
            self._names |= {os.uname().nodename.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request, or answer with a refusal."""
        if scope["type"] == "http":
            try:
                self._check(scope)
            except Problem as no:
                record = record_of(scope)
                record.operation, record.outcome = "door", no.code
                await problems.response(no)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        host = (header(scope, b"host") or b"").decode("latin-1").lower()
        if not self._known(_name(host)):
            message = f"This server does not answer to the host name {host[:80]!a}."
            raise problem(403, "FORBIDDEN_HOST", message, "Use the address that `gatepost up` printed.")
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if any(value.decode("latin-1").lower() not in (f"http://{host}", f"https://{host}") for value in origins):
            raise problem(
                403,
                "FORBIDDEN_ORIGIN",
                "Pages of other sites may not call this server.",
                "Call it from the server's own page, or from a program that sends no Origin header.",
            )
        if self._token is not None and not _tells_nothing(scope):
            self._check_token(scope)

    def _known(self, name: str) -> bool:
        # If every address of the machine is served, any address is fine: a page can be made to call a name that
        # leads here, but not a number other than its own.
        return name in self._names or (self._everywhere and is_address(name))

    def _check_token(self, scope: Scope) -> None:
        scheme, _, given = (header(scope, b"authorization") or b"").partition(b" ")
        expected = self._token or b""
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), expected):
            raise problem(
                401,
                "UNAUTHORIZED",
                "This server requires a token.",
                "Send `Authorization: Bearer TOKEN` with the token from the server's token file.",
                {"www-authenticate": "Bearer"},
            )


def _tells_nothing(scope: Scope) -> bool:
    """Whether anyone may have the answer. The same path decides here and in the router."""
    path: str = scope["path"]
    page, files = PAGE
    return path in PROBES or (scope["method"] in ("GET", "HEAD") and (path == page or path.startswith(files)))


def is_address(host: str) -> bool:
    """Whether a host is a numeric address rather than a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """A Host header without its port and without the brackets of an IPv6 address."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
