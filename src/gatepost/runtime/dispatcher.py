"""Who hears of events: subscribers by type, called in the order in which they came."""

import threading
from collections.abc import Callable
from typing import Final, TypeVar, cast, final

from gatepost.runtime.failures import Failures

E = TypeVar("E")

Handler = Callable[[E], object]


@final
class Dispatcher:
    """Announces events to those who subscribed to their type, or to a base of it. Safe to use from many threads.

    A handler runs in the thread that announces. All of them run, even if one fails; then the failure is raised
    (several: as an `ExceptionGroup`).
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
        """Announce an event. It changes no session: for that, dispatch on the session."""
        failures = Failures()
        self.deliver(event, failures)
        failures.report(f"announcing {type(event).__qualname__}")

    def deliver(self, event: object, failures: Failures) -> None:
        """Announce an event, gathering failures instead of raising them."""
        for subscription in self.route(type(event)):
            if subscription.live:
                with failures:
                    subscription.handler(event)

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

    def _drop(self, subscription: "Subscription") -> None:
        with self._lock:
            subscription.live = False
            self._set(tuple(one for one in self.subscriptions if one is not subscription))

    def _set(self, subscriptions: tuple["Subscription", ...]) -> None:
        self.subscriptions = subscriptions
        self._routes = {}


class Subscription:
    """A handler, what it wants to hear of, and whether it still does."""

    __slots__ = ("event", "handler", "live")

    def __init__(self, event: type, handler: Handler[object]) -> None:
        self.event: Final = event
        self.handler: Final = handler
        self.live = True
