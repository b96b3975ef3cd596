"""A workspace that does not exist is not an empty one: a read of it names those that do."""

from typing import Final, TypeVar

from msgspec.structs import replace

from gatepost.engine.reader import Reader
from gatepost.replies.reply import SuggestedCall, TargetReply
from gatepost.views.budget import Cut, View, rows, without
from gatepost.views.offers import next_offered

R = TypeVar("R", bound=TargetReply)

_NAMED: Final = 5
_LOOKED_AT: Final = 1_000
_CUTS: Final = (Cut("workspaces", rows("workspaces", least=1)),)
_LAST_CUTS: Final = (Cut("next", without("next", "because")), Cut("workspaces", rows("workspaces")))


def elsewhere(reader: Reader, tool: str, view: View[R]) -> View[R]:
    """A view of nothing. If nobody ever wrote to this workspace, it names others, and the same read of the most
    similar one as the next call, so that a misspelt name does not look like a new project."""
    names = _others(reader)
    if not names:
        return view
    because = f"There is no workspace {reader.workspace}. This is the most similar one."
    call = SuggestedCall(tool=tool, arguments={"workspace": names[0]}, because=because)
    reply = replace(view.reply, workspaces=names, next=next_offered(reader.caller.offer, call))
    return replace(view, reply=reply, cuts=(*_CUTS, *view.cuts, *_LAST_CUTS))


def _others(reader: Reader) -> tuple[str, ...]:
    """The most similar workspaces that the caller may see, if this one does not exist."""
    if reader.head().seq or reader.moment is not None or reader.caller.bound is not None:
        return ()
    from difflib import get_close_matches

    known = [name for name in reader.workspaces()[:_LOOKED_AT] if name != reader.workspace]
    return tuple(get_close_matches(reader.workspace, known, n=_NAMED, cutoff=0.0))
