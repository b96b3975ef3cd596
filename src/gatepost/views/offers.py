"""Calls in views, as they can be named to the reader."""

from msgspec.structs import replace

from gatepost.domain.offers import EVERYTHING, Offer
from gatepost.domain.refusals import Suggestion
from gatepost.replies.reply import SuggestedCall


def offered(offer: Offer, call: SuggestedCall) -> SuggestedCall | None:
    """A call that was offered, or a look in its place; none if there is no such look."""
    if offer is EVERYTHING:
        return call
    found = offer.nearest(call.tool, call.arguments)
    return None if found is None else _renamed(call, found)


def next_offered(offer: Offer, call: SuggestedCall) -> SuggestedCall:
    """The same for a view that always names a next call: at worst a look at whatever can be read."""
    found = offered(offer, call)
    if found is not None:
        return found
    look = offer.any_look(str(call.arguments["workspace"]))
    return call if look is None else _renamed(call, look)


def _renamed(call: SuggestedCall, found: Suggestion) -> SuggestedCall:
    arguments = dict(found.arguments)
    if found.tool == call.tool:
        return replace(call, arguments=arguments)
    return SuggestedCall(tool=found.tool, arguments=arguments, because=call.because)
