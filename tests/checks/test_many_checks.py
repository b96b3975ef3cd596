"""Twenty checks at once, from four processes: each is recorded once, and none holds the store."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import gatepost
from gatepost.checks import trust_record

WORKSPACE = "acme/repo"
RUNNER = Path(__file__).with_name("check_runner.py")
PATIENCE = 240


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose person allows this Python."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("GATEPOST_STORE", "GATEPOST_WORKSPACE", "GATEPOST_ROOT"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "project"
    (folder / ".gatepost").mkdir(parents=True)
    monkeypatch.chdir(folder)
    root = str(folder.resolve())
    trust_record.change(root, lambda record: record._replace(allow=((sys.executable,),)))
    return folder


def task_of(store: gatepost.Gatepost, count: int, code: str) -> str:
    steps = [{"title": f"Step {at}", "checks": [{"run": [sys.executable, "-c", code]}]} for at in range(count)]
    made: str = store.call("tasks_create", workspace=WORKSPACE, kind="task", title="t", steps=steps)["id"]
    return made


def test_twenty_checks_from_four_processes_are_each_recorded_once(project: Path) -> None:
    with gatepost.connect() as store:
        task = task_of(store, 20, "print(1)")

        processes = [
            subprocess.Popen(
                [sys.executable, str(RUNNER), str(project), task, *(f"s:{at}" for at in range(first, 20, 4))]
            )
            for first in range(4)
        ]
        assert [process.wait(PATIENCE) for process in processes] == [0, 0, 0, 0]

        log = store.call("tasks_delta", workspace=WORKSPACE, limit=200, max_chars=1_000_000)["events"]
        kinds = Counter((event["type"], event.get("path")) for event in log if event.get("path"))
        for at in range(20):
            assert kinds["evidence_captured", f"s:{at}"] == kinds["step_verified", f"s:{at}"] == 1
        proofs = {event["provenance"]["tests"] for event in log if event["type"] == "step_verified"}
        assert proofs == {"machine"}


def test_a_step_that_another_process_changes_meanwhile_is_not_confirmed(project: Path) -> None:
    wait = "import os, time\nopen('begun', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)"
    with gatepost.connect() as store:
        task = task_of(store, 1, wait)
        process = subprocess.Popen([sys.executable, str(RUNNER), str(project), task, "s:0"])
        while not (project / "begun").exists():
            assert process.poll() is None

        store.call("tasks_define", workspace=WORKSPACE, task=task, path="s:0", title="Other")
        (project / "go").touch()

        assert process.wait(PATIENCE) == 0
        shown = store.call("tasks_resume", workspace=WORKSPACE, task=task, path="s:0")
        assert (shown["step"]["confirmed"], len(shown["evidence"])) == ([], 1)
