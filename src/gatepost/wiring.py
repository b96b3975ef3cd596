"""How it is put together: the one file that knows both the stores and the engine."""

import functools
import os

from gatepost.engine.clock import SystemClock
from gatepost.engine.engine import Engine, no_files
from gatepost.engine.port import Store
from gatepost.files.protocol import Filesystem


def engine(location: str, synchronous: str = "FULL", home: str | None = None) -> Engine:
    """An engine on the store at a location, for the project whose `.gatepost` folder is `home`."""
    files = no_files if home is None else functools.cache(lambda: _files(os.path.dirname(home)))
    return Engine(store(location, synchronous), SystemClock(), home, files=files)


def _files(root: str) -> Filesystem:
    from gatepost.files.host import HostFilesystem

    return HostFilesystem(root)


def store(location: str, synchronous: str) -> Store:
    """The store at a location: a file, `sqlite://` and an absolute path, or `memory:`."""
    if location == "memory:":
        from gatepost.storage.memory import MemoryStore

        return MemoryStore()
    from gatepost.storage.sqlite.store import SqliteStore

    return SqliteStore(os.path.abspath(location.removeprefix("sqlite://")), synchronous)
