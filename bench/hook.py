"""The hook's price: a verdict in a process of its own, against a bare Python. Agents pay it on every tool call."""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

from bench.figures import Aim, Section, alone, compared, median
from bench.scale import Scale
from bench.timing import Turn, take_turns

_WITHIN: Final = Aim(sign="<", bound=60, unit=" ms")
_RATIO: Final = Aim(sign="<", bound=4)
_HOOK: Final = (sys.executable, "-m", "gatepost", "hook", "pre-tool")
_CALLS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "a file tool, no objection": ("Read", {"file_path": "src/main.py"}),
    "a file tool, denied": ("Read", {"file_path": "tasks/plan.tsk/goals.md"}),
    "a shell, no objection": ("Bash", {"command": "git add -A && git commit -m 'the .tsk format' && cat src/*.py"}),
    "a shell, denied": ("Bash", {"command": "cd tasks && cat */goals.md"}),
}


def measure(scale: Scale, folder: Path) -> Section:
    """Processor time from start to exit, verdict included: what a busy machine does besides is not the hook's."""
    _furnish(folder)
    turns: dict[str, Turn] = {"bare": _turn((sys.executable, "-c", "pass"), b"", folder)}
    for name, (tool, given) in _CALLS.items():
        event = {"hook_event_name": "PreToolUse", "cwd": str(folder), "tool_name": tool, "tool_input": given}
        turns[name] = _turn(_HOOK, json.dumps(event).encode(), folder)
    times = take_turns(turns, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
    base = median(times["bare"], "ms")
    figures = [alone("python -c pass, process time", base, "ms")]
    for name in _CALLS:
        spent = median(times[name], "ms")
        figures.append(alone(f"hook pre-tool, {name}", spent, "ms", _WITHIN))
        figures.append(compared(f"hook pre-tool, {name}: against Python", spent, "ms", base, _RATIO))
    return Section(name="hook", figures=figures)


def _furnish(folder: Path) -> None:
    package = folder / "tasks/plan.tsk"
    package.mkdir(parents=True)
    for section in ("goals", "constraints", "progress"):
        (package / f"{section}.md").write_text("- x\n")
    (folder / "src").mkdir()
    for number in range(200):
        (folder / "src" / f"module{number}.py").write_text("pass\n")


def _turn(command: tuple[str, ...], event: bytes, folder: Path) -> Turn:
    def turn() -> float:
        before = _spent()
        subprocess.run(command, input=event, capture_output=True, check=True, cwd=folder)
        return _spent() - before

    return turn


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
