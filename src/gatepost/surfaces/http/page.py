"""`GET /` and `GET /page/…`: the page's own files and nothing else. They hold no data, which the page requests."""

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from gatepost.surfaces.http.page_session import PageSession
from gatepost.surfaces.http.problems import problem
from gatepost.surfaces.http.request_record import record_of

FOLDER: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "page")
INDEX: Final = "index.html"
MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Other files in the folder are not served."""

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        " connect-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types gatepost"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": (
        "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"
    ),
}


class PageFile(NamedTuple):
    """A file as sent."""

    content: bytes
    media_type: str
    tag: str


class PageFiles:
    """The files of a folder by name, as they were when the server started.

    A name is looked up in a table, so nothing else can be reached, however it is written.
    """

    def __init__(self, session: PageSession, folder: str = FOLDER) -> None:
        self._session = session
        self._files = _read(folder)

    async def serve(self, request: Request) -> Response:
        """One file, or 304 if the client already has it."""
        record_of(request.scope).operation = "page"
        name = request.path_params.get("name", INDEX)
        file = self._files.get(name)
        if file is None:
            message = f"The page has no file {name[:80]!a}."
            raise problem(404, "NOT_FOUND", message, "Open `/`, which loads its files.", HEADERS)
        headers = {**HEADERS, "cache-control": "no-cache", "etag": file.tag}
        if name == INDEX:
            headers["set-cookie"] = self._session.cookie(request.scope)
        if _has(request, file.tag):
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers=headers, media_type=file.media_type)


def _read(folder: str) -> Mapping[str, PageFile]:
    files = {}
    for where, _, names in os.walk(folder):
        for name in names:
            media_type = MEDIA_TYPES.get(os.path.splitext(name)[1])
            if media_type is not None:
                path = os.path.join(where, name)
                with open(path, "rb") as opened:
                    content = opened.read()
                tag = f'"{sha256(content).hexdigest()[:32]}"'
                files[os.path.relpath(path, folder).replace(os.sep, "/")] = PageFile(content, media_type, tag)
    return files


def _has(request: Request, tag: str) -> bool:
    """Whether a client has a file, by its headers. A proxy may have weakened the tag."""
    known = (given.strip().removeprefix("W/") for given in request.headers.get("if-none-match", "").split(","))
    return any(given in (tag, "*") for given in known)
