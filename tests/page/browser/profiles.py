"""Profiles of one browser, lent to one reader at a time."""

import json
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page

WIDE: Final = {"width": 1280, "height": 800}
USUAL: Final = {"viewport": WIDE, "locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce"}


class Profile:
    """A profile and its window, which stays open: opening one costs more than most of what is looked at in it."""

    def __init__(self, browser: Browser, settings: dict[str, Any]) -> None:
        self.context: BrowserContext = browser.new_context(**{**USUAL, **settings})
        self.lent = False
        self._keeps_it_open = self.context.new_page()
        self._orders = self.context.new_cdp_session(self._keeps_it_open)

    def page(self, url: str) -> Page:
        """A page of one's own, in a browser that has never been at a site.

        Each server has its port, so what the page keeps is kept apart; but a port may come again.
        """
        self._orders.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
        return self.context.new_page()

    def clear(self) -> None:
        """Close whatever was opened in it."""
        for page in self.context.pages:
            if page is not self._keeps_it_open:
                page.close()
        self.lent = False


class Profiles:
    """All profiles of a browser, by their settings."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._made: dict[str, list[Profile]] = {}

    def lend(self, settings: dict[str, Any]) -> Profile:
        """A profile with these settings that nobody else has just now."""
        made = self._made.setdefault(json.dumps(settings, sort_keys=True), [])
        found = next((profile for profile in made if not profile.lent), None)
        if found is None:
            found = Profile(self._browser, settings)
            made.append(found)
        found.lent = True
        return found
