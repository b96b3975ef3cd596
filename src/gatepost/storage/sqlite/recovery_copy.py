"""A working copy of a damaged file with its header and schema corrected: they are the same in every store.

One flipped bit in either makes SQLite reject the whole file, though every row is still there.
"""

import os
import shutil
import struct
from typing import Any, Final

import apsw

from gatepost.storage.sqlite import schema

_HEADER: Final = 100
_MAGIC: Final = b"SQLite format 3\0"
_LARGEST: Final = 65_536
DEFAULT_PAGE_SIZE: Final = 4_096
"""The page size for a file that does not say."""
_FIXED: Final = ((18, b"\2\2\0\x40\x20\x20"), (44, b"\0\0\0\4"), (56, b"\0\0\0\1"))
"""The header fields that are the same in all our files: formats, fractions, schema format, encoding."""


def copy(path: str, target: str) -> None:
    """Copy a file that nobody writes to, and correct the header and schema of the copy."""
    copy_as_it_is(path, target)
    _mend_header(target)
    _mend_schema(target)
    _upgrade(target)


def copy_as_it_is(path: str, target: str) -> None:
    """Copy a file that nobody writes to, and its log, for its owner only."""
    for side in ("", "-wal"):
        if os.path.exists(path + side):
            os.close(os.open(target + side, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            shutil.copyfile(path + side, target + side)


def _mend_header(path: str) -> None:
    """Overwrite the fields of the header whose values are known, and a page size that cannot be right."""
    with open(path, "r+b") as file:
        header = bytearray(file.read(_HEADER))
        if len(header) < _HEADER:
            return
        header[: len(_MAGIC)] = _MAGIC
        for start, value in _FIXED:
            header[start : start + len(value)] = value
        if _page_size(header) not in (1 << power for power in range(9, 17)):
            header[16:18] = struct.pack(">H", DEFAULT_PAGE_SIZE)
        file.seek(0)
        file.write(header)


def _page_size(header: bytearray) -> int:
    (size,) = struct.unpack(">H", header[16:18])
    return _LARGEST if size == 1 else int(size)


def _mend_schema(path: str) -> None:
    """Restore the definition of each table and index. The pages where they start stay as they are."""
    connection = apsw.Connection(path)
    try:
        connection.pragma("writable_schema", 1)  # lets SQLite read a schema that it does not understand
        rows: Any = connection.execute("SELECT rowid FROM sqlite_schema ORDER BY rowid").fetchall()
        expected = schema.as_created(connection.pragma("user_version"))
        if len(rows) == len(expected):
            connection.executemany(
                "UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
                [(*columns, row) for columns, (row,) in zip(expected, rows, strict=True)],
            )
    except apsw.Error:
        pass  # unreadable parts are reported later
    finally:
        connection.close()


def _upgrade(path: str) -> None:
    """Add the current columns to a store with an older schema. The rest is derived later."""
    connection = apsw.Connection(path)
    try:
        schema.upgrade_damaged(connection)
    except apsw.Error:
        pass  # unreadable parts are reported later
    finally:
        connection.close()
