"""`taskdoc show`, `history` and `diff`."""

from msgspec.structs import replace

from gatepost.client.local import LocalClient
from gatepost.operations.recall import RecallMind
from gatepost.operations.taskdoc_versions import TaskdocDiff, TaskdocHistory
from gatepost.operations.unadopted_packages import workspaces
from gatepost.surfaces.cli.invocation import ROOM, Invocation, given
from gatepost.surfaces.cli.taskdocs.targets import recalled, target
from gatepost.surfaces.cli.views import taskdoc as views


def show(invocation: Invocation) -> None:
    """Print the effective taskdoc, or a section."""
    named, workspace = target(invocation.options), _on_disk(invocation) or invocation.workspace()
    if invocation.options.json:
        invocation.print_json(RecallMind(workspace=workspace, **named.arguments()))
    else:
        views.show(invocation, recalled(invocation, workspace, named))


def history(invocation: Invocation) -> None:
    """Print one page of what changed, the newest first."""
    options = invocation.options
    asked = {**target(options).arguments(), **given(options, "limit", "cursor")}
    command = TaskdocHistory(workspace=invocation.workspace(), **asked)
    if options.json:
        invocation.print_json(command)
    else:
        views.history(invocation, invocation.client.do(replace(command, max_chars=ROOM)))


def diff(invocation: Invocation) -> None:
    """Print what differs between two revisions of a section."""
    named = target(invocation.options)
    since, *to = named.revisions
    command = TaskdocDiff(
        workspace=invocation.workspace(), since=since, to=next(iter(to), None), **named.arguments()
    )
    if invocation.options.json:
        invocation.print_json(command)
    else:
        views.diff(invocation.client.do(replace(command, max_chars=ROOM)))


def _on_disk(invocation: Invocation) -> str | None:
    """Without a store, the workspace whose packages a clone brought: what is there can be read at once."""
    if invocation.has_store() or not isinstance(invocation.client, LocalClient):
        return None
    packages = invocation.client.engine.packages
    found, chosen = [] if packages is None else workspaces(packages), invocation.settings.workspace
    return chosen if chosen in found else found[0] if len(found) == 1 and chosen is None else None
