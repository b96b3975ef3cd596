"""Single bit flips anywhere in the file: each is found, or does no harm; and nobody dies of one."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from gatepost.domain.refusals import StoreFault
from gatepost.engine import doctor
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.surfaces.cli.main import run
from tests.engine.histories import FILE, tell
from tests.givens import WORKSPACE, World, new_store

SEED = 20_260_101
FLIPS = 200
HEADER = 100
PAGE = 512
"""Small pages: then a small store has interior pages, overflow pages and free pages, too."""
OTHER = "acme/other"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tasks_context", {}),
    ("tasks_radar", {"task": "TASK-001"}),
    ("tasks_resume", {"task": "TASK-001"}),
    ("tasks_note", {"task": "TASK-001", "path": "s:1", "note": "a write"}),
)


class Sound(NamedTuple):
    """A file with all kinds of rows and pages, and what it holds."""

    file: bytes
    rows: dict[str, Any]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    folder = tmp_path_factory.mktemp("sound")
    connection = apsw.Connection(str(folder / FILE))
    connection.pragma("page_size", PAGE)
    connection.pragma("journal_mode", "wal")
    connection.close()
    world = World(new_store("sqlite", folder))
    tell(world)
    world.ok("change_mind", selector="progress", content="over several pages " * 100)
    World(world.store, OTHER).task("a step")
    rows = everything(world)
    world.store.close()
    return Sound((folder / FILE).read_bytes(), rows)


def everything(world: World) -> dict[str, Any]:
    return {name: world.everything(name) for name in world.store.workspaces()}


def places(size: int) -> Iterator[int]:
    """Bits all over the file, with more of them in its header and in the page of the schema."""
    chance = random.Random(SEED)
    for number in range(FLIPS):
        end = {0: HEADER, 1: PAGE}.get(number % 10, size)
        yield chance.randrange(end * 8)


def flipped(file: bytes, bit: int) -> bytes:
    changed = bytearray(file)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def answers(world: World) -> None:
    """Every call is answered, be it by saying that the store is damaged."""
    for tool, arguments in CALLS:
        try:
            world.ask(tool, **arguments)
        except StoreFault:
            continue


def found_in(world: World) -> bool:
    """Whether the doctor finds something, be it that a later version seems to have written the file."""
    try:
        return bool(doctor.check_store(world.store).findings)
    except StoreFault:
        return True


def test_every_flipped_bit_is_found_or_does_no_harm(sound: Sound, tmp_path: Path) -> None:
    verdicts = {"found": 0, "harmless": 0}
    for number, bit in enumerate(places(len(sound.file))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE).write_bytes(flipped(sound.file, bit))
        world = World(SqliteStore(str(folder / FILE), "NORMAL"))

        if found_in(world):
            verdicts["found"] += 1
        else:
            assert everything(world) == sound.rows, f"bit {bit} changed something, and nobody noticed"
            verdicts["harmless"] += 1
        answers(world)
        world.store.close()
    assert min(verdicts.values()) > FLIPS / 10, verdicts


def test_commands_on_damaged_files_never_end_in_an_internal_error(
    sound: Sound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GATEPOST_STORE", str(tmp_path / FILE))
    monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)
    monkeypatch.chdir(tmp_path)
    for bit in list(places(len(sound.file)))[::10]:
        for command in (["doctor"], ["ls"], ["radar", "TASK-001"], ["show", "TASK-001"]):
            (tmp_path / FILE).write_bytes(flipped(sound.file, bit))

            run(command)

            said = capsys.readouterr()
            assert "internal error" not in said.err, (bit, command, said.err)
            for side in ("-wal", "-shm"):
                (tmp_path / (FILE + side)).unlink(missing_ok=True)
