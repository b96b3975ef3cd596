"""Where an export goes: to stdout, or to a file that appears once it is complete."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gatepost.domain.refusals import AlreadyExists
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.terminal import Terminal, stdout
from gatepost.transfer import DATABASE


@contextmanager
def export_target(options: Namespace) -> Iterator[Callable[[bytes], object]]:
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


def say(words: str, *, aside: bool = False) -> None:
    """Say it on stdout, or on stderr if the export goes to stdout."""
    if aside and sys.stderr is None:
        return
    terminal = Terminal(sys.stderr) if aside else stdout()
    terminal.say(terminal.clean(words))
