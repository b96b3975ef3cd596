"""Proof: what checks cost those who have none, what a view costs that shows many proofs, and what a run adds.

The project is a real git repository, so that a view looks at a real source tree.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import CONFIRMED, Closing, Rig, seed
from bench.scale import Scale
from bench.timing import Progress, Turn, take_turns, timed
from gatepost import wiring
from gatepost.checks import runner, trust_record
from gatepost.checks.project_checks import ProjectChecks
from gatepost.domain.checks import Check
from gatepost.engine.checks import Cancellation, CheckRun, Said

_SAME: Final = Aim(sign="≤", bound=1.1)
_ONE_CALL: Final = Aim(sign="≤", bound=1, unit=" calls")
_STEPS: Final = 100
_PROOFS: Final = 1_000
_FILES: Final = 200
_BATCH: Final = 100
_SHOWN: Final = 200
_ROOM: Final = 1_000_000
_TRUE: Final = ("true",)


def measure(scale: Scale, folder: Path) -> Section:
    """Each in turns with what it is compared with."""
    with _project(folder / "project") as home:
        closing = _closings(scale, folder, home)
        views, calls = _views(scale, home)
        runs = _runs(scale, home.parent)
    count = min(_PROOFS, scale.bulk[1])
    return Section(
        name="proofs",
        figures=[
            *_pair(
                "close a step without checks",
                "in an engine that runs none",
                "in one that runs some",
                closing,
                _SAME,
            ),
            *_pair(f"hand off {count:,} steps", "closed on a word", "closed by checks", views),
            alone(f"calls of git for a handoff of {count:,} proofs", calls, "calls", _ONE_CALL),
            alone("run `true` as a process", median(runs["plain"], "ms"), "ms"),
            compared("start a bare Python", median(runs["python"], "ms"), "ms", median(runs["plain"], "ms")),
            compared("run `true` as a check", median(runs["check"], "ms"), "ms", median(runs["plain"], "ms")),
        ],
    )


def _pair(
    what: str, base: str, other: str, times: Mapping[str, Sequence[float]], aim: Aim | None = None
) -> list[Figure]:
    """Two figures: what is compared with, and what is compared."""
    first, second = (median(found, "ms") for found in times.values())
    return [
        alone(f"{what}, {base}", first, "ms"),
        compared(f"{what}, {other}", second, "ms", first, aim),
    ]


@contextmanager
def _project(root: Path) -> Iterator[Path]:
    """A repository in which `true` may run; its `.gatepost` folder. The user's own decisions stay out of it."""
    held = os.environ.get("XDG_CONFIG_HOME")
    os.environ["XDG_CONFIG_HOME"] = str(root.parent / "config")
    try:
        home = root / ".gatepost"
        home.mkdir(parents=True)
        for number in range(_FILES):
            (root / f"file{number}.py").write_text(f"number = {number}\n")
        (root / ".gitignore").write_text(".gatepost/\n")
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
        for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "All of it")):
            subprocess.run(["git", *words], cwd=root, check=True)
        trust_record.change(str(root.resolve()), lambda record: record._replace(allow=(_TRUE,)))
        yield home
    finally:
        if held is None:
            del os.environ["XDG_CONFIG_HOME"]
        else:
            os.environ["XDG_CONFIG_HOME"] = held


def _closings(scale: Scale, folder: Path, home: Path) -> dict[str, list[float]]:
    """Close steps that have no checks, with an engine that could run some and with one that could not."""
    with Rig(folder / "without.db", "NORMAL") as without, Rig(folder / "with.db", "NORMAL") as able:
        able.engine.store.close()
        able.engine = wiring.engine(able.location, "NORMAL", str(home))
        turns: dict[str, Turn] = {}
        for name, rig in (("without", without), ("with", able)):
            progress = Progress(f"steps {name} checks", _STEPS, until=float("inf"))
            turns[name] = Closing(rig.ok, seed(rig, tasks=1, steps_each=_STEPS, progress=progress))
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
        return {name: list(found) for name, found in times.items()}


def _views(scale: Scale, home: Path) -> tuple[dict[str, list[float]], int]:
    """The same view of a task whose steps were closed on a word, and of one whose steps were proven by checks."""
    steps = min(_PROOFS, scale.bulk[1])
    with Rig(home / "gatepost.db", "NORMAL") as rig:
        tasks = {"word": _closed(rig, steps, home, proven=False), "machine": _closed(rig, steps, home, proven=True)}
        rig.engine.store.close()
        rig.engine = wiring.engine(rig.location, "NORMAL", str(home))
        turns: dict[str, Turn] = {name: partial(_look, rig, task) for name, task in tasks.items()}
        with _counted_git(home.parent.parent) as counted:
            _look(rig, tasks["machine"])
            calls = counted.read_text().count("call") if counted.exists() else 0
        times = take_turns(turns, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
        return {name: list(found) for name, found in times.items()}, calls


def _look(rig: Rig, task: str) -> float:
    return timed(lambda: rig.ok("tasks_handoff", task=task, limit=_SHOWN, max_chars=_ROOM))


class _InstantChecks(ProjectChecks):
    """Checks that pass without a process, so that a thousand proofs are there soon."""

    def run(self, check: Check, said: Said | None = None, cancelled: Cancellation | None = None) -> CheckRun:
        """What it would give."""
        del check, said, cancelled
        return CheckRun(passed=True, exit_code=0, seconds=0.1, output="12 passed")


def _closed(rig: Rig, steps: int, home: Path, *, proven: bool) -> str:
    """A task whose steps are all done."""
    rig.engine.checks = _InstantChecks(str(home.parent), rig.location)
    step: dict[str, Any] = {"title": "A step"} | ({"checks": [{"run": _TRUE}]} if proven else {})
    task: str = json.loads(rig.ok("tasks_create", kind="task", title="All done"))["id"]
    for begun in range(0, steps, _BATCH):
        rig.ok("tasks_decompose", task=task, steps=[step] * min(_BATCH, steps - begun))
    words = CONFIRMED if not proven else {"criteria": {"confirmed": True}}
    for number in range(steps):
        more = {"run_checks": True} if proven else {}
        rig.ok("tasks_close_step", task=task, path=f"s:{number}", checkpoints=words, **more)
    return task


@contextmanager
def _counted_git(folder: Path) -> Iterator[Path]:
    """The file with a line for each call of git."""
    counted, program, held = folder / "calls", folder / "bin" / "git", os.environ["PATH"]
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho call >> "{counted}"\nexec "{shutil.which("git")}" "$@"\n')
    program.chmod(0o755)
    os.environ["PATH"] = f"{program.parent}:{held}"
    try:
        yield counted
    finally:
        os.environ["PATH"] = held


def _runs(scale: Scale, root: Path) -> dict[str, list[float]]:
    """An empty command, as a process and as a check: from start to end."""
    turns: dict[str, Turn] = {
        "plain": lambda: timed(lambda: subprocess.run(_TRUE, check=True, stdin=subprocess.DEVNULL)),
        "python": lambda: timed(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)),
        "check": lambda: timed(lambda: runner.run(Check(run=_TRUE), str(root))),
    }
    times = take_turns(turns, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
    return {name: list(found) for name, found in times.items()}
