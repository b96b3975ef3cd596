"""The doctor names texts that an earlier version's masking may have spoilt; the store is sound all the same."""

import json
from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from gatepost.storage.sqlite import schema
from tests.givens import World, new_store

MASK = "[" + "masked]"


@pytest.mark.requirement("secrets.masked.reported")
def test_texts_that_held_the_mask_when_masking_ended_are_named_until_they_are_rewritten(tmp_path: Path) -> None:
    world = World(new_store("sqlite", tmp_path))
    task = world.task(f"use {MASK}", "fine", title="Keys")
    world.ok("tasks_note", task=task, note=f"was {MASK}")
    world.ok("tasks_evidence_capture", task=task, items=[{"kind": "note", "content": f"saw {MASK}"}])
    world.store.close()
    (file,) = [path for path in tmp_path.iterdir() if path.suffix == ".db"]
    connection = apsw.Connection(str(file))
    connection.execute("DROP TABLE masked_texts")
    connection.execute(schema._read("migrations/004_masked_texts.sql"))
    connection.close()

    later = World(new_store("sqlite", tmp_path))
    found = doctor.examine(later.store, later.workspace)
    later.ok("tasks_define", task=task, path="s:0", title="use the vault")
    later.ok("tasks_note", task=task, note=f"says {MASK} on purpose")
    again = doctor.examine(later.store, later.workspace)

    assert (found.findings, again.findings) == ([], [])
    assert {note.code for note in found.notes} == {"MASKED_TEXT"}
    assert [note.where for note in found.notes if "s:0" in note.where] == [f"{task} s:0"]
    assert len(found.notes) == len(again.notes) + 1
    assert all(MASK in note.says for note in again.notes)
    assert not any("s:0" in note.where for note in again.notes)
    later.store.close()


def test_a_new_store_has_nothing_to_note_and_json_says_so(tmp_path: Path) -> None:
    world = World(new_store("sqlite", tmp_path))
    world.task(f"speaks of {MASK}")

    report = doctor.examine(world.store, world.workspace)

    assert report.notes == []
    assert json.dumps(report.notes) == "[]"
    world.store.close()
