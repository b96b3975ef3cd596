"""Stuck steps: a server looks for them now and then and sends one notice for each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import islice
from threading import Event, Thread
from typing import Any, Final

from gatepost.domain import terms
from gatepost.domain.steps import Step
from gatepost.engine.caller import Caller
from gatepost.engine.clock import SystemClock
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.engine.reader import Found, Reader
from gatepost.notices import news
from gatepost.notices.configuration import STEP_STUCK
from gatepost.notices.notice import Notice
from gatepost.notices.sender import NoticeSender

_MOST: Final = 1_000
"""The most blocked and claimed steps of a workspace that are looked at."""
_LONGEST_PAUSE: Final = 60.0
_LOOKS: Final = 4
"""How often to look while a step becomes stuck."""
_EVENTS: Final = 50
_READER: Final = Caller("gatepost")


@contextmanager
def watched(engine: Engine, bound: str | None) -> Iterator[None]:
    """Watch for stuck steps in every workspace, or in the bound one, if a notice should be sent for them."""
    sender = engine.notices
    if not isinstance(sender, NoticeSender) or STEP_STUCK not in sender.settings.events:
        yield
        return
    ending = Event()
    thread = Thread(target=_Watch(engine, sender, bound).run, args=(ending,), name="stuck steps", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(1.0)


class _Watch:
    """Looks for steps that become stuck while it runs. Steps that were stuck before are not reported."""

    def __init__(self, engine: Engine, sender: NoticeSender, bound: str | None) -> None:
        self._engine, self._sender, self._bound = engine, sender, bound
        self._term = sender.settings.stuck_after
        self._began: dict[tuple[str, str, int], str] = {}
        """Since when steps are blocked, by workspace, place and revision."""

    def run(self, ending: Event) -> None:
        """Look now and then."""
        looked = time.time()
        while not ending.wait(min(_LONGEST_PAUSE, self._term / _LOOKS)):
            since, looked = looked, time.time()
            self._sender.send(partial(self._stuck, since - self._term, looked - self._term))

    def _stuck(self, first: float, last: float) -> list[Notice]:
        """The steps that have been blocked or in progress since some time between two moments."""
        known, self._began = self._began, {}
        workspaces = [self._bound] if self._bound else self._engine.store.workspaces()
        found = self._engine.read_each(
            workspaces, _READER, lambda reader: list(self._in(reader, known, first, last))
        )
        return [notice for each in found for notice in each]

    def _in(
        self, reader: Reader, known: dict[tuple[str, str, int], str], first: float, last: float
    ) -> Iterator[Notice]:
        for step in reader.steps(list(islice(reader.every(((terms.BLOCKED, terms.CLAIMED),)), _MOST))):
            if step.value.blocked:
                key = (reader.workspace, step.place, step.tally.revision)
                since = self._began[key] = known.get(key) or _since(reader, step)
            elif step.value.claim is not None and reader.claims.lives(step.value.claim):
                since = step.value.claim.at
            else:
                continue
            if first < datetime.fromisoformat(since).timestamp() <= last:
                yield self._notice(reader, step, since)

    def _notice(self, reader: Reader, step: Found[Step], since: str) -> Notice:
        why, asked, claim = " ".join((step.value.waits_for or "").split()), step.value.question, step.value.claim
        by = f" by {claim.actor}" if claim is not None and not step.value.blocked else ""
        words = f"has been {'in progress' if by else 'blocked'} for {_spelled(self._term)}{by}"
        words += f": {why}" if why else "."
        members: dict[str, Any] = {"since": since, "reason": step.value.reason, "at": SystemClock().now()}
        if asked is not None:
            members |= {"ask": asked.ask, "options": asked.options, "for_": asked.for_}
        return news.of_step(reader, STEP_STUCK, step.place, step.value, since, words, **members)


def _since(reader: Reader, step: Found[Step]) -> str:
    """When a step was blocked, as far as its newest events tell."""
    if step.value.question is not None:
        return step.value.question.at
    rows = reader.recent(_EVENTS, step.place.partition(".")[0], step.value.id)
    blocks = [row.at for row in rows if shown(row)["type"] == "step_blocked"]
    return (blocks or [row.at for row in rows[-1:]] or [SystemClock().now()])[0]


def _spelled(seconds: int) -> str:
    """A duration in words."""
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"
