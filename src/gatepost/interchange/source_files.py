"""The files of a source, read from disk."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gatepost.domain.refusals import Refusal

_LARGEST: Final = 64 * 2**20
_MOST: Final = 20_000


class SourceFile(NamedTuple):
    """A file: its name as it was given or below the folder that was given, the folder it is in, and its text."""

    name: str
    folder: str
    text: str

    @property
    def stem(self) -> str:
        """The file's own name, without its ending."""
        return Path(self.name).stem


class SourceUnreadable(Refusal):
    """A file is not what the import was told, or cannot be read at all."""

    code = "SOURCE_UNREADABLE"


def read_file(path: Path, name: str) -> SourceFile:
    """One file, which must be UTF-8 text."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise SourceUnreadable(f"Cannot read {name}: {error.strerror}.", "Name a file that you can read.") from None
    except UnicodeDecodeError:
        raise SourceUnreadable(
            f"{name} is not text in UTF-8.", "Name a file that the other tool wrote, or convert it to UTF-8."
        ) from None
    if len(data) > _LARGEST:
        raise SourceUnreadable(f"{name} is larger than {_LARGEST // 2**20} MiB.", "Split it, and import each part.")
    return SourceFile(name, os.path.abspath(path.parent), text)


def read_folder(folder: Path, places: Sequence[str], *, skip_unreadable: bool) -> Iterator[SourceFile]:
    """The files of a folder at these places (patterns), each once, in order."""
    found: dict[Path, None] = {}
    for place in places:
        for path in sorted(folder.glob(place), key=_natural):
            if path.is_file() and path.resolve().is_relative_to(folder.resolve()):  # no link leads out
                found[path] = None
    if len(found) > _MOST:
        raise SourceUnreadable(
            f"{folder} has {len(found):,} files to read; an import takes {_MOST:,}.", "Import a part of it."
        )
    for path in found:
        try:
            file = read_file(path, str(path.relative_to(folder)))
        except SourceUnreadable:
            if skip_unreadable:
                continue
            raise
        yield file


def _natural(path: Path) -> list[tuple[int, str]]:
    """Numbers in names by their value: `2.json` comes before `10.json`."""
    name, parts, number = str(path), [], ""
    for letter in name:
        if letter.isascii() and letter.isdecimal():
            number += letter
            continue
        if number:
            parts.append((int(number), ""))
            number = ""
        parts.append((-1, letter))
    return [*parts, (int(number), "")] if number else parts
