"""Givens of exports and imports: files in memory, stores to import into, and files that somebody has altered."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gatepost.engine import doctor
from gatepost.engine.chain import RunningHash
from gatepost.engine.port import Store
from gatepost.engine.rows import OperationRow
from gatepost.transfer import Imported, export_workspaces, import_workspaces
from tests.givens import WORKSPACE, World, new_store

Line = dict[str, Any]
ROWS = ("event", "image", "touch", "artifact")


def ignore(*_: object) -> None:
    """Hears how far one is."""


def exported(store: Store, *names: str) -> bytes:
    """Workspaces as a file."""
    file = io.BytesIO()
    export_workspaces(
        store, names or [WORKSPACE], file.write, ignore, version="0.1.0", at="2026-01-01T00:00:00.000Z"
    )
    return file.getvalue()


def imported(store: Store, data: bytes, tell: Callable[..., object] = ignore, **options: Any) -> list[Imported]:
    """Import a file."""
    return list(import_workspaces(store, io.BytesIO(data), "the file", tell, **options))


@contextmanager
def empty_world(kind: str) -> Iterator[World]:
    """A world on an empty store of its own."""
    with TemporaryDirectory(prefix="gatepost-import-") as folder:
        store = new_store(kind, Path(folder))
        try:
            yield World(store)
        finally:
            store.close()


def check_equal(moved: World, source: World, data: bytes) -> None:
    """Every table is the same, the doctor is content, and an export gives the same bytes."""
    assert moved.everything() == source.everything()
    assert doctor.examine(moved.store, moved.workspace).findings == []
    assert exported(moved.store) == data


def lines_of(data: bytes) -> list[Line]:
    return [json.loads(line) for line in data.splitlines()]


def file_of(lines: list[Line]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines)


def resealed(lines: list[Line]) -> bytes:
    """The file of somebody who altered lines and computed every hash again."""
    found, before = [dict(line) for line in lines], ""
    for at, line in enumerate(found):
        if line["line"] == "operation":
            fields = [value for name, value in line.items() if name not in ("line", "hash")]
            running = RunningHash(WORKSPACE, before, OperationRow(*fields))
            for row in found[at + 1 :]:
                if row["line"] not in ROWS:
                    break
                running.add(row["line"], [value for name, value in row.items() if name != "line"])
            before = line["hash"] = running.value()
        if line["line"] == "workspace_end":
            line["head"] = {**line["head"], "hash": before}
    return file_of(found)
