"""A real browser, and people who look at the page through it: whatever goes wrong in it fails the test."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    expect,
)

from bench import chromium
from tests.givens import WORKSPACE
from tests.http.givens import Site
from tests.page.browser.profiles import Profiles

PATIENCE_MS: Final = 60_000
"""When to call something broken. It costs nothing where all is well, and machines can be slow."""
PHONE: Final = {"width": 390, "height": 844}
_GIVEN_UP: Final = "net::ERR_ABORTED"
"""How Chromium calls what the page itself no longer wanted: the stream of a view that was left."""

expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser; where there is none, the test is named at the end of the run."""
    path = chromium.executable()
    if path is None:
        pytest.skip("there is no Chromium: as root `make test` installs it; else install the package `chromium`")
    with chromium.browsing(path) as browser:
        yield browser


class Reader:
    """Somebody who has the page open. What goes wrong in their browser is kept."""

    def __init__(self, profiles: Profiles, here: Site, **settings: Any) -> None:
        self.here = here
        self.wrong: list[str] = []
        self.sent: list[Request] = []
        self._forgiven: list[re.Pattern[str]] = []
        self._profile = profiles.lend(settings)
        self.context: BrowserContext = self._profile.context
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.on("page", self._watch)
        self.page: Page = self._profile.page(here.url)

    def forgive(self, pattern: str) -> None:
        """What a test brings about on purpose: a refusal, a server that is away."""
        self._forgiven.append(re.compile(pattern))

    def open(self, *rest: str, workspace: str = WORKSPACE) -> Page:
        """Go to a view, as by its address; without one, to the page as such."""
        place = "/".join(quote(part, safe="") for part in (workspace, *rest)) if rest else ""
        self.page.goto(f"{self.here.url}/" + (f"#/{place}" if rest else ""))
        return self.page

    def go(self, *rest: str, workspace: str = WORKSPACE) -> Page:
        """Go on to another view of the page that is open."""
        place = "/".join(quote(part, safe="") for part in (workspace, *rest))
        self.page.evaluate("place => { location.hash = place; }", f"#/{place}")
        return self.page

    def heading(self, name: str) -> Locator:
        """The heading of the view."""
        return self.page.get_by_role("heading", level=1, name=name, exact=True)

    def live(self) -> None:
        """Wait until the page follows the log: what happens from here on comes by the stream."""
        expect(self.page.locator(".connection.live")).to_be_visible()

    def asked(self, operation: str) -> list[dict[str, Any]]:
        """What the page sent to an operation, in order."""
        path = f"{self.here.url}/v1/operations/{operation}"
        return [request.post_data_json or {} for request in self.sent if request.url == path]

    def leave(self) -> None:
        """Close all pages: to be done before the server ends, else one sees how it goes."""
        self._profile.clear()
        self.context.remove_listener("page", self._watch)

    def check(self) -> None:
        """Nothing went wrong that was not brought about on purpose."""
        wrong = [line for line in self.wrong if not any(pattern.search(line) for pattern in self._forgiven)]
        assert not wrong, "\n".join(wrong)

    def _watch(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.wrong.append(f"fault in the page: {_fault(error)}"))
        page.on("requestfailed", self._failed)
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.wrong.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _failed(self, request: Request) -> None:
        if request.failure != _GIVEN_UP:
            self.wrong.append(f"failed: {request.method} {request.url}: {request.failure}")

    def _asked(self, request: Request) -> None:
        self.sent.append(request)
        if not request.url.startswith((f"{self.here.url}/", "data:", "blob:")):
            self.wrong.append(f"asked elsewhere: {request.url}")


def _fault(error: Error) -> str:
    return f"{error.message}\n{error.stack or ''}"
