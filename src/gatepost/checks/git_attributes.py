"""Which files git keeps in another form than on disk: by a filter, with other line ends, in another encoding.

The index has the id of git's form. Whether a file of this kind has changed can only be seen in its own bytes.
"""

import os
from collections.abc import Callable, Iterator
from typing import Final

from gatepost.checks.git_files import Listing
from gatepost.files import ignore, no_follow
from gatepost.files.git_head import shared_folder
from gatepost.files.ignore import IgnoreFileTooLarge, Rules

FILE: Final = ".gitattributes"

_CONVERTING: Final = {b"filter", b"ident", b"working-tree-encoding"}
_CRLF: Final = b"eol=crlf"
_MACRO: Final = b"[attr]"
_OFF: Final = {"false", "no", "off", "0", "input", ""}

Converted = Callable[[str], bool]
"""Whether git may keep a file in another form. Rather once too often: then the file is read."""


def converted(root: str, listing: Listing) -> Converted:
    """The rule for a working tree."""
    if listing.settings.get("core.autocrlf", "") not in _OFF or listing.settings.get("core.eol") == "crlf":
        return lambda _: True
    # Upper folders first: they may define what lower ones use.
    paths = sorted(
        (path for path in listing.files if f"/{path}".endswith(f"/{FILE}")), key=lambda it: it.count("/")
    )
    sources = [(path.removesuffix(FILE), path) for path in paths]
    if listing.folder is not None:
        sources.insert(0, ("", os.path.join(shared_folder(listing.folder), "info", "attributes")))
    macros = set(_CONVERTING)
    found: list[tuple[str, Rules]] = []
    for folder, file in sources:
        try:
            patterns = b"\n".join(_patterns(_text(os.path.join(root, file)), macros))
            if patterns:
                found.append((folder, Rules(patterns, folder.count("/"))))
        except IgnoreFileTooLarge:
            return lambda _: True
    return lambda path: any(
        path.startswith(folder) and rules.ignores(path.split("/"), directory=False) for folder, rules in found
    )


def _text(file: str) -> bytes:
    try:
        data = no_follow.read(None, file, ignore.MAX_BYTES + 1)
    except OSError:
        return b""
    if len(data) > ignore.MAX_BYTES:
        raise IgnoreFileTooLarge
    return data


def _patterns(data: bytes, macros: set[bytes]) -> Iterator[bytes]:
    """The patterns of lines that convert. `macros` are the attributes that do so, and learns new ones."""
    for line in data.splitlines():
        pattern, *attributes = line.split() or [b"#"]
        if any(word == _CRLF or word.partition(b"=")[0] in macros for word in attributes):
            if pattern.startswith(_MACRO):
                macros.add(pattern.removeprefix(_MACRO))
            elif not pattern.startswith((b"#", b"!")):
                # A quoted name has blanks in it, and is cut: every file may be meant.
                yield b"*" if pattern.startswith(b'"') else pattern
