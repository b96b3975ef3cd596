"""Change notifications: a client's subscriptions, and the messages that it gets.

A modern client opens a stream with `subscriptions/listen`; a legacy client subscribes to one resource after
another. Both only learn that something changed and read it again, so a notification carries no data. Loaded on
first use.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from gatepost.surfaces.mcp.addresses import LONGEST
from gatepost.surfaces.mcp.messages import (
    INVALID_PARAMS,
    McpRequest,
    Peer,
    RpcError,
    RpcReply,
    UnknownName,
    encode,
    notice,
)
from gatepost.surfaces.mcp.resources import NOT_FOUND_IN_LEGACY, Resources
from gatepost.surfaces.mcp.watched_resources import WatchedResource

MOST: Final = 256
"""How many resources one client can subscribe to."""
MOST_WORKSPACES: Final = 16
"""In how many workspaces: each is followed separately."""
SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"
UNSUBSCRIBE: Final = "resources/unsubscribe"

_UPDATED: Final = "notifications/resources/updated"
_ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"


class SubscriptionStream:
    """A modern client's stream, under the id of the request that opened it."""

    def __init__(self, request_id: str | int, watched: Sequence[WatchedResource]) -> None:
        self.id = request_id
        self.watched = watched

    def acknowledged(self) -> bytes:
        """The first message: which of the requested resources are watched."""
        uris = [watched.uri for watched in self.watched]
        notifications = {"resourceSubscriptions": uris} if uris else {}
        return notice(_ACKNOWLEDGED, {**self.mark(), "notifications": notifications})

    def ended(self) -> bytes:
        """The last message, if the server ends the stream."""
        result = {"resultType": "complete", **self.mark()}
        return RpcReply(encode({"jsonrpc": "2.0", "id": self.id, "result": result})).body

    def mark(self) -> dict[str, object]:
        """What distinguishes this stream's messages from others."""
        return {"_meta": {SUBSCRIPTION_KEY: self.id}}


def updates(uris: Iterable[str], mark: dict[str, object]) -> list[bytes]:
    """Notifications that these resources changed. `mark` is that of the stream; for a legacy client, none."""
    return [notice(_UPDATED, {**mark, "uri": uri}) for uri in uris]


def listen(resources: Resources, request: McpRequest) -> SubscriptionStream:
    """The stream that a modern client asks for. Its acknowledgement leaves out unsupported notifications."""
    if isinstance(request.id, str) and len(request.id) > LONGEST:
        raise RpcError(INVALID_PARAMS, f"the id of a stream has at most {LONGEST} characters")
    wanted = request.params.get("notifications")
    if not isinstance(wanted, dict):
        raise RpcError(INVALID_PARAMS, "subscriptions/listen needs notifications, an object")
    uris = wanted.get("resourceSubscriptions") or []
    if not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
        raise RpcError(INVALID_PARAMS, "resourceSubscriptions must be a list of URIs")
    found = [_found(resources, uri) for uri in dict.fromkeys(uris[: MOST + 1])]
    watched = [one for one in found if one is not None]
    if len(uris) > MOST or len({one.workspace for one in watched}) > MOST_WORKSPACES:
        raise _too_many()
    return SubscriptionStream(request.id, watched)


def subscribe(resources: Resources, request: McpRequest, peer: Peer) -> None:
    """Subscribe a legacy client to a resource, or unsubscribe it."""
    subscriptions, uri = peer.subscriptions, request.text("uri")
    if subscriptions is None:
        raise RpcError(
            INVALID_PARAMS, "this connection cannot receive notifications: read the resource again instead"
        )
    if request.method == UNSUBSCRIBE:
        subscriptions.remove(uri)
        return
    found = _found(resources, uri)
    if found is None:
        raise RpcError(NOT_FOUND_IN_LEGACY, f"resource not found: {uri[:200]}", {"uri": uri[:LONGEST]})
    if not subscriptions.add(found):
        raise _too_many()


def _found(resources: Resources, uri: str) -> WatchedResource | None:
    try:
        return WatchedResource(uri, *resources.watch(uri))
    except UnknownName:
        return None


def _too_many() -> RpcError:
    words = f"a client can subscribe to at most {MOST} resources in {MOST_WORKSPACES} workspaces"
    return RpcError(INVALID_PARAMS, f"{words}: unsubscribe from some, or open another connection")
