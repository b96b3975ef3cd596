"""Scanning: from a directory to a digest of what its files say. Nothing is run, and nothing outside is read."""

import os
from dataclasses import dataclass

from gatepost.digest import caveats as stated
from gatepost.digest import commands as declared
from gatepost.digest import ground, identity, layout, rendering
from gatepost.digest.findings import Caveat, Command, Layout
from gatepost.digest.shelf import Shelf
from gatepost.digest.walk import walked


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A digest, and the findings it was written from. `truncated`: something was left out for its size."""

    name: str
    summary: str
    body: str
    layout: Layout
    commands: tuple[Command, ...]
    caveats: tuple[Caveat, ...]
    files: int
    truncated: bool


def scan(root: str, *, name: str | None = None) -> Scan:
    """The digest of a repository: the same for the same files, wherever they lie.

    Only a repository that no file gives a name is called by its directory. Refuses a root that is no directory.
    """
    descriptor = ground.open_root(root)
    try:
        shelf = Shelf(descriptor, walked(descriptor))
        return _digest(shelf, named=name, directory=os.path.basename(os.path.realpath(root)))
    finally:
        os.close(descriptor)


def _digest(shelf: Shelf, *, named: str | None, directory: str) -> Scan:
    who = identity.found(shelf, named=named, directory=directory)
    commands = declared.found(shelf)
    caveats = stated.found(shelf)
    laid_out = layout.found(shelf)  # last: its notes take what is left of the files that may be read
    files = len(shelf.tree.files)
    notice = "" if shelf.complete else "Not all of it was read: it is larger than a scan may take in."
    body, whole = rendering.body(laid_out, commands, caveats, notice=notice)
    return Scan(
        name=who.name,
        summary=rendering.summary(who, laid_out, commands, files),
        body=body,
        layout=laid_out,
        commands=commands,
        caveats=caveats.shown,
        files=files,
        truncated=not (whole and shelf.complete),
    )
