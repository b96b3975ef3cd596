"""`gatepost export` and `gatepost import`: choose what, show progress, and say what was done."""

import io
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import BinaryIO

import msgspec

from gatepost import __version__, wiring
from gatepost.engine.clock import SystemClock
from gatepost.engine.port import Store
from gatepost.settings import Settings
from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.export_target import export_target, say
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.parser import file_settings
from gatepost.surfaces.cli.progress_line import ProgressLine
from gatepost.surfaces.cli.transfer_formats import EXPORT, IMPORT
from gatepost.transfer import (
    DATABASE,
    Exported,
    Imported,
    export_workspaces,
    import_workspaces,
)

AUTO = "auto"
_BEGIN = 64
_EXPORT = b'{"line":"export"'
_HASH = 16
_SAME = "It is the same as in the file."


def export_file(options: Namespace) -> int:
    """Write workspaces to a file or to stdout."""
    _check_format("--format", options.format, EXPORT)
    if options.format != "jsonl":
        from gatepost.surfaces.cli.document_exports import export_document

        return export_document(options)
    found = file_settings(options)
    if options.all and options.workspace is not None:
        raise BadUsage("--all and --workspace name two things to export", "Give one of them.")
    if options.json and options.file == "-":
        raise BadUsage("--json and the export would both go to stdout", "Name a FILE to export to.")
    with closing(wiring.store(found.store, found.synchronous)) as store:
        names = _chosen(options, found, store)
        with ProgressLine("Exporting") as progress, export_target(options) as write:
            now = SystemClock().now()
            done = export_workspaces(
                store, names, write, progress.show, version=__version__, at=now, form=options.format
            )
    if options.json:
        rows = [{**each._asdict(), "counts": msgspec.to_builtins(each.counts)} for each in done]
        print_json(msgspec.json.encode({"file": os.path.abspath(options.file), "workspaces": rows}).decode())
    elif not options.quiet:
        for each in done:
            say(_exported(each), aside=options.file == "-")
    return 0


def import_file(options: Namespace) -> int:
    """Add the workspaces of an export to the store, or the tasks of another tool."""
    _check_format("--from", options.form, IMPORT)
    if not _is_export(options):
        from gatepost.surfaces.cli.item_imports import import_items, recognized

        items = recognized(options)
        if items is not None:
            return import_items(options, items)
    return _import_workspaces(options)


def _is_export(options: Namespace) -> bool:
    """Whether to read the file as an export: it was said so, or it begins as one, as a database, or not at all."""
    if options.form != AUTO:
        return bool(options.form == "jsonl")
    if options.file == "-":
        begin = sys.stdin.buffer.peek(_BEGIN)[:_BEGIN] if isinstance(sys.stdin.buffer, io.BufferedReader) else b""
    elif not os.path.isfile(options.file):
        return not os.path.isdir(options.file)
    else:
        with _source(options.file) as file:
            begin = file.read(_BEGIN)
    return begin.startswith((_EXPORT, DATABASE)) or not begin


def _import_workspaces(options: Namespace) -> int:
    if options.leave_open:
        raise BadUsage("--leave-open is for other tools' files", "Leave it out: an export has the whole history.")
    found = file_settings(options)
    done: list[Imported] = []
    with (
        closing(wiring.store(found.store, found.synchronous)) as store,
        _source(options.file) as file,
        ProgressLine("Checking" if options.dry_run else "Importing") as progress,
    ):
        name = "stdin" if options.file == "-" else options.file
        for each in import_workspaces(
            store, file, name, progress.show, only=options.workspace, dry_run=options.dry_run
        ):
            progress.clear()
            done.append(each)
            if not (options.json or options.quiet):
                say(_imported(each, dry_run=options.dry_run))
    if options.workspace is not None and not done:
        raise NothingFound(f"{name} has no workspace {options.workspace}", "Leave out --workspace to import all.")
    if options.json:
        shown = {"store": found.store, "dry_run": options.dry_run, "workspaces": [each._asdict() for each in done]}
        print_json(msgspec.json.encode(shown).decode())
    return 0


def _check_format(option: str, given: str, known: Iterable[str]) -> None:
    if given not in known:
        raise BadUsage(f"{option} {given} is not a format", f"Choose one of: {', '.join(known)}")


def _chosen(options: Namespace, found: Settings, store: Store) -> list[str]:
    """The workspaces to export: all, the one that was set, or the only one there is."""
    names = store.workspaces()
    if not names:
        raise NothingFound(f"the store at {found.store} is empty", "Name another one with --store.")
    if options.all:
        return names
    listed = f"The store has: {', '.join(names)}"
    if found.workspace is None and len(names) > 1:
        raise BadUsage(f"which workspace? {listed}", "Choose one with --workspace, or export --all.")
    chosen = found.workspace or names[0]
    if chosen not in names:
        raise NothingFound(f"the store has no workspace {chosen}", listed)
    return [chosen]


@contextmanager
def _source(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise BadUsage(f"cannot read {name}: {error.strerror}", "Name a file that gatepost export wrote.") from None
    with file:
        yield file


def _exported(each: Exported) -> str:
    return (
        f"Exported {each.workspace}: {_counted(each.counts.operations, 'operation')},"
        f" {_counted(each.counts.events, 'event')}; {_end(each)}."
    )


def _imported(each: Imported, *, dry_run: bool) -> str:
    amount = f"{_counted(each.operations, 'operation')}, {_counted(each.events, 'event')}"
    if not each.operations and not each.resumed:
        return f"{each.workspace} is already here, and the same: 0 operations; {_end(each)}."
    onward = f" after seq {each.after}" if each.after else ""
    if dry_run:
        return f"Would import {each.workspace}: {amount}{onward}; {_end(each)}. The file's hash chain is whole."
    if each.resumed:
        return f"Completed the import of {each.workspace}: {amount}{onward}; {_end(each)}. {_SAME}"
    return f"Imported {each.workspace}: {amount}{onward}; {_end(each)}. {_SAME}"


def _end(each: Exported | Imported) -> str:
    return f"log {each.seq} {each.hash[:_HASH]}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
