"""A server runs no commands, unless it was started so."""

import json
import sys
from pathlib import Path

import pytest

from gatepost import wiring
from gatepost.checks import trust_record
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer

WORKSPACE = "acme/repo"


@pytest.mark.parametrize("runs", [False, True])
def test_a_server_runs_what_a_person_trusts_only_if_it_was_started_so(
    *, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    home = tmp_path / "project" / ".gatepost"
    home.mkdir(parents=True)
    trust_record.change(str(home.parent.resolve()), lambda record: record._replace(allow=((sys.executable,),)))
    engine = wiring.engine(str(home / "gatepost.db"), home=str(home), runs_checks=runs)
    steps = [{"title": "a", "checks": [{"run": [sys.executable, "-c", "print(1)"]}]}]
    given = {"workspace": WORKSPACE, "kind": "task", "title": "t", "steps": steps}
    answer(engine, "tasks_create", given, Caller("http"))

    answered = answer(
        engine, "tasks_check", {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}, Caller("http")
    )

    engine.store.close()
    if runs:
        assert json.loads(answered.text)["confirmed"] == ["tests"]
    else:
        assert answered.refusal is not None
        assert answered.refusal.code == "NOT_TRUSTED"
        assert "--run-checks" in answered.refusal.recovery
