"""The mirror: writes the project's taskdoc packages when another machine has changed a taskdoc.

On a store in a file, the process that commits a change writes the package. In a database, that process may be on a
machine that has no such folder. So each process that has one follows the log.
"""

import threading
from contextlib import suppress
from typing import Final

from gatepost.domain import places
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine

_KEEPER: Final = Caller("gatepost")
_PAUSE: Final = 2.0
_PATIENCE: Final = 5.0


def mirrored(engine: Engine) -> "PackageMirror | None":
    """A running mirror, if the store is used by many machines and this project has packages of its own."""
    if engine.own_workspace is None or engine.find_packages is None:
        return None
    made = PackageMirror(engine, engine.own_workspace)
    made.start()
    return made


class PackageMirror(threading.Thread):
    """Follows the log of one workspace. What happened before it began is settled by the first write, or by `up`."""

    def __init__(self, engine: Engine, workspace: str) -> None:
        super().__init__(name="gatepost-mirror", daemon=True)
        self._engine = engine
        self._workspace = workspace
        self._ending = threading.Event()
        self._after: int | None = None

    def stop(self) -> None:
        """End, once what is being written is written."""
        self._ending.set()
        self._engine.store.release(self._workspace)
        self.join(_PATIENCE)

    def run(self) -> None:
        """Write the package of every taskdoc that changes. A store that is away is asked again."""
        while not self._ending.is_set():
            with suppress(Refusal):
                self._follow()
            self._ending.wait(_PAUSE)

    def _follow(self) -> None:
        if self._after is None:
            self._after = self._engine.read(self._workspace, _KEEPER, lambda reader: reader.head().seq)
        for row in self._engine.follow(self._workspace, self._after, self._ending.is_set):
            if row.root is not None and row.root[0] == places.TASKDOC:
                self._engine.face(self._workspace, places.name_of(row.root), _KEEPER)
            self._after = row.seq
