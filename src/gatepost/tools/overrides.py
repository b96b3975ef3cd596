"""Texts that replace a section's own text, by section key, in memory or in a folder of files."""

import hashlib
import os
from contextlib import AbstractContextManager, suppress
from typing import Final, Protocol

from gatepost.domain.refusals import NotText
from gatepost.files import atomic_writes
from gatepost.files.no_follow import closing
from gatepost.tools import texts

_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST_NAME: Final = 160
_READABLE: Final = 80


class PromptOverridesStore(Protocol):
    """Stores one text for each section key. A blank text counts as none."""

    def get(self, key: str) -> str | None:
        """The text for a key, or `None`."""

    def set(self, key: str, text: str) -> None:
        """Set the text for a key."""

    def delete(self, key: str) -> None:
        """Remove the text for a key, if there is one."""


class InMemoryPromptOverridesStore:
    """Overrides that live as long as the store itself."""

    def __init__(self) -> None:
        self._texts: Final[dict[str, str]] = {}

    def get(self, key: str) -> str | None:
        """The text for a key, or `None`."""
        return _present(self._texts.get(texts.key("key", key)))

    def set(self, key: str, text: str) -> None:
        """Set the text for a key."""
        self._texts[texts.key("key", key)] = texts.text("text", text)

    def delete(self, key: str) -> None:
        """Remove the text for a key, if there is one."""
        self._texts.pop(texts.key("key", key), None)


class FilePromptOverridesStore:
    """Overrides that outlive the process: a folder with one UTF-8 file for each key.

    A text is on disk, whole, when `set` returns; other processes see the old text or the new one, never a part.
    The files may be edited by hand. The folder is made when first something is stored.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory: Final = os.fspath(directory)

    def get(self, key: str) -> str | None:
        """The text for a key, or `None`."""
        path = os.path.join(self.directory, _file_name(texts.key("key", key)))
        try:
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            return None
        try:
            return _present(content.decode())
        except UnicodeDecodeError:
            raise NotText(f"The override in {path} is not UTF-8 text.", "Save it as UTF-8, or delete it.") from None

    def set(self, key: str, text: str) -> None:
        """Set the text for a key."""
        name = _file_name(texts.key("key", key))
        content = texts.text("text", text).encode()
        os.makedirs(self.directory, exist_ok=True)
        with self._opened() as folder:
            atomic_writes.replace(folder, name, (content,), None)

    def delete(self, key: str) -> None:
        """Remove the text for a key, if there is one."""
        name = _file_name(texts.key("key", key))
        with suppress(FileNotFoundError), self._opened() as folder:
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)  # only then does the removal survive a power cut

    def _opened(self) -> AbstractContextManager[int]:
        return closing(os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))


def _present(text: str | None) -> str | None:
    return None if text is None or texts.blank(text) else text


def _file_name(key: str) -> str:
    """A unique file name for a key, also on case-insensitive disks. Long names end in a hash."""
    safe = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in key.encode())
    if len(safe) > _LONGEST_NAME:
        safe = f"{safe[:_READABLE]}~{hashlib.sha256(key.encode()).hexdigest()}"
    return f"{safe}.md"
