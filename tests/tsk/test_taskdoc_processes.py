"""Several processes on one taskdoc; and a disk that is full, or must not be written."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.tsk.projects import Project, project

RACERS = Path(__file__).with_name("racers.py")
VICTIMS = Path(__file__).with_name("victims.py")
PATIENCE = 300
ROUNDS = 40


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project on a file, with a taskdoc, so that other processes can work in it."""
    with project(tmp_path, "sqlite") as made:
        (made.root / ".gatepost").mkdir()
        made.new(goals="start")
        yield made


@contextmanager
def racer(here: Project, name: str, how_many: int, how: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, str(RACERS), str(here.root), name, str(how_many), how]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def race(here: Project, *racers: tuple[str, int, str]) -> list[list[Any]]:
    """Let them all go at once; what each of them says in the end."""
    with ExitStack() as running:
        processes = [running.enter_context(racer(here, *given)) for given in racers]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        ended = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [complaints for _, complaints in ended] == [""] * len(racers)
    return [json.loads(said) for said, _ in ended]


@pytest.mark.requirement("taskdoc.change-mind.revision-checked", "call.revision.taskdoc-section")
def test_without_a_revision_every_change_is_taken_and_the_last_one_stands(here: Project) -> None:
    told = race(here, *((f"racer-{number}", ROUNDS, "free") for number in range(4)))

    replies = [reply for each in told for reply in each]
    assert sorted(revision for revision, _ in replies) == list(range(2, 4 * ROUNDS + 2))
    here.restart()
    last = here.ok("taskdoc_history", selector="goals", limit=1)["items"][0]
    assert here.ok("recall_mind", selector="goals")["actor"] == last["actor"]
    here.check_face()
    assert here.doctor() == []


@pytest.mark.requirement("taskdoc.change-mind.revision-checked")
def test_with_a_revision_each_is_won_by_exactly_one(here: Project) -> None:
    told = race(here, *((f"racer-{number}", 15, "checked") for number in range(4)))

    won = sorted(revision for each in told for revision, _ in each)
    assert won == list(range(2, 4 * 15 + 2))
    here.check_face()
    assert here.doctor() == []


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
def test_writers_do_not_take_one_another_for_outsiders(here: Project) -> None:
    told = race(here, *((f"racer-{number}", ROUNDS, "free") for number in range(4)))

    assert [warnings for each in told for _, warnings in each if warnings] == []


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
def test_a_reader_does_not_take_a_writer_for_an_outsider(here: Project) -> None:
    *_, edits = race(here, ("one", 150, "free"), ("two", 150, "free"), ("reader", 1_500, "recall"))

    assert edits == []


@pytest.mark.requirement("taskdoc.package.atomic")
def test_a_reader_of_the_files_never_meets_a_part(here: Project) -> None:
    *_, bad = race(here, ("one", 150, "free"), ("two", 150, "free"), ("reader", 6_000, "files"))

    assert bad == []


@pytest.mark.requirement("taskdoc.package.after-commit", "taskdoc.change-mind.seen-by-caller")
def test_the_package_is_never_ahead_of_the_log(here: Project) -> None:
    with racer(here, "writer", 100, "free") as process:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        ahead = []
        while process.poll() is None:
            on_disk = here.meta()["sections"]["goals"]["revision"]
            logged = here.ok("recall_mind", selector="goals")["revision"]
            if on_disk > logged:
                ahead.append((on_disk, logged))

    assert ahead == []


@pytest.mark.requirement("taskdoc.package.adopted-once")
def test_of_several_processes_that_find_a_package_one_adopts_it(here: Project) -> None:
    here.package("found").mkdir()
    here.file("goals", "found").write_text("found")
    command = [sys.executable, str(VICTIMS), str(here.root), "whole", "start", "{}"]
    with ExitStack() as running:
        processes = [running.enter_context(subprocess.Popen(command)) for _ in range(4)]
        assert [process.wait(timeout=PATIENCE) for process in processes] == [0] * 4

    assert here.text("goals", "found") == "found"
    made = [row for row in here.ok("tasks_delta")["events"] if row["type"] == "taskdoc_created"]
    assert [row["taskdoc"] for row in made] == ["auth", "found"]


def on_a_mount(here: Project, mount: str, content: str) -> dict[str, Any]:
    """Change goals in a process for which `tasks` is a mount of its own. What it wrote there goes with it."""
    change = json.dumps({"selector": "goals", "content": content})
    call = f'exec "{sys.executable}" "{VICTIMS}" "{here.root}" whole change_mind "$CHANGE"'
    command = ["unshare", "-m", "sh", "-ec", f'cd "{here.root}"; {mount}; {call}']
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=PATIENCE,
        env={"CHANGE": change, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
    )
    assert done.returncode == 0, done.stderr.decode()
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


def can_mount() -> bool:
    tried = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
    return tried.returncode == 0


FULL = (
    "aside=$(mktemp -d); cp -a tasks/. $aside; mount -t tmpfs -o size=64k,mode=700 none tasks;"
    " cp -a $aside/. tasks; rm -r $aside"
)
READ_ONLY = "mount --bind tasks tasks; mount -o remount,bind,ro tasks"


@pytest.mark.requirement("taskdoc.package.repaired", "taskdoc.state.durable")
@pytest.mark.parametrize(
    ("mount", "why"), [(FULL, "No space left"), (READ_ONLY, "Read-only")], ids=["full", "read-only"]
)
def test_a_disk_that_takes_no_package_costs_a_warning_and_no_change(here: Project, mount: str, why: str) -> None:
    if not can_mount():
        pytest.skip("this machine lets no test mount anything")
    content = "z" * 65_000

    changed = on_a_mount(here, mount, content)

    assert (changed.get("changed", True), changed["revision"]) == (True, 2)
    assert why in " ".join(changed["warnings"])
    assert here.text("goals") == content
    assert here.edited() == set()
    here.start()
    here.check_face()
    assert here.doctor() == []
