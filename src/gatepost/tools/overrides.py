"""Texts that replace a section's own text, by section key, in memory or in a folder of files."""

import contextlib
import hashlib
import os
import secrets
from typing import Final, Protocol

from gatepost.domain.refusals import NotText
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
        path = self._path(key)
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
        path = self._path(key)
        content = texts.text("text", text).encode()
        os.makedirs(self.directory, exist_ok=True)
        # A key's file never starts with a dot, so what a crash leaves is never taken for an override.
        draft = os.path.join(self.directory, f".{secrets.token_hex(16)}.tmp")
        try:
            with open(draft, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(draft)
        self._settle()

    def delete(self, key: str) -> None:
        """Remove the text for a key, if there is one."""
        path = self._path(key)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
            self._settle()

    def _path(self, key: str) -> str:
        return os.path.join(self.directory, _file_name(texts.key("key", key)))

    def _settle(self) -> None:
        """Sync the folder: only then does a rename or removal survive a power cut."""
        folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _present(text: str | None) -> str | None:
    return None if text is None or texts.blank(text) else text


def _file_name(key: str) -> str:
    """A unique file name for a key, also on case-insensitive disks. Long names end in a hash."""
    safe = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in key.encode())
    if len(safe) > _LONGEST_NAME:
        safe = f"{safe[:_READABLE]}~{hashlib.sha256(key.encode()).hexdigest()}"
    return f"{safe}.md"
