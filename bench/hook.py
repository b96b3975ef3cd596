"""The hooks' price: each in a process of its own, against a bare Python. Agents pay it on every tool call."""

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

_WITHIN: Final = Aim(sign="<", bound=60, unit=" ms")
_RATIO: Final = Aim(sign="<", bound=4)
_RATIO_AFTER: Final = Aim(sign="<", bound=3)
_COMMAND: Final = (sys.executable, "-m", "gatepost")
_HOOK: Final = (*_COMMAND, "hook", "pre-tool")
_AFTER: Final = (*_COMMAND, "hook", "post-tool")
_CALLS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "a file tool, no objection": ("Read", {"file_path": "src/main.py"}),
    "a file tool, denied": ("Read", {"file_path": "tasks/plan.tsk/goals.md"}),
    "a shell, no objection": ("Bash", {"command": "git add -A && git commit -m 'the .tsk format' && cat src/*.py"}),
    "a shell, denied": ("Bash", {"command": "cd tasks && cat */goals.md"}),
}
_WITH_NEWS: Final = "a session begins with open work"
_MOMENTS: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "an agent stops": ("stop", {"hook_event_name": "Stop", "session_id": "s-1", "stop_hook_active": False}),
    "before a cut": ("pre-compact", {"hook_event_name": "PreCompact", "session_id": "s-1", "trigger": "auto"}),
    _WITH_NEWS: ("session-start", {"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup"}),
    "a turn without news": ("session-start", {"hook_event_name": "UserPromptSubmit", "session_id": "s-1"}),
}


def measure(scale: Scale, folder: Path) -> Section:
    """Processor time from start to exit, verdict included: what a busy machine does besides is not the hook's."""
    _furnish(folder)
    turns: dict[str, Turn] = {"bare": _turn((sys.executable, "-c", "pass"), b"", folder)}
    for name, (tool, given) in _CALLS.items():
        event = {"hook_event_name": "PreToolUse", "cwd": str(folder), "tool_name": tool, "tool_input": given}
        turns[name] = _turn(_HOOK, json.dumps(event).encode(), folder)
    done = json.dumps({"hook_event_name": "PostToolUse", "cwd": str(folder), "tool_name": "Bash"}).encode()
    turns["nothing changed"] = _turn(_AFTER, done, folder)
    for name, (hook, moment) in _MOMENTS.items():
        turns[name] = _turn((*_COMMAND, "hook", hook), json.dumps({"cwd": str(folder), **moment}).encode(), folder)
    turns["a package restored"] = _tampering(_turn(_AFTER, done, folder), folder)
    times = take_turns(turns, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
    base = median(times["bare"], "ms")
    figures = [alone("python -c pass, process time", base, "ms")]
    for name in _CALLS:
        spent = median(times[name], "ms")
        figures.append(alone(f"hook pre-tool, {name}", spent, "ms", _WITHIN))
        figures.append(compared(f"hook pre-tool, {name}: against Python", spent, "ms", base, _RATIO))
    for name, aim in (("nothing changed", _RATIO_AFTER), ("a package restored", None)):
        spent = median(times[name], "ms")
        figures.append(compared(f"hook post-tool, {name}: against Python", spent, "ms", base, aim))
    for name, (hook, _) in _MOMENTS.items():
        spent = median(times[name], "ms")
        aim = None if name == _WITH_NEWS else _RATIO_AFTER
        figures.append(compared(f"hook {hook}, {name}: against Python", spent, "ms", base, aim))
    return Section(name="hook", figures=figures)


def _furnish(folder: Path) -> None:
    (folder / ".gatepost").mkdir()
    mind = {"workspace": "bench/hook", "taskdoc": "plan", "selector": "goals", "content": "- x\n"}
    for tool, given in (("taskdoc_create", {"workspace": "bench/hook", "name": "plan"}), ("change_mind", mind)):
        subprocess.run((*_COMMAND, "call", tool, json.dumps(given)), capture_output=True, check=True, cwd=folder)
    work = {"workspace": "bench/hook", "kind": "task", "title": "Shop", "steps": [{"title": "Prices"}]}
    create = (*_COMMAND, "call", "tasks_create", json.dumps(work))
    subprocess.run(create, capture_output=True, check=True, cwd=folder)
    (folder / "src").mkdir()
    for number in range(200):
        (folder / "src" / f"module{number}.py").write_text("pass\n")


def _turn(command: tuple[str, ...], event: bytes, folder: Path) -> Turn:
    around = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}

    def turn() -> float:
        before = _spent()
        subprocess.run(command, input=event, capture_output=True, check=True, cwd=folder, env=around)
        return _spent() - before

    return turn


def _tampering(hook: Turn, folder: Path) -> Turn:
    def turn() -> float:
        (folder / "tasks/plan.tsk/goals.md").write_text("- y\n")
        spent = hook()
        hook()  # the next turn begins with a package that was looked at
        return spent

    return turn


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
