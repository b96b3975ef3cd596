"""`gatepost export --format md|csv|mermaid`: a workspace as a document to read, from a store or a server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.export_target import export_target, say
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.progress_line import ProgressLine
from gatepost.surfaces.export import FORMATS
from gatepost.surfaces.export.work_reader import count_work, read_work

if TYPE_CHECKING:
    from argparse import Namespace


def export_document(options: Namespace) -> int:
    """Write the workspace that was set, or the only one, to a file or to stdout."""
    if options.all:
        raise BadUsage("--all is for the format jsonl", "Choose one workspace with --workspace.")
    if options.json and options.file == "-":
        raise BadUsage("--json and the export would both go to stdout", "Name a FILE to export to.")
    done = 0
    with Invocation(options) as invocation, ProgressLine("Exporting") as progress:
        client, workspace = invocation.client, invocation.workspace()
        total = count_work(client, workspace)

        def tell(count: int) -> None:
            nonlocal done
            done = count
            progress.show(workspace, count, max(total, count))

        with export_target(options) as write:
            for piece in FORMATS[options.format](workspace, read_work(client, workspace, tell)):
                write(piece.encode())
    if options.json:
        name = os.path.abspath(options.file)
        print_json(f'{{"file":{_text(name)},"workspace":{_text(workspace)},"plans_and_tasks":{done}}}')
    elif not options.quiet:
        what = "1 plan or task" if done == 1 else f"{done:,} plans and tasks"
        say(f"Exported {what} of {workspace} as {options.format}.", aside=options.file == "-")
    return 0


def _text(value: str) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()
