"""Stores that earlier versions wrote. The files stay as they are; `docs/versions.md` says how to add one."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.engine import doctor
from gatepost.storage.sqlite import schema
from gatepost.storage.sqlite.store import SqliteStore

RELEASED = sorted((Path(__file__).parent / "released").glob("*.db"))


@pytest.mark.parametrize("kept", RELEASED, ids=lambda path: path.stem)
def test_a_store_of_an_earlier_version_is_migrated_and_answers_as_it_did(kept: Path, tmp_path: Path) -> None:
    expected = json.loads(kept.with_suffix(".json").read_text(encoding="utf-8"))
    path = shutil.copy(kept, tmp_path / "gatepost.db")

    with gatepost.connect(str(path)) as gp:
        answered = {workspace: answers(gp, workspace, asked) for workspace, asked in expected.items()}

    assert answered == expected
    store = SqliteStore(str(path))
    assert doctor.check_store(store).findings == []
    store.close()


def answers(gp: Any, workspace: str, asked: dict[str, Any]) -> dict[str, Any]:
    """What today's code answers to the questions that the earlier version was asked."""
    found = {"events": gp.call("tasks_delta", workspace=workspace, limit=200, max_chars=1_000_000)["events"]}
    if "goals" in asked:
        goals = gp.call("recall_mind", workspace=workspace, taskdoc="payments", selector="goals")
        found["goals"] = goals["content"]
    if "steps" in asked:
        steps = gp.call("tasks_resume", workspace=workspace, task="TASK-001")["steps"]
        found["steps"] = [
            {name: step[name] for name in known} for known, step in zip(asked["steps"], steps, strict=True)
        ]
    return found


def test_the_kept_stores_have_earlier_schemas() -> None:
    versions = {path.stem: int.from_bytes(path.read_bytes()[60:64]) for path in RELEASED}

    assert versions == {"schema_1": 1}
    assert max(versions.values()) < len(schema.migrations())
