"""The resources that a legacy client subscribed to, and where its transport keeps them."""

from typing import NamedTuple, Protocol


class WatchedResource(NamedTuple):
    """A resource, the workspace whose log reports its changes, and the last `seq` of that log."""

    uri: str
    workspace: str
    seq: int


class Subscriptions(Protocol):
    """The subscriptions of one legacy client. Safe to use from any thread."""

    def add(self, watched: WatchedResource) -> bool:
        """Start notifying the client about a resource. Returns false if it has too many."""

    def remove(self, uri: str) -> None:
        """Stop notifying the client about a resource. Does nothing if it never subscribed."""
