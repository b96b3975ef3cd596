"""`taskdoc show`, `history` and `diff`."""

from typing import Any

import msgspec

from gatepost.client.local import LocalClient
from gatepost.operations.unadopted_packages import workspaces
from gatepost.surfaces.cli.invocation import ROOM, Invocation, given
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.taskdocs.targets import recalled, target
from gatepost.surfaces.cli.views import taskdoc as views


def show(invocation: Invocation) -> None:
    """Print the effective taskdoc, or a section."""
    named = target(invocation.options).arguments()
    asked = {"workspace": _on_disk(invocation) or invocation.workspace(), **named}
    if invocation.options.json:
        print_json(invocation.ask("recall_mind", asked))
    else:
        views.show(invocation, recalled(invocation, asked))


def history(invocation: Invocation) -> None:
    """Print one page of what changed, the newest first."""
    asked = {**_asked(invocation), **given(invocation.options, "limit", "cursor")}
    if invocation.options.json:
        print_json(invocation.ask("taskdoc_history", asked))
    else:
        views.history(
            invocation, msgspec.json.decode(invocation.ask("taskdoc_history", {**asked, "max_chars": ROOM}))
        )


def diff(invocation: Invocation) -> None:
    """Print what differs between two revisions of a section."""
    revisions = dict(zip(("from", "to"), target(invocation.options).revisions, strict=False))
    asked = {**_asked(invocation), **revisions}
    if invocation.options.json:
        print_json(invocation.ask("taskdoc_diff", asked))
    else:
        views.diff(msgspec.json.decode(invocation.ask("taskdoc_diff", {**asked, "max_chars": ROOM})))


def _on_disk(invocation: Invocation) -> str | None:
    """Without a store, the workspace whose packages a clone brought: what is there can be read at once."""
    if invocation.has_store() or not isinstance(invocation.client, LocalClient):
        return None
    packages = invocation.client.engine.packages
    found, chosen = [] if packages is None else workspaces(packages), invocation.settings.workspace
    return chosen if chosen in found else found[0] if len(found) == 1 and chosen is None else None


def _asked(invocation: Invocation) -> dict[str, Any]:
    named = target(invocation.options).arguments()
    return {"workspace": invocation.workspace(), **named}
