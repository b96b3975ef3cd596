"""Delivers notices with the command and the webhook that are set, while they are trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from gatepost.checks import settings_file
from gatepost.checks.settings_file import BadSettings
from gatepost.checks.trust import Trust
from gatepost.engine.clock import SystemClock
from gatepost.notices import command, webhook
from gatepost.notices.configuration import NotifySettings
from gatepost.notices.notice import NotDelivered, Notice

COMMAND: Final = "command"
FOR_COMMAND: Final = 10.0
FOR_POST: Final = 5.0

Attempt = Callable[[float], None]
"""Tries to deliver a notice within the given seconds and its own limit. Raises NotDelivered."""


class NoticeDelivery:
    """The ways to deliver notices of the project at `root`."""

    def __init__(self, settings: NotifySettings, root: str) -> None:
        self._settings = settings
        self._root = root

    def ways(self, notice: Notice) -> Iterator[tuple[str, Attempt]]:
        """The ways to deliver a notice, the faster one first."""
        if self._settings.command:
            yield COMMAND, partial(self._run, notice)
        if self._settings.url is not None:
            yield "webhook", partial(self._post, notice, self._settings.url)

    def tried(self) -> dict[str, str | None]:
        """Send a test notice each way. The result by way: why it failed, or None."""
        text = "This is a test from `gatepost notify`. Nothing waits for you."
        now = SystemClock().now()
        made = Notice(kind="test", id=now, workspace="test", at=now, title="Gatepost: test", text=text)
        tried: dict[str, str | None] = {}
        for way, attempt in self.ways(made):
            try:
                attempt(FOR_COMMAND)
                tried[way] = None
            except NotDelivered as failed:
                tried[way] = str(failed)
        return tried

    def _run(self, notice: Notice, seconds: float) -> None:
        self._check_trust()
        command.run(self._settings.command, notice, self._root, min(seconds, FOR_COMMAND))

    def _post(self, notice: Notice, url: str, seconds: float) -> None:
        self._check_trust()
        try:
            webhook.post(url, notice.body(), self._settings.secret_file, min(seconds, FOR_POST))
        except NotDelivered as failed:
            raise NotDelivered(f"{self._settings.host}: {failed}", again=failed.again) from None

    def _check_trust(self) -> None:
        """Check the trust at each delivery: a person can revoke it while a server runs."""
        root = self._settings.trusted_in
        if root is None:
            return
        try:
            why = Trust(root).why_not(settings_file.read(root), None)
        except BadSettings as error:
            why = str(error)
        if why is not None:
            raise NotDelivered(f"{why}. To look at it, run: gatepost trust", again=False)
