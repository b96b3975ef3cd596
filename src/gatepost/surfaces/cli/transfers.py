"""`gatepost export` and `gatepost import`: choose what, show progress, and say what was done."""

import io
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import BinaryIO

import msgspec

from gatepost import __version__, wiring
from gatepost.domain.refusals import AlreadyExists
from gatepost.engine.clock import SystemClock
from gatepost.engine.port import Store
from gatepost.settings import Settings
from gatepost.surfaces.cli.commands.export import FORMS, SOURCES
from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.parser import file_settings
from gatepost.surfaces.cli.progress_line import ProgressLine
from gatepost.surfaces.terminal import Terminal, stdout
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
    _check_format("--format", options.format, FORMS)
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
        with ProgressLine("Exporting") as progress, _target(options) as write:
            now = SystemClock().now()
            done = export_workspaces(
                store, names, write, progress.show, version=__version__, at=now, form=options.format
            )
    if options.json:
        rows = [{**each._asdict(), "counts": msgspec.to_builtins(each.counts)} for each in done]
        print_json(msgspec.json.encode({"file": os.path.abspath(options.file), "workspaces": rows}).decode())
    elif not options.quiet:
        for each in done:
            _say(_exported(each), aside=options.file == "-")
    return 0


def import_file(options: Namespace) -> int:
    """Add the workspaces of an export to the store, or the tasks of another tool."""
    _check_format("--from", options.form, (AUTO, *SOURCES))
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
                _say(_imported(each, dry_run=options.dry_run))
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
def _target(options: Namespace) -> Iterator[Callable[[bytes], object]]:
    """Where the bytes go. A file gets its name once it is complete, and is for its owner alone."""
    if options.file == "-":
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    path = os.path.abspath(options.file)
    _check_target(options.file, path, replace=options.force)
    unfinished = f"{path}-{os.urandom(4).hex()}.tmp"
    try:
        with open(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600), "wb") as file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)


def _check_target(name: str, path: str, *, replace: bool) -> None:
    if os.path.isdir(path):
        raise AlreadyExists(f"{name} is a folder.", "Name a file in it.")
    if not os.path.isdir(os.path.dirname(path)):
        raise BadUsage(f"the folder of {name} does not exist", "Create the folder, or choose another file.")
    if not os.path.lexists(path):
        return
    if not replace:
        raise AlreadyExists(f"{name} already exists.", "Choose another file, or add --force to replace it.")
    if os.path.isfile(path):
        with open(path, "rb") as file:
            is_database = file.read(len(DATABASE)) == DATABASE
        if is_database:
            raise AlreadyExists(f"{name} is a database, perhaps a store.", "Choose another file.")


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


def _say(words: str, *, aside: bool = False) -> None:
    """Say it on stdout, or on stderr if the export goes to stdout."""
    if aside and sys.stderr is None:
        return
    terminal = Terminal(sys.stderr) if aside else stdout()
    terminal.say(terminal.clean(words))
