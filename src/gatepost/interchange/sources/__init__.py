"""The tools whose files can be read: one module each, with its name, its places in a folder, and its reader."""

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from gatepost.interchange.items import Reading
from gatepost.interchange.source_files import SourceFile


class SourceReader(Protocol):
    """A tool: what people call it, where its files are in a folder, and how they are read."""

    LABEL: str
    PLACES: Sequence[str]

    @staticmethod
    def is_mine(file: SourceFile) -> bool:
        """Whether a file looks like one of this tool."""

    @staticmethod
    def read(files: Sequence[SourceFile]) -> Reading:
        """All that the files say."""


def source(name: str) -> SourceReader:
    """A tool by its name."""
    found: SourceReader = import_module(f"{__name__}.{name.replace('-', '_')}")  # type: ignore[assignment]  # a module is one
    return found
