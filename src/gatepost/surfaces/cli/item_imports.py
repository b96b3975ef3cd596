"""`gatepost import` of another tool's files: read them, write what is new, and say what came and what did not."""

from __future__ import annotations

import sys
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gatepost.interchange.dependencies import accepted
from gatepost.interchange.import_report import ImportReport
from gatepost.interchange.item_writer import import_reading
from gatepost.interchange.items import Reading
from gatepost.interchange.recognition import Recognized, recognize
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.progress_line import ProgressLine
from gatepost.surfaces.terminal import stdout

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

_SHOWN = 5
_WIDEST = 100


def recognized(options: Namespace) -> Recognized | None:
    """What the files say, if they are those of another tool."""
    return recognize(options.file, options.form, sys.stdin.buffer if options.file == "-" else None)


def import_items(options: Namespace, found: Recognized) -> int:
    """Add what is new in the files to the workspace."""
    report = ImportReport(source=found.source, label=found.label, files=found.files, dry_run=options.dry_run)
    options.actor = f"import:{found.source}"  # never a person: what is closed here rests on the source's word
    with Invocation(options) as invocation:
        workspace = _workspace(invocation)
        if options.dry_run and not invocation.has_store():
            _count(report, found.reading, leave_open=options.leave_open)
        else:
            with ProgressLine("Checking" if options.dry_run else "Importing") as progress:
                import_reading(
                    invocation.client,
                    workspace,
                    report,
                    found.reading,
                    partial(progress.show, found.label),
                    leave_open=options.leave_open,
                )
    if options.json:
        print_json(msgspec.json.encode({"workspace": workspace, **msgspec.to_builtins(report)}).decode())
    elif not options.quiet:
        terminal = stdout()
        for line in _lines(report, workspace):
            terminal.say(terminal.clean(line))
    return 1 if report.refused else 0


def _workspace(invocation: Invocation) -> str:
    """The workspace to import into. An import may create the store, so a name that was set is enough."""
    if invocation.settings.workspace is not None:
        return invocation.settings.workspace
    if invocation.has_store() and invocation.client.workspaces():
        return invocation.workspace()
    raise BadUsage(
        "which workspace? The store is empty, and none is set", "Name it, for example: --workspace acme/repo"
    )


def _count(report: ImportReport, reading: Reading, *, leave_open: bool) -> None:
    """What an import into a store that does not exist yet would add."""
    report.losses += [*reading.losses, *accepted(reading)[1]]
    for item in reading.all():
        report.count_created(item)
        report.count_closed(item, may_close=not leave_open)


def _lines(report: ImportReport, workspace: str) -> Iterator[str]:
    added = [
        _counted(report.plans, "plan"),
        f"{_counted(report.tasks, 'task')} with {_counted(report.steps, 'step')}",
    ]
    if report.added_steps:
        added.append(f"{_counted(report.added_steps, 'new step')} in tasks that were here")
    verb = "Would import" if report.dry_run else "Imported"
    if not (report.plans or report.tasks or report.added_steps):
        yield f"{report.label}: nothing new for {workspace}."
    else:
        yield f"{verb} from {report.label} into {workspace}: {', '.join(added if report.plans else added[1:])}."
    if report.known:
        yield f"Already here, and left as they are: {_counted(report.known, 'plan or task', 'plans and tasks')}."
    if report.closed:
        also = f" and {_counted(report.completed, 'task or plan', 'tasks and plans')}" if report.completed else ""
        yield (
            f"{'Would be closed' if report.dry_run else 'Closed'} on the word of {report.label} alone:"
            f" {_counted(report.closed, 'step')}{also}. Nothing is proven: see gatepost lint with a plan or task."
        )
    if report.left_open:
        yield f"Done there and open here: {_counted(report.left_open, 'step')}. A note on each says why."
    yield from _listed("Done there now, and still open here", report.differs)
    by_kind: defaultdict[str, list[str]] = defaultdict(list)
    for loss in report.losses:
        by_kind[loss.what].append(loss.where)
    if by_kind:
        yield "Not kept:"
    for what, where in by_kind.items():
        yield from (f"  {line}" for line in _listed(what, where))
    for refused in report.refused:
        yield f"Refused, {refused.key}: {refused.code}: {refused.message}"


def _listed(what: str, where: Sequence[str]) -> Iterator[str]:
    if where:
        names = "; ".join(name if len(name) <= _WIDEST else f"{name[:_WIDEST]}…" for name in where[:_SHOWN])
        more = f"; and {len(where) - _SHOWN:,} more" if len(where) > _SHOWN else ""
        yield f"{what}: {len(where):,} ({names}{more})"


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
