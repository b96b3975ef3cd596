"""The stage: a store of the demo's own, which is there while the demo is, and nowhere near a project."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gatepost import wiring
from gatepost.engine.engine import Engine
from gatepost.surfaces.demo.crew import Crew, Say

_PATIENCE: Final = 1.0


@contextmanager
def stage() -> Iterator[tuple[Engine, str]]:
    """An engine on a new store in a folder of its own, and where that store is. Both are gone in the end."""
    folder = tempfile.mkdtemp(prefix="gatepost-demo-")
    try:
        home = os.path.join(folder, ".gatepost")
        store = os.path.join(home, "gatepost.db")
        yield wiring.engine(store, "NORMAL", home), store  # a power cut may take what is thrown away anyway
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def performance(engine: Engine, say: Say) -> Iterator[None]:
    """The crew at work, stopped in the end."""
    crew = Crew(engine, say=say)
    crew.start()
    try:
        yield
    finally:
        crew.stop(_PATIENCE)
