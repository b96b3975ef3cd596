"""Task managers for agents, ours and others, as the comparison uses them: a store with so many tasks, a server on
it, and the calls for the same four jobs. Each does what its own tool descriptions ask for."""

import json
import re
import subprocess
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench import peers
from bench.client import CallRefused, Client, gatepost
from bench.job import Call
from bench.rig import CONFIRMED, WORKSPACE, Rig
from bench.timing import Progress

TITLE: Final = "Refund order {number}"
CRITERION: Final = "A second refund of one order is refused"
TEST: Final = "pytest tests/test_refunds.py passes"
_ALL: Final = 1_000_000
_SUMMARY: Final = "All tests passed, and the criterion holds"
"""Shrimp takes no shorter one."""
_PATIENCE: Final = 60.0
_STANDARD: Final = {"TASK_MASTER_TOOLS": "standard"}
"""The smallest of Task Master's tool sets that can add a task."""
_FIRST: Final = TITLE.format(number=1)


@dataclass(frozen=True, slots=True)
class Manager:
    """A task manager. `seed` gives a folder so many tasks and answers their ids; `add`, `done`, `listed` and `next`
    are the jobs; `whole` lists everything that is there, in as many calls as that takes."""

    name: str
    package: str | None
    seed: Callable[[Path, int, Progress], list[str]]
    serve: Callable[[Path], Client]
    add: Callable[[Call, str], object]
    done: Callable[[Call, str], object]
    listed: Callable[[Call], object]
    next: Callable[[Call], object]
    whole: Callable[[Call], str]

    @property
    def label(self) -> str:
        """The name with the version. Raises `NotInstalled`."""
        return self.name if self.package is None else f"{self.name} {peers.version_of(self.package)}"


def _gatepost_seed(folder: Path, count: int, progress: Progress) -> list[str]:
    step = {"title": "Do it", "criteria": [CRITERION], "tests": [TEST]}
    with Rig(folder / "gatepost.db", "NORMAL") as rig:
        for number in range(1, count + 1):
            rig.ok("tasks_create", kind="task", title=TITLE.format(number=number), steps=[step])
            progress.add(1)
    return [f"TASK-{number:03d}" for number in range(1, count + 1)]


def _gatepost_serve(folder: Path) -> Client:
    # Waits for the disk with each write, as it does by default.
    return gatepost(folder / "gatepost.db", "--workspace", WORKSPACE, tools="core", synchronous="FULL")


def _gatepost_add(call: Call, title: str) -> object:
    step = {"title": "Do it", "criteria": [CRITERION], "tests": [TEST]}
    return call("tasks_create", kind="task", title=title, steps=[step])


