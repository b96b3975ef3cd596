"""Reading taskdocs: the text, its changes, and what differs between two of them."""

import json
from typing import Any

from gatepost.operations.unadopted_packages import workspaces
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.session import ROOM, Session, given
from gatepost.surfaces.cli.taskdocs.targets import recalled, target
from gatepost.surfaces.cli.views import taskdoc as views


def show(session: Session) -> None:
    """Print the effective taskdoc, or a section."""
    named = target(session.options).arguments()
    asked = {"workspace": _on_disk(session) or session.workspace(), **named}
    if session.options.json:
        print_json(session.ask("recall_mind", asked))
    else:
        views.show(session, recalled(session, asked))


def history(session: Session) -> None:
    """Print one page of what changed, the newest first."""
    asked = {**_asked(session), **given(session.options, "limit", "cursor")}
    if session.options.json:
        print_json(session.ask("taskdoc_history", asked))
    else:
        views.history(session, json.loads(session.ask("taskdoc_history", {**asked, "max_chars": ROOM})))


def diff(session: Session) -> None:
    """Print what differs between two revisions of a section."""
    revisions = dict(zip(("from", "to"), target(session.options).revisions, strict=False))
    asked = {**_asked(session), **revisions}
    if session.options.json:
        print_json(session.ask("taskdoc_diff", asked))
    else:
        views.diff(json.loads(session.ask("taskdoc_diff", {**asked, "max_chars": ROOM})))


def _on_disk(session: Session) -> str | None:
    """Without a store, the workspace whose packages a clone brought: what is there can be read at once."""
    if session.has_store() or session.engine.packages is None:
        return None
    found, chosen = workspaces(session.engine.packages), session.settings.workspace
    return chosen if chosen in found else found[0] if len(found) == 1 and chosen is None else None


def _asked(session: Session) -> dict[str, Any]:
    named = target(session.options).arguments()
    return {"workspace": session.workspace(), **named}
