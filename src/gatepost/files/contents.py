"""The inside of files on disk: read as bytes, by descriptor and bounded, and told apart from what is no text."""

import os
from typing import Final

from gatepost.domain.refusals import NotFound, NotText, TooLarge
from gatepost.files import answers
from gatepost.files.descent import look
from gatepost.files.kin import Kin
from gatepost.files.paths import shown

MAX_FILE: Final = 16 * 2**20
"""Bytes of a file that is read at all."""

_PART: Final = 2**16

# Without O_NONBLOCK a pipe that takes a file's place between look and open would keep us waiting for its writer.
_SAFELY: Final = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


def load(kin: Kin, directory: int, name: str, path: str, most: int = MAX_FILE) -> bytes:
    """A file's bytes."""
    descriptor, info = _opened(kin, directory, name, path, os.O_RDONLY)
    try:
        data = None if info.st_size > most else _read(descriptor, info.st_size, most)
    finally:
        os.close(descriptor)
    if data is None:
        raise TooLarge(f"`path`: {path} has more than {most:,} bytes.", "Read or copy it by other means.")
    return data


def decoded(path: str, data: bytes) -> str:
    """These bytes as the text they are, line ends untouched."""
    if b"\0" not in data:
        try:
            return data.decode()
        except UnicodeDecodeError:
            pass
    raise NotText(f"`path`: {path} is not UTF-8 text.", "Only text files can be read; leave this one alone.")


def opened_file(kin: Kin, directory: int, name: str, path: str, access: int = os.O_RDONLY) -> int:
    """A plain file by its name in a directory; links, pipes, devices and directories are refused unopened.

    Every file is opened here, to be read or replaced: the guard is asked about the very file that is open.
    """
    return _opened(kin, directory, name, path, access)[0]


def _opened(kin: Kin, directory: int, name: str, path: str, access: int) -> tuple[int, os.stat_result]:
    found = look(directory, name)
    if found is None:
        raise NotFound(path, shown(tuple(path.split("/")[:-1])))
    answers.unless_file(path, found.st_mode)
    descriptor = os.open(name, access | _SAFELY, dir_fd=directory)
    try:
        info = os.fstat(descriptor)
        answers.unless_file(path, info.st_mode)
        kin.judge(descriptor, info, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, info


def _read(descriptor: int, size: int, most: int) -> bytes | None:
    """All that an open file holds, which may be another size than it says; none if that is more than `most`."""
    data = os.read(descriptor, size + 1)
    while len(data) <= most and (more := os.read(descriptor, _PART)):
        data += more
    return None if len(data) > most else data
