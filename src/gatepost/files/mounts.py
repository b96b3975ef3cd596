"""Mounts: a directory or a file can be given a second place, and only the kernel knows where it really lies."""

import ctypes
import os
import re
import struct
from contextlib import suppress
from functools import cache
from typing import Final, Protocol

from gatepost.domain.closed import closed

_EMPTY_PATH: Final = 0x1000
_NOFOLLOW: Final = 0x100
_MOUNT: Final = 0x1000
_Told: Final = ctypes.c_char * 256
_KNOWN_AND_NUMBER: Final = struct.Struct("=I140xQ")
"""Which of its answers the kernel gave, and the number of the mount."""

_MOST_BYTES: Final = 4 * 2**20
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")


def mount_of(descriptor: int, name: str = "") -> int | None:
    """The number of the mount through which something open, or a name in it, is reached; None if nobody can say."""
    ask = _statx()
    if ask is not None:
        told = _Told()
        how = _NOFOLLOW if name else _NOFOLLOW | _EMPTY_PATH
        failed = ask(descriptor, os.fsencode(name) if name else b"", how, _MOUNT, told)
        known, number = _KNOWN_AND_NUMBER.unpack_from(told)
        if not failed and known & _MOUNT:
            return int(number)
    return None if name else _told_by_proc(descriptor)


def leads_into_closed(mount: int) -> bool:
    """Whether what is mounted there lies, where it really lies, in something closed."""
    with suppress(OSError), open("/proc/self/mountinfo", "rb") as table:
        for line in table.read(_MOST_BYTES).splitlines():
            number, _, _, source, *_ = line.split(b" ", 4)
            if int(number) == mount:
                return any(map(closed, os.fsdecode(_ESCAPED.sub(_unescaped, source)).split("/")))
    return False


class _Statx(Protocol):
    def __call__(
        self, directory: int, name: bytes, flags: int, mask: int, told: "ctypes.Array[ctypes.c_char]", /
    ) -> int: ...


@cache
def _statx() -> _Statx | None:
    """Python has no call of its own for this."""
    call = getattr(ctypes.CDLL(None), "statx", None)
    if call is None:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p)
    call.restype = ctypes.c_int
    found: _Statx = call
    return found


def _told_by_proc(descriptor: int) -> int | None:
    """The same from an older kernel, at the cost of reading a file."""
    with suppress(OSError), open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as info:
        for line in info:
            if line.startswith("mnt_id:"):
                return int(line.removeprefix("mnt_id:"))
    return None


def _unescaped(sign: re.Match[bytes]) -> bytes:
    return bytes([int(sign[1], 8)])
