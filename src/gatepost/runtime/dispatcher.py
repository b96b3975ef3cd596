"""Who hears of events: subscribers by type, called in the order in which they came."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable
from logging import getLogger
from typing import Final, TypeVar, cast, final

from gatepost.runtime import tree_lock
from gatepost.runtime.awaitables import Awaitables, Pending, running_loop
from gatepost.runtime.failures import FailureHandler
from gatepost.runtime.telemetry import SubscriberFailed
from gatepost.runtime.transitions import name

E = TypeVar("E")

Handler = Callable[[E], object]

_log: Final = getLogger("gatepost.runtime")


@final
class Dispatcher:
    """Announces events to those who subscribed to their type, or to a base of it. Safe to use from many threads.

    What is announced has happened, so a handler that fails fails nobody else: the failure goes into the log and is
    announced as `SubscriberFailed`. A handler runs in the thread that announces; an async one is awaited, on the
    event loop on which it subscribed as long as that runs.
    """

    __slots__ = ("_lock", "_routes", "subscriptions")

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self.subscriptions: tuple[Subscription, ...] = ()
        self._routes: dict[type, tuple[Subscription, ...]] = {}

    def subscribe(self, event: type[E], handler: Handler[E]) -> Callable[[], None]:
        """Have the handler called with every event of this type or of a subtype; `object` hears all.

        Answers with the call that ends it: from then on the handler is not called, not even for an event that
        is being announced.
        """
        if not isinstance(event, type):
            raise TypeError(f"subscribe({event!r}, …): the first argument is a class of events, or object for all")
        if not callable(handler):
            raise TypeError(
                f"subscribe({event.__qualname__}, {handler!r}): the handler must be callable with an event"
            )
        issubclass(object, event)  # a class that cannot answer this (some protocols) would fail at every event
        subscription = Subscription(event, cast("Handler[object]", handler))
        with self._lock:
            self._set((*self.subscriptions, subscription))
        return lambda: self._drop(subscription)

    def dispatch(self, event: object) -> None:
        """Announce an event. It changes no session: for that, dispatch on the session.

        Async handlers have run when this returns, except where an event loop runs in this thread: there the loop
        runs them next, and `adispatch` waits for them.
        """
        call = tree_lock.current()
        if call is not None:
            self.deliver(event, call.awaitables)
        else:
            self._delivered(event).settle()

    async def adispatch(self, event: object) -> None:
        """Announce an event, and await its async handlers."""
        await self._delivered(event).settled()

    def deliver(self, event: object, awaitables: Awaitables) -> None:
        """Announce an event. What async handlers have to do is added to what is awaited later."""
        for subscription in self.route(type(event)):
            if subscription.live:
                self._tell(subscription, event, awaitables)

    def route(self, kind: type) -> tuple["Subscription", ...]:
        """Those who hear of events of exactly this type, in their order."""
        # The table is taken once: were it replaced meanwhile, what is found here must not land in the new one.
        routes = self._routes
        route = routes.get(kind)
        if route is None:
            subscriptions = self.subscriptions
            route = tuple(one for one in subscriptions if issubclass(kind, one.event))
            routes[kind] = route
        return route

    def _delivered(self, event: object) -> Awaitables:
        awaitables = Awaitables()
        try:
            self.deliver(event, awaitables)
        except BaseException as interrupt:
            awaitables.abandon(interrupt)
            raise
        return awaitables

    def _tell(self, subscription: "Subscription", event: object, awaitables: Awaitables) -> None:
        failed = partial(self._failed, subscription, event, awaitables)
        with FailureHandler(failed):
            told = subscription.handler(event)
            if isawaitable(told):
                awaitables.add(Pending(told, failed, subscription.loop))

    def _failed(
        self, subscription: "Subscription", event: object, awaitables: Awaitables, error: BaseException
    ) -> None:
        """Report a subscriber that failed. One that fails to hear of a failure is in the log alone."""
        _log.error(
            "The subscriber %s failed on %s: %r",
            name(subscription.handler),
            type(event).__qualname__,
            error,
            exc_info=error,
        )
        if not isinstance(event, SubscriberFailed):
            self.deliver(
                SubscriberFailed(event=event, subscriber=subscription.handler, error=error, at=datetime.now(UTC)),
                awaitables,
            )

    def _drop(self, subscription: "Subscription") -> None:
        with self._lock:
            subscription.live = False
            self._set(tuple(one for one in self.subscriptions if one is not subscription))

    def _set(self, subscriptions: tuple["Subscription", ...]) -> None:
        self.subscriptions = subscriptions
        self._routes = {}


class Subscription:
    """A handler, what it wants to hear of, the event loop that ran when it asked, and whether it still does."""

    __slots__ = ("event", "handler", "live", "loop")

    def __init__(self, event: type, handler: Handler[object]) -> None:
        self.event: Final = event
        self.handler: Final = handler
        self.loop: Final = running_loop()
        self.live = True
