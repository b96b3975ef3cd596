"""A writer in a process of its own. It says what was acknowledged, one line each, and nothing else.

    python writers.py <file> <name> <how many, 0 for no end>

It says `ready`, waits for a line, and then writes: tasks, steps closed, notes. Writers that are called `same` send
the same notes under the same request ids, and say each answer whole.
"""

import json
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import gatepost

CONFIRMED = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
WORKSPACE = "acme/repo"


def main(path: str, name: str, how_many: int) -> None:
    """Write until told enough, or killed."""
    print("ready", flush=True)
    sys.stdin.readline()
    with gatepost.connect(path, actor=name) as gp:
        for number in range(how_many if name == "same" else 0):
            note = {"workspace": WORKSPACE, "task": "TASK-001", "note": f"Note {number}"}
            print(gp.client.text("tasks_note", {**note, "request_id": f"note-{number}"}), flush=True)
        if name == "same":
            return
        for number in count() if how_many == 0 else range(how_many):
            for reply in _writes(gp, f"{name} {number}"):
                print(json.dumps(reply["events"]), flush=True)


def _writes(gp: gatepost.Gatepost, title: str) -> Iterator[dict[str, Any]]:
    steps = [{"title": f"{title}, first"}, {"title": f"{title}, second"}]
    made = gp.call("tasks_create", workspace=WORKSPACE, kind="task", title=title, steps=steps)
    yield made
    task = made["id"]
    yield gp.call("tasks_close_step", workspace=WORKSPACE, task=task, path="s:0", checkpoints=CONFIRMED)
    yield gp.call("tasks_note", workspace=WORKSPACE, task=task, path="s:1", note=f"{title} goes on. " * 20)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
