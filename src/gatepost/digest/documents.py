"""Which documents a digest reads, and in what order: what is written for agents and contributors comes first."""

from typing import Final

from gatepost.digest.shelf import Shelf

_ENDINGS: Final = ("", ".md", ".rst", ".txt", ".markdown")
_GUIDES: Final = (
    *("AGENTS", "CLAUDE", "GEMINI", ".github/copilot-instructions", "CONTRIBUTING", ".github/CONTRIBUTING"),
    *("docs/CONTRIBUTING", "HACKING", "DEVELOPMENT", "DEVELOPING", "README"),
)
_MOST_DOCS: Final = 12


def guides(shelf: Shelf) -> list[str]:
    """The documents that tell how to work here, most telling first. Case does not matter."""
    by_name: dict[str, str] = {}
    for path in shelf.tree.files:
        by_name.setdefault(path.casefold(), path)
    names = ((guide + ending).casefold() for guide in _GUIDES for ending in _ENDINGS)
    return [by_name[name] for name in names if name in by_name]


def readme(shelf: Shelf) -> str:
    """The path of the README; empty if there is none."""
    return next((path for path in guides(shelf) if path.casefold().startswith("readme")), "")


def others(shelf: Shelf) -> list[str]:
    """Further documents, straight under docs/ or doc/, a bounded number."""
    taken = set(guides(shelf))
    found = [
        path
        for path in shelf.tree.files
        if path.startswith(("docs/", "doc/")) and path.count("/") == 1 and path.endswith((".md", ".rst"))
    ]
    return [path for path in found if path not in taken][:_MOST_DOCS]
