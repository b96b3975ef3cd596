"""How much memory an export and an import take, whatever the size of the workspace."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.givens import World, new_store

PROGRAM = Path(__file__).with_name("memory_program.py")
FEW, MANY = 2_000, 20_000
AT_ONCE = 500
TEXT = "What must hold of this step, in many words. " * 20
MIB = 2**20


class Peaks(NamedTuple):
    """Bytes: the most that each took, and the size of the file."""

    exporting: int
    importing: int
    file: int


def measured(folder: Path, steps: int) -> Peaks:
    folder.mkdir()
    with closing(new_store("sqlite", folder)) as store:
        world = World(store)
        for _ in range(steps // AT_ONCE):
            world.task(steps=[{"title": f"Step {number}", "criteria": [TEXT]} for number in range(AT_ONCE)])
    file = folder / "export.jsonl"
    exporting = peak("export", folder / "gatepost.db", file)
    return Peaks(exporting, peak("import", folder / "other.db", file), file.stat().st_size)


def peak(what: str, store: Path, file: Path) -> int:
    # A process begins with the peak of the one that started it, so a small shell starts this one.
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, str(PROGRAM), what, str(store), str(file)]
    return 1024 * int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.fixture(scope="module")
def peaks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Peaks, Peaks]:
    """What few steps took, and what ten times as many took."""
    folder = tmp_path_factory.mktemp("memory")
    return measured(folder / "few", FEW), measured(folder / "many", MANY)


def test_an_export_of_ten_times_as_much_takes_as_much_memory(peaks: tuple[Peaks, Peaks]) -> None:
    few, many = peaks

    assert many.file > 20 * MIB
    assert many.exporting - few.exporting < 4 * MIB


def test_an_import_keeps_counts_in_memory_and_no_texts(peaks: tuple[Peaks, Peaks]) -> None:
    few, many = peaks

    assert many.importing - few.importing < many.file // 2
    assert many.importing - few.importing < 1_000 * (MANY - FEW), "less than a kilobyte for a step"
