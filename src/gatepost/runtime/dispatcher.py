"""Subscribers by event type, called in the order of subscriber."""

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
    """Announces events to the subscribers of their type or of a base class. Safe to use from many threads.

    An announced event has already happened, so a failing handler affects nobody else: its failure is logged and
    announced as `SubscriberFailed`. A handler runs in the announcing thread. An async handler is awaited on the
    event loop on which it subscribed, as long as that loop runs.
    """

    __slots__ = ("_lock", "_routes", "subscribers")

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self.subscribers: tuple[Subscriber, ...] = ()
        self._routes: dict[type, tuple[Subscriber, ...]] = {}

    def subscribe(self, event: type[E], handler: Handler[E]) -> Callable[[], None]:
        """Call the handler with every event of this type or a subtype. `object` receives all events.

        Returns a function that unsubscribes. After that the handler is not called, not even for an event that is
        being announced.
        """
        if not isinstance(event, type):
            raise TypeError(f"subscribe({event!r}, …): the first argument is a class of events, or object for all")
        if not callable(handler):
            raise TypeError(
                f"subscribe({event.__qualname__}, {handler!r}): the handler must be callable with an event"
            )
        issubclass(object, event)  # some protocols do not support this, and would fail at every event
        subscriber = Subscriber(event, cast("Handler[object]", handler))
        with self._lock:
            self._set((*self.subscribers, subscriber))
        return lambda: self._drop(subscriber)

    def dispatch(self, event: object) -> None:
        """Announce an event. To change a session, dispatch on the session instead.

        Async handlers have finished when this returns, unless an event loop runs in this thread. The loop then runs
        them next, and `adispatch` waits for them.
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
        """Announce an event, and add the work of async handlers to the given awaitables."""
        for subscriber in self.route(type(event)):
            if subscriber.live:
                self._notify(subscriber, event, awaitables)

    def route(self, kind: type) -> tuple["Subscriber", ...]:
        """The subscribers that receive events of exactly this type, in order."""
        # Read the table once: if it is replaced meanwhile, this result must not be stored in the new one.
        routes = self._routes
        route = routes.get(kind)
        if route is None:
            subscribers = self.subscribers
            route = tuple(one for one in subscribers if issubclass(kind, one.event))
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

    def _notify(self, subscriber: "Subscriber", event: object, awaitables: Awaitables) -> None:
        failed = partial(self._failed, subscriber, event, awaitables)
        with FailureHandler(failed):
            result = subscriber.handler(event)
            if isawaitable(result):
                awaitables.add(Pending(result, failed, subscriber.loop))

    def _failed(
        self, subscriber: "Subscriber", event: object, awaitables: Awaitables, error: BaseException
    ) -> None:
        """Report a failed subscriber. A failure to handle `SubscriberFailed` itself is only logged."""
        _log.error(
            "The subscriber %s failed on %s: %r",
            name(subscriber.handler),
            type(event).__qualname__,
            error,
            exc_info=error,
        )
        if not isinstance(event, SubscriberFailed):
            self.deliver(
                SubscriberFailed(event=event, subscriber=subscriber.handler, error=error, at=datetime.now(UTC)),
                awaitables,
            )

    def _drop(self, subscriber: "Subscriber") -> None:
        with self._lock:
            subscriber.live = False
            self._set(tuple(one for one in self.subscribers if one is not subscriber))

    def _set(self, subscribers: tuple["Subscriber", ...]) -> None:
        self.subscribers = subscribers
        self._routes = {}


class Subscriber:
    """A handler, its event type, the event loop on which it subscribed, and whether it is still subscribed."""

    __slots__ = ("event", "handler", "live", "loop")

    def __init__(self, event: type, handler: Handler[object]) -> None:
        self.event: Final = event
        self.handler: Final = handler
        self.loop: Final = running_loop()
        self.live = True
