"""What a repository calls itself: by its manifests, its README, or else its directory."""

import re
from typing import Final

from gatepost.digest import documents
from gatepost.digest.findings import Identity
from gatepost.digest.prose import blocks
from gatepost.digest.quoting import quoted
from gatepost.digest.shelf import Shelf, string, table

_LONGEST_NAME: Final = 80
_LONGEST_ABOUT: Final = 160
_module = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_markup = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,400}\)|\*\*|`|<[^<>]{0,200}>")
_sentence = re.compile(r"(?<=[.!?])\s")


def found(shelf: Shelf, *, named: str | None, directory: str) -> Identity:
    """The name given, else the one declared, else the README's title, else the directory's name."""
    title, opening = _readme(shelf)
    project = table(shelf.toml("pyproject.toml"), "project") or table(
        shelf.toml("pyproject.toml"), "tool", "poetry"
    )
    node, crate = shelf.json("package.json"), table(shelf.toml("Cargo.toml"), "package")
    module = _module.search(shelf.text("go.mod"))
    candidates = (
        *(named or "", string(project, "name"), string(node, "name"), string(crate, "name")),
        *(module[1].rpartition("/")[2] if module else "", title, directory),
    )
    abouts = (string(project, "description"), string(node, "description"), string(crate, "description"), opening)
    name = next((held for held in candidates if held.strip()), "This repository")
    about = next((held for held in abouts if held.strip()), "")
    return Identity(name=quoted(name, _LONGEST_NAME), about=quoted(about, _LONGEST_ABOUT))


def _readme(shelf: Shelf) -> tuple[str, str]:
    """A README's title, and the first sentence of its first paragraph."""
    title = ""
    for block in blocks(shelf.text(documents.readme(shelf))):
        title = title or _markup.sub(r"\1", block.heading)
        if block.fence is None:
            text = _markup.sub(r"\1", block.text).strip()
            if text and text[0].isalnum():
                return title, _sentence.split(text)[0]
    return title, ""
