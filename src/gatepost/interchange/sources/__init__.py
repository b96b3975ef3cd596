"""The tools whose files can be read: one module each, with its name, its places in a folder, and its reader."""

from collections.abc import Sequence
from importlib import import_module
from typing import Final, Protocol

from gatepost.interchange.items import Reading
from gatepost.interchange.source_files import SourceFile

SOURCES: Final = ("task-master", "beads", "backlog", "shrimp", "claude", "codex", "spec-kit", "github", "markdown")
"""In the order in which they are tried: what is told by its content first, Markdown of any kind last."""


class Source(Protocol):
    """A tool: what people call it, where its files are in a folder, and how they are read."""

    LABEL: str
    PLACES: Sequence[str]

    @staticmethod
    def is_mine(file: SourceFile) -> bool:
        """Whether a file looks like one of this tool."""

    @staticmethod
    def read(files: Sequence[SourceFile]) -> Reading:
        """All that the files say."""


def source(name: str) -> Source:
    """A tool by its name."""
    found: Source = import_module(f"{__name__}.{name.replace('-', '_')}")  # type: ignore[assignment]  # a module is one
    return found
