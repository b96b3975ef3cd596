"""Chromium as the system has it: where it is, and how it is started so that it asks nobody for anything."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, sync_playwright

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def executable() -> str | None:
    """Where it is; none if it is not installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def browsing(path: str) -> Iterator[Browser]:
    """A browser that is closed in the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
