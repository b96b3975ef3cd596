"""Which tool a file or a folder is from, and what its files say."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from gatepost.interchange.items import Item, Reading, with_distinct_keys
from gatepost.interchange.source_files import SourceFile, SourceUnreadable, read_file, read_folder
from gatepost.interchange.source_names import SOURCES
from gatepost.interchange.sources import source

AUTO: Final = "auto"
_DEEPEST: Final = 64


class Recognized(NamedTuple):
    """The source's name, what people call it, its files, and what they say."""

    source: str
    label: str
    files: tuple[str, ...]
    reading: Reading


def recognize(name: str, form: str, stdin: BinaryIO | None = None) -> Recognized | None:
    """Read a file or a folder. None if it is a file that no source knows, and none was named."""
    path = Path(name)
    if path.is_dir():
        return _folder(path, form)
    file = read_file(path, path.name) if stdin is None else _piped(stdin)
    found = form if form != AUTO else next((each for each in SOURCES if source(each).is_mine(file)), None)
    return None if found is None else _read(found, (file,))


def _piped(stdin: BinaryIO) -> SourceFile:
    try:
        return SourceFile("stdin", str(Path.cwd()), stdin.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SourceUnreadable("What came on stdin is not text in UTF-8.", "Convert it to UTF-8.") from None


def _folder(folder: Path, form: str) -> Recognized:
    found: dict[str, tuple[SourceFile, ...]] = {}
    for name in SOURCES if form == AUTO else (form,):
        tool = source(name)
        if name == "markdown" and found:
            continue  # any tool's files may have checkboxes, so the tool is recognized by its other files
        there = read_folder(folder, tool.PLACES, skip_unreadable=form == AUTO)
        mine = tuple(file for file in there if tool.is_mine(file))
        if mine:
            found[name] = mine
    if len(found) > 1:
        names = ", ".join(f"{name} ({files[0].name})" for name, files in found.items())
        raise SourceUnreadable(
            f"{folder} has files of several tools: {names}.", "Choose one with --from, or name its file."
        )
    if not found:
        what = "any tool that Gatepost can read" if form == AUTO else source(form).LABEL
        raise SourceUnreadable(
            f"{folder} has no files of {what}.", "Name the file or the folder that holds the tasks themselves."
        )
    ((name, files),) = found.items()
    return _read(name, files)


def _read(name: str, files: Sequence[SourceFile]) -> Recognized:
    tool = source(name)
    nested = SourceUnreadable(
        f"{files[0].name} has tasks nested more than {_DEEPEST} deep.", "Flatten them in the source first."
    )
    try:
        reading = with_distinct_keys(tool.read(files))
    except RecursionError:
        raise nested from None
    if _depth(reading.items) > _DEEPEST:
        raise nested
    return Recognized(name, tool.LABEL, tuple(file.name for file in files), reading)


def _depth(items: Sequence[Item]) -> int:
    depth, layer = 0, list(items)
    while layer:
        depth += 1
        layer = [below for item in layer for below in item.items]
    return depth
