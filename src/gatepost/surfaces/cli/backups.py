"""`gatepost backup` and `gatepost restore`: progress on a terminal, then what was copied."""

import os
import sys
import time
from argparse import Namespace
from functools import partial
from typing import Any

import msgspec

from gatepost.engine.doctor import Checkup
from gatepost.storage.sqlite import backups
from gatepost.surfaces.cli.errors import FAULT, BadUsage
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.parser import file_settings
from gatepost.surfaces.cli.progress_line import ProgressLine
from gatepost.surfaces.cli.prompt import agreed
from gatepost.surfaces.terminal import stdout


def back_up(options: Namespace) -> int:
    """Make a backup, and say what it holds."""
    store, file = _store(options), os.path.abspath(options.file)
    with ProgressLine("Copying") as progress:
        checkup = backups.back_up(store, file, partial(progress.show, store), replace=options.force)
    found = len(checkup.findings)
    if options.json:
        _print({"file": file, "store": store}, checkup)
    elif not options.quiet:
        _say(f"Backed up {store} to {file}: {_contents(checkup)}.")
    if found and not options.quiet and not options.json:
        problems = f"{_counted(found, 'problem')} in the store, which the backup also has"
        _say(f"The doctor found {problems}. Run gatepost doctor.")
    return FAULT if found else 0


def restore(options: Namespace) -> int:
    """Put a backup in place, and say where the old store is."""
    store, file = _store(options), os.path.abspath(options.file)
    replace = options.replace or (_on_a_terminal() and _may_replace(store))
    with ProgressLine("Copying") as progress:
        tell = partial(progress.show, file)
        done = backups.restore(file, store, _kept(store), tell, replace=replace, unsound=options.unsound)
    if options.json:
        _print({"file": file, "store": store, "kept": done.kept}, done.checkup)
    elif not options.quiet:
        _say(f"Restored {store} from {file}: {_contents(done.checkup)}.")
        if done.kept is not None:
            _say(f"The old store is now {done.kept}.")
    return 0


def _may_replace(store: str) -> bool:
    preview = [f"There is already a store at {store}. It will be kept beside the restored one."]
    return os.path.exists(store) and agreed(preview, yes=False, what="Replace it")


def _on_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _store(options: Namespace) -> str:
    found = file_settings(options)
    if found.is_database:
        raise BadUsage(
            f"gatepost {options.command} copies a store's file, and {found.place} is a database",
            "Use pg_dump and pg_restore for the whole database, PostgreSQL's continuous archiving to go back to any"
            " moment, or gatepost export and import for workspaces. docs/many-machines.md shows how.",
        )
    if not found.is_file:
        raise BadUsage("a store in memory has no file", "Name a file with --store.")
    return os.path.abspath(found.store)


def _kept(store: str) -> str:
    """A free name beside the store, which says what it is and since when."""
    stem, ending = os.path.splitext(store)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return f"{stem}-replaced-{stamp}-{os.urandom(2).hex()}{ending}"


def _contents(checkup: Checkup) -> str:
    events = sum(report.checked.get("events", 0) for report in checkup.workspaces)
    return f"{_counted(len(checkup.workspaces), 'workspace')}, {_counted(events, 'event')}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _print(head: dict[str, Any], checkup: Checkup) -> None:
    rows = [
        {"workspace": report.workspace, "checked": report.checked, "findings": len(report.findings)}
        for report in checkup.workspaces
    ]
    whole = {**head, "store_findings": len(checkup.store), "workspaces": rows}
    print_json(msgspec.json.encode(whole).decode())


def _say(words: str) -> None:
    terminal = stdout()
    terminal.say(terminal.clean(words))
