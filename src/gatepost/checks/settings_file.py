"""A project's `gatepost.toml`, read once: the bytes that a person trusted are the bytes that are obeyed."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "gatepost.toml"
MOST_BYTES = 65_536


class BadSettings(Exception):
    """A setting cannot be used. The message names it, its value and what is allowed."""


class SettingsFile:
    """The file's path, bytes and values. The values are as TOML gives them."""

    __slots__ = ("data", "path", "values")

    def __init__(self, path: str, data: bytes) -> None:
        from gatepost.wire import toml_input

        self.path = path
        self.data = data
        try:
            self.values: dict[str, Any] = toml_input.parsed(data.decode())
        except ValueError as error:
            raise BadSettings(f"{path} cannot be read: {error}") from None

    @property
    def sha256(self) -> str:
        """The hash that tells this version of the file from all others."""
        from hashlib import sha256  # loads OpenSSL, which few starts need

        return sha256(self.data).hexdigest()

    @property
    def allow(self) -> tuple[str, ...]:
        """The commands in `[checks] allow`. Raises BadSettings if they are not texts."""
        table = self.values.get("checks", {})
        lines = table.get("allow", []) if isinstance(table, dict) else None
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise BadSettings(f'{self.path}: write the commands as [checks] allow = ["pytest", "npm test"].')
        return tuple(lines)


def read(root: str) -> SettingsFile | None:
    """The file at a project's root, or None. A linked worktree without one has that of its main folder."""
    found = _read(os.path.join(root, FILE))
    if found is not None or not os.path.isfile(os.path.join(root, ".git")):
        return found
    from gatepost.files.worktrees import linked_worktree

    linked = linked_worktree(root)
    return None if linked is None else _read(os.path.join(linked.main, FILE))


def _read(path: str) -> SettingsFile | None:
    try:
        # A pipe in its place must not block.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSettings(f"{path} is not a file.")
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadSettings(f"{path} cannot be read: {error}") from None
    if len(data) > MOST_BYTES:
        raise BadSettings(f"{path} is too large. It may have at most {MOST_BYTES:,} bytes.")
    return SettingsFile(path, data)
