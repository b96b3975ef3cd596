"""Processes of their own on one file: eight that write at once, and one that is killed fifty times."""

import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.engine import doctor
from gatepost.storage.sqlite import connection_pool

WRITERS = Path(__file__).with_name("writers.py")
WORKSPACE = "acme/repo"
PROCESSES = 8
ROUNDS = 15
KILLS = 50
SAME = "same"
"""The writer that sends the same requests as all others of its name."""

Event = dict[str, Any]


@contextmanager
def writer(path: Path, name: str, how_many: int) -> Iterator["subprocess.Popen[str]"]:
    """A process that is ready to write, and waits for a line."""
    command = [sys.executable, str(WRITERS), str(path), name, str(how_many)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def let_go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def acknowledged(lines: str) -> list[list[Event]]:
    """The replies that were said to the end; the last line may have been cut."""
    whole = lines[: lines.rfind("\n") + 1]
    return [json.loads(line) for line in whole.splitlines()]


@pytest.mark.requirement("call.busy.never-locked", "call.busy.retried", "call.seq.no-gaps", "call.seq.commit-order")
def test_eight_processes_write_at_once_and_every_acknowledged_write_is_there(tmp_path: Path) -> None:
    path = tmp_path / "gatepost.db"
    followed: list[Event] = []
    follower = threading.Thread(target=_follow, args=(path, PROCESSES * ROUNDS * 5, followed), daemon=True)
    with ExitStack() as running:
        processes = [running.enter_context(writer(path, f"writer-{number}", ROUNDS)) for number in range(PROCESSES)]

        for process in processes:
            let_go(process)
        follower.start()
        ended = [(process.communicate(timeout=60), process.returncode) for process in processes]
        follower.join(30)

    replies = [reply for (said, _), _ in ended for reply in acknowledged(said)]
    told = sorted((event for reply in replies for event in reply), key=lambda event: event["seq"])
    assert [(complaints, code) for (_, complaints), code in ended] == [("", 0)] * PROCESSES, "nobody was refused"
    assert [event["seq"] for event in told] == list(range(1, PROCESSES * ROUNDS * 5 + 1))
    assert named(followed) == named(told), "the follower missed something, or saw it out of order"
    with gatepost.connect(str(path)) as gp:
        assert doctor.examine(gp.engine.store, WORKSPACE).findings == []


def _follow(path: Path, how_many: int, followed: list[Event]) -> None:
    with gatepost.connect(str(path)) as gp:
        followed.extend(islice(gp.follow(WORKSPACE), how_many))


@pytest.mark.requirement("storage.crash.acknowledged-kept", "storage.crash.next-write-at-once")
@pytest.mark.requirement("storage.files.no-daemon-no-locks", "call.transaction.all-or-nothing")
def test_a_writer_killed_fifty_times_loses_nothing_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gatepost.db"
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.0)  # so that "at once" is meant literally
    chance = random.Random(2026)
    told = 0
    for number in range(KILLS):
        with writer(path, f"victim-{number}", 0) as victim:
            let_go(victim)
            said = _heard(victim, chance.randrange(12))
            victim.kill()
            assert victim.stdout is not None
            said += victim.stdout.read()

        told += _check_after_a_crash(path, acknowledged(said))

    assert told > KILLS, "the victims had time to write"
    assert {item.name for item in tmp_path.iterdir()} <= {"gatepost.db", "gatepost.db-wal", "gatepost.db-shm"}


def named(events: list[Event]) -> list[tuple[int, str]]:
    """Events as a reply names them."""
    return [(event["seq"], event["type"]) for event in events]


def _heard(victim: "subprocess.Popen[str]", lines: int) -> str:
    assert victim.stdout is not None
    return "".join(victim.stdout.readline() for _ in range(lines))


def _check_after_a_crash(path: Path, replies: list[list[Event]]) -> int:
    """The file opens, the next write goes through at once, and what was acknowledged is as it was told."""
    with gatepost.connect(str(path)) as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="After the crash")
        for reply in replies:
            first, last = reply[0]["seq"], reply[-1]["seq"]
            kept = gp.call("tasks_delta", workspace=WORKSPACE, since=first - 1, limit=last - first + 1)
            assert named(kept["events"]) == named(reply)
        assert doctor.examine(gp.engine.store, WORKSPACE).findings == []
    return len(replies)


def test_processes_that_send_one_request_get_one_application_and_equal_answers(tmp_path: Path) -> None:
    path = tmp_path / "gatepost.db"
    with gatepost.connect(str(path)) as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="A task")
    with ExitStack() as running:
        processes = [running.enter_context(writer(path, SAME, ROUNDS)) for _ in range(4)]

        for process in processes:
            let_go(process)
        ended = [(process.communicate(timeout=60), process.returncode) for process in processes]

    said = [lines.splitlines() for (lines, _), _ in ended]
    assert [(complaints, code) for (_, complaints), code in ended] == [("", 0)] * len(processes)
    assert [len(lines) for lines in said] == [ROUNDS] * len(processes)
    assert all(lines == said[0] for lines in said)
    with gatepost.connect(str(path)) as gp:
        log = gp.call("tasks_delta", workspace=WORKSPACE, since=1, limit=200)["events"]
    assert [event["seq"] for event in log] == [json.loads(line)["events"][0]["seq"] for line in said[0]]
