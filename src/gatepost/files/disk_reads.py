"""Reads files on disk by descriptor, up to a limit, and refuses what is not text."""

import os
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Iterator
from typing import Final

from gatepost.domain.refusals import NotFound, NotText, TooLarge
from gatepost.files import errors
from gatepost.files.hard_links import HardLinks
from gatepost.files.no_follow import FILE, closing, look

MAX_FILE: Final = 16 * 2**20
"""The most bytes of a file to search."""

MAX_READ: Final = 64 * 2**20
"""The most bytes of a file to read in parts or append to: both go through all of it."""

_PART: Final = 2**18


def load(links: HardLinks, directory: int, name: str, path: str, most: int = MAX_FILE) -> bytes:
    """A file's bytes."""
    with closing(opened_file(links, directory, name, path)) as descriptor:
        return whole(path, descriptor, most)


def whole(path: str, descriptor: int, most: int) -> bytes:
    """The whole content of an open file, whose size may change meanwhile."""
    size = os.fstat(descriptor).st_size
    if size <= most:
        data = os.read(descriptor, size + 1)
        while len(data) <= most and (more := os.read(descriptor, _PART)):
            data += more
        if len(data) <= most:
            return data
    raise too_large(path, most)


def decoded(path: str, data: bytes) -> str:
    """These bytes as text, line ends unchanged."""
    return _text(path, getincrementaldecoder("utf-8")(), data, final=True)


def parts(path: str, descriptor: int) -> Iterator[str]:
    """The text of an open file in parts, line ends unchanged. Refuses a file that is not text."""
    if os.fstat(descriptor).st_size > MAX_READ:
        raise too_large(path, MAX_READ)
    decoder, left = getincrementaldecoder("utf-8")(), MAX_READ
    while data := os.read(descriptor, _PART):
        left -= len(data)
        if left < 0:
            raise too_large(path, MAX_READ)
        yield _text(path, decoder, data)
    yield _text(path, decoder, b"", final=True)


def _text(path: str, decoder: IncrementalDecoder, data: bytes, *, final: bool = False) -> str:
    if b"\0" not in data:
        try:
            return decoder.decode(data, final)
        except UnicodeDecodeError:
            pass
    raise NotText(f"`path`: {path} is not UTF-8 text.", "Only text files can be read.")


def opened_file(links: HardLinks, directory: int, name: str, path: str, access: int = os.O_RDONLY) -> int:
    """Open a regular file by its name in a directory. Refuses links, pipes, devices and directories.

    All files are opened here, to be read or replaced: the guard checks the open file itself.
    """
    found = look(directory, name)
    if found is None:
        raise NotFound(path, path.rpartition("/")[0] or ".")
    errors.unless_file(path, found.st_mode)
    descriptor = os.open(name, access | FILE, dir_fd=directory)
    try:
        info = os.fstat(descriptor)
        errors.unless_file(path, info.st_mode)
        links.judge(info, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def too_large(path: str, most: int) -> TooLarge:
    """Refusal: the file is too large."""
    return TooLarge(f"`path`: {path} has more than {most:,} bytes.", "Use another tool for this file.")
