"""What a person waits for: everyday commands, each in a process of its own, against a bare Python."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

from bench.figures import Aim, Section, alone, compared, median
from bench.scale import Scale
from bench.timing import Turn, take_turns

_RATIO: Final = Aim(sign="<", bound=5)
_PROGRAM: Final = (sys.executable, "-c", "import sys; from gatepost.__main__ import main; sys.exit(main())")
"""As the installed `gatepost` starts."""
_TASK: Final = {"kind": "task", "title": "Login", "steps": [{"title": "Form"}, {"title": "API"}]}
_COMMANDS: Final = {
    "ls": ("ls",),
    "radar": ("radar",),
    "show": ("show", "TASK-001"),
    "note": ("note", "1", "s:0", "x"),
    "call tasks_note": ("call", "tasks_note", json.dumps({"task": "TASK-001", "note": "x"})),
}


def measure(scale: Scale, folder: Path) -> Section:
    """Processor time from start to exit, with compiled byte code."""
    (folder / ".gatepost").mkdir()
    _turn((*_PROGRAM, "call", "tasks_create", json.dumps(_TASK)), folder)()
    turns: dict[str, Turn] = {"bare": _turn((sys.executable, "-c", "pass"), folder)}
    turns |= {name: _turn((*_PROGRAM, *words), folder) for name, words in _COMMANDS.items()}
    times = take_turns(turns, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
    base = median(times["bare"], "ms")
    figures = [alone("python -c pass, process time", base, "ms")]
    figures += [
        compared(f"gatepost {name}: against Python", median(times[name], "ms"), "ms", base, _RATIO)
        for name in _COMMANDS
    ]
    return Section(name="start", figures=figures)


def _turn(command: tuple[str, ...], folder: Path) -> Turn:
    around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    around["GATEPOST_WORKSPACE"] = "bench/start"

    def turn() -> float:
        before = _spent()
        subprocess.run(command, capture_output=True, check=True, cwd=folder, env=around)
        return _spent() - before

    return turn


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
