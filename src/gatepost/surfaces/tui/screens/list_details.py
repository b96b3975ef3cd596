"""What the todo lists do not carry themselves, asked for where it is shown."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.models.todo_lists import TodoLists
from gatepost.surfaces.tui.screens.reader import ScreenReader
from gatepost.surfaces.tui.session import session_of
from gatepost.surfaces.tui.source import INTERNAL, is_temporary
from gatepost.surfaces.tui.widgets.frame import TopBar
from gatepost.todo import Scope

_OPEN: Final = frozenset({"TODO", "ACTIVE"})


class ListDetails:
    """Asks which task leads, why steps are blocked, since when one is in progress, whether a task without steps is
    open, and how much waits for a person. `renew` redraws once something was learned."""

    def __init__(self, screen: Screen[None], renew: Callable[[], None]) -> None:
        self._screen = screen
        self._renew = renew
        self._lead = ScreenReader(screen, self._find_lead)
        self._inbox = ScreenReader(screen, self._count_waiting)

    def refresh(self, update: Update, shown: Sequence[Scope]) -> None:
        """Ask for what an update leaves open about the lists that are shown."""
        lists = session_of(self._screen).lists
        if update.events or update.gap:
            self._lead.soon()
            self._inbox.soon()
        unknown, bare = lists.unknown(shown), lists.bare()
        if unknown:
            self._screen.run_worker(self._learn(unknown), group="details")
        if bare:
            self._screen.run_worker(self._learn_bare(lists, bare), group="details")

    async def _learn_bare(self, lists: TodoLists, bare: Iterable[Scope]) -> None:
        for scope in bare:
            try:
                radar = await in_thread(calls_of(self._screen).tasks.radar, task=scope.key)
            except Refusal as no:
                unread = is_temporary(no) or no.code in (INTERNAL, "UNAUTHORIZED")
                lists.learn_bare(scope.key, is_open=None if unread else False)
            else:
                lists.learn_bare(scope.key, is_open=radar.target is not None and radar.target.status in _OPEN)
        self._renew()

    async def _learn(self, tasks: Iterable[str]) -> None:
        for task in tasks:
            try:
                radar = await in_thread(calls_of(self._screen).tasks.radar, task=task)
                resumed = await in_thread(calls_of(self._screen).tasks.resume, task=task, events_limit=50, limit=1)
            except Refusal:
                continue  # the task or the connection is gone: the preview shows less, and nothing wrong
            session_of(self._screen).lists.learn(task, radar.blockers, resumed.events or ())
        self._renew()

    async def _find_lead(self) -> None:
        try:
            radar = await in_thread(calls_of(self._screen).tasks.radar)
        except Refusal:
            return
        lists = session_of(self._screen).lists
        lead = radar.now.task if radar.now is not None else radar.target.id if radar.target is not None else None
        if lead != lists.lead:
            lists.lead = lead
            self._renew()

    async def _count_waiting(self) -> None:
        try:
            counts = (await in_thread(calls_of(self._screen).tasks.inbox, limit=1)).counts
        except Refusal:
            return
        waiting = counts.question + counts.signoff + counts.approval + counts.package + counts.trust
        session = session_of(self._screen)
        if waiting != session.waiting:
            session.waiting = waiting
            for screen in self._screen.app.screen_stack:
                for bar in screen.query(TopBar):
                    bar.renew()
