"""The page's session: a cookie by which the server knows its own page, and so the person who acts on it.

Every program can name itself in a header, but only a page that this server sent has the cookie. A program on this
machine can still load the page and copy the cookie: docs/proof.md says what this stops and what it does not.
"""

import hmac
import secrets
from typing import Final

from starlette.requests import Request
from starlette.types import Scope

from gatepost.domain.people import PERSON, is_person
from gatepost.operations.answer import caller
from gatepost.surfaces.http.problems import problem
from gatepost.surfaces.http.request_record import header, named_actor

CODE: Final = "PAGE_SESSION_ENDED"
PATH: Final = "/v1/operations"
DEFAULT_PERSON: Final = f"{PERSON}web"


class PageSession:
    """One run of a server has one value for its pages: everyone who can load the page can act on it."""

    def __init__(self) -> None:
        self._value = secrets.token_urlsafe(32)

    def cookie(self, scope: Scope) -> str:
        """The `Set-Cookie` header of the page. No script can read the cookie, and no other site's page sends it."""
        secure = "; Secure" if scope["scheme"] == "https" else ""
        return f"{_name(scope)}={self._value}; Path={PATH}; HttpOnly; SameSite=Strict{secure}"

    def person(self, request: Request) -> str | None:
        """The person who acts on the page; none if the request comes from elsewhere, or does not ask to be one.

        A page that lost its cookie is refused: nothing it does may be recorded as somebody else's.
        """
        named = named_actor(request.scope)
        # `AccessControl` let in no other origin than ours, and browsers send it with every POST.
        if header(request.scope, b"origin") is None or (named and not is_person(named)):
            return None
        if not hmac.compare_digest(request.cookies.get(_name(request.scope), "").encode(), self._value.encode()):
            if not named:
                return None
            raise problem(
                403,
                CODE,
                "The server was restarted since this page was loaded, or the browser does not keep its cookie.",
                "Reload the page. If that does not help, allow cookies for this address.",
            )
        given = caller(named).actor
        return given if is_person(given) and given != PERSON else DEFAULT_PERSON


def _name(scope: Scope) -> str:
    """The cookie's name. All servers of a machine share its cookies, whatever their port, so it names the port."""
    return f"gatepost-{scope['server'][1]}"
