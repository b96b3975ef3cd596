"""Givens of imports: the files of other tools, a world to import into, and what arrived there."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gatepost.client.local import LocalClient
from gatepost.client.protocol import Client
from gatepost.domain import authority, documents
from gatepost.engine.caller import Caller
from gatepost.interchange.import_report import ImportReport
from gatepost.interchange.item_writer import import_reading
from gatepost.interchange.items import Reading
from gatepost.interchange.recognition import recognize
from tests.givens import World

HERE = Path(__file__).parent
RECORDED, WRITTEN = HERE / "recorded", HERE / "written"


def client_of(world: World, source: str = "test") -> LocalClient:
    """A client that imports."""
    return LocalClient(world.engine, Caller(f"import:{source}"))


def imported(
    world: World, path: Path, form: str = "auto", client: Client | None = None, **options: Any
) -> ImportReport:
    """Import files, and report what came."""
    found = recognize(str(path), form)
    assert found is not None
    return written(world, found.reading, found.source, found.label, client, **options)


def written(
    world: World,
    reading: Reading,
    source: str = "test",
    label: str = "Test",
    client: Client | None = None,
    *,
    dry_run: bool = False,
    leave_open: bool = False,
) -> ImportReport:
    """Write what was read."""
    report = ImportReport(source=source, label=label, dry_run=dry_run)
    asked = client or client_of(world, source)
    return import_reading(asked, world.workspace, report, reading, lambda *_: None, leave_open=leave_open)


def kinds(report: ImportReport) -> dict[str, int]:
    """How many things of each kind could not be kept."""
    found: dict[str, int] = {}
    for loss in report.losses:
        found[loss.what] = found.get(loss.what, 0) + 1
    return found


def claims(world: World) -> set[authority.Attestation]:
    """What the confirmations in a world rest on that is more than a word."""
    with world.store.reading(world.workspace) as snapshot:
        texts = [str(row[1]) for row in snapshot.rows("documents") if row[1] is not None]
    return {claim for text in texts for claim in authority.claims(documents.from_text(text))}


def rows(world: World) -> list[dict[str, Any]]:
    """Every plan and task."""
    found: list[dict[str, Any]] = world.ok("tasks_context", limit=200, max_chars=1_000_000)["items"]
    return found


def steps(world: World, task: str) -> list[dict[str, Any]]:
    """Every step of a task, in full."""
    found: list[dict[str, Any]] = world.ok("tasks_resume", task=task, limit=200, proofs=True, max_chars=1_000_000)[
        "steps"
    ]
    return found


def in_short(world: World) -> list[Any]:
    """Everything that was imported, without what differs between two runs: plans, tasks, steps, notes."""
    found: list[Any] = []
    for row in rows(world):
        held = world.ok("tasks_resume", task=row["id"], limit=200, proofs=True, max_chars=1_000_000)
        target = held["target"]
        notes = sorted(note["note"] for note in held.get("notes") or ())
        found.append(
            (
                row["title"],
                row["status"],
                sorted(row.get("tags") or ()),
                sorted(_titles(world, target.get("depends_on") or ())),
                notes,
                [(step["path"], step["title"], step["done"], step.get("blocked")) for step in held["steps"]],
            )
        )
    return sorted(found, key=repr)


def _titles(world: World, ids: Iterable[str]) -> list[str]:
    return [world.ok("tasks_resume", task=each)["target"]["title"] for each in ids]