def _gatepost_done(call: Call, task: str) -> object:
    return (
        call("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED),
        call("tasks_complete", task=task),
    )


def _gatepost_whole(call: Call) -> str:
    pages: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = json.loads(call("tasks_context", limit=100, max_chars=_ALL, **cursor))
        pages += [row["title"] for row in page["items"]]
        if not page["has_more"]:
            return "\n".join(pages)
        cursor = {"cursor": page["cursor"]}


def _backlog_seed(folder: Path, count: int, progress: Progress) -> list[str]:
    """Its own server writes the first task. The others are copies of that file."""
    _prepared(_backlog_serve(folder), lambda call: _backlog_add(call, _FIRST))
    (first,) = (folder / "backlog" / "tasks").glob("*.md")
    text = first.read_text()
    for number in range(2, count + 1):
        title = TITLE.format(number=number)
        copy = text.replace("id: TASK-1\n", f"id: TASK-{number}\n").replace(_FIRST, title)
        copy = copy.replace("ordinal: 1000\n", f"ordinal: {number * 1000}\n")
        first.with_name(f"task-{number} - {title.replace(' ', '-')}.md").write_text(copy)
        progress.add(1)
    return [f"TASK-{number}" for number in range(1, count + 1)]


def _backlog_serve(folder: Path) -> Client:
    return peers.backlog(folder)


def _backlog_add(call: Call, title: str) -> object:
    return call("task_create", title=title, acceptanceCriteria=[CRITERION, TEST])


def _backlog_done(call: Call, task: str) -> object:
    return call("task_edit", id=task, status="Done", acceptanceCriteriaCheck=[1, 2])


def _shrimp_seed(folder: Path, count: int, progress: Progress) -> list[str]:
    """Its own server writes the first task. The others are copies of that record."""
    _prepared(_shrimp_serve(folder), lambda call: _shrimp_add(call, _FIRST))
    path = folder / "data" / "tasks.json"
    kept = json.loads(path.read_text())
    (first,) = kept["tasks"]
    ids = [first["id"], *(str(uuid.uuid4()) for _ in range(count - 1))]
    kept["tasks"] = [{**first, "id": key, "name": TITLE.format(number=n)} for n, key in enumerate(ids, start=1)]
    path.write_text(json.dumps(kept, indent=2))
    progress.add(count)
    return ids


def _shrimp_serve(folder: Path) -> Client:
    return peers.shrimp(folder)


def _shrimp_add(call: Call, title: str) -> object:
    task = {
        "name": title,
        "description": CRITERION,
        "implementationGuide": TEST,
        "verificationCriteria": CRITERION,
    }
    text = call("split_tasks", updateMode="append", tasksRaw=json.dumps([task]), globalAnalysisResult="Refunds")
    if "**ID:**" not in text:  # it says in plain words that it failed
        raise CallRefused(f"split_tasks {title}: {text}")
    return text


def _shrimp_done(call: Call, task: str) -> object:
    return call("execute_task", taskId=task), call("verify_task", taskId=task, score=100, summary=_SUMMARY)


def _master_seed(folder: Path, count: int, progress: Progress) -> list[str]:
    """Its own server writes the first task. The others are copies of that record."""
    start = [peers.program("task-master"), "init", "--yes", "--no-git", "--no-aliases"]
    subprocess.run(start, cwd=folder, capture_output=True, check=True, timeout=_PATIENCE)
    _prepared(_master_serve(folder), lambda call: _master_add(call, _FIRST))
    path = folder / ".taskmaster" / "tasks" / "tasks.json"
    kept = json.loads(path.read_text())
    (first,) = kept["master"]["tasks"]
    kept["master"]["tasks"] = [
        {**first, "id": str(number), "title": TITLE.format(number=number)} for number in range(1, count + 1)
    ]
    path.write_text(json.dumps(kept, indent=2))
    progress.add(count)
    return [str(number) for number in range(1, count + 1)]


def _master_serve(folder: Path) -> Client:
    return Client([peers.program("task-master-mcp")], folder, _STANDARD, always={"projectRoot": str(folder)})


def _master_add(call: Call, title: str) -> object:
    return call("add_task", title=title, description=CRITERION, details=CRITERION, testStrategy=TEST)


def _prepared(server: Client, work: Callable[[Call], object]) -> None:
    with server as client:
        client.greet()
        work(client.text)


def titles(text: str, prefix: str) -> set[str]:
    """The titles with a prefix and a number that a text contains."""
    return set(re.findall(rf"{re.escape(prefix)} \d+\b", text))


def _all_of(tool: str, **arguments: Any) -> Callable[[Call], str]:
    return lambda call: call(tool, **arguments)


GATEPOST: Final = Manager(
    name="Gatepost",
    package=None,
    seed=_gatepost_seed,
    serve=_gatepost_serve,
    add=_gatepost_add,
    done=_gatepost_done,
    listed=_all_of("tasks_context"),
    next=_all_of("tasks_radar"),
    whole=_gatepost_whole,
)
OTHERS: Final = (
    Manager(
        name="Backlog.md",
        package="backlog.md",
        seed=_backlog_seed,
        serve=_backlog_serve,
        add=_backlog_add,
        done=_backlog_done,
        listed=_all_of("task_list"),
        next=_all_of("task_list", ready=True, limit=1),
        whole=_all_of("task_list"),
    ),
    Manager(
        name="Shrimp",
        package="mcp-shrimp-task-manager",
        seed=_shrimp_seed,
        serve=_shrimp_serve,
        add=_shrimp_add,
        done=_shrimp_done,
        listed=_all_of("list_tasks", status="all"),
        next=_all_of("list_tasks", status="pending"),
        whole=_all_of("list_tasks", status="all"),
    ),
    Manager(
        name="Task Master",
        package="task-master-ai",
        seed=_master_seed,
        serve=_master_serve,
        add=_master_add,
        done=lambda call, task: call("set_task_status", id=task, status="done"),
        listed=_all_of("get_tasks"),
        next=_all_of("next_task"),
        whole=_all_of("get_tasks"),
    ),
)
