"""A writer of a fleet, in a process of its own: asks servers or the database, and notes down what was acknowledged.

Arguments: a name, the file to note into, the file whose presence ends it, and the addresses to ask.
"""

import random
import sys
from pathlib import Path
from typing import Any

import gatepost

HOT = "hot/one"
COOL = 64
PASSING = ("BUSY", "STORE_UNREACHABLE", "RATE_LIMITED")
PROOF = {name: {"confirmed": True, "note": "Looked at it."} for name in ("criteria", "tests")}


class Writer:
    """Makes calls until it is told to stop. A call that fails in passing is sent again, with the same id."""

    def __init__(self, name: str, notes: Path, addresses: list[str]) -> None:
        self.name = name
        self.number = 0
        self.random = random.Random(name)
        self.addresses = addresses
        self.notes = notes.open("a", encoding="utf-8", buffering=1)
        self.client = self.connected()

    def connected(self) -> gatepost.Gatepost:
        return gatepost.connect(self.random.choice(self.addresses), actor=f"agent:{self.name}")

    def run(self, stop: Path) -> None:
        while not stop.exists():
            self.number += 1
            self.random.choices((self.note, self.note_elsewhere, self.edit, self.close), (50, 25, 15, 10))[0]()

    def note(self, workspace: str = HOT) -> None:
        token = f"{self.name}-{self.number}"
        self.said("sent", workspace, token)
        if self.asked("tasks_note", workspace=workspace, task="TASK-001", note=token) is not None:
            self.said("noted", workspace, token)

    def note_elsewhere(self) -> None:
        self.note(f"cool/{self.random.randrange(COOL)}")

    def edit(self) -> None:
        """Compare and set: of all that saw one revision, one may win."""
        found = self.asked("tasks_resume", workspace=HOT, task="TASK-002")
        if found is None:
            return
        seen = found["target"]["revision"]
        title = f"{self.name} at {seen}"
        if (
            self.asked("tasks_edit", workspace=HOT, task="TASK-002", title=title, expected_revision=seen)
            is not None
        ):
            self.said("won", HOT, str(seen))

    def close(self) -> None:
        """Claim a step and close it: nobody else may."""
        claimed = self.asked("tasks_claim", workspace=HOT, task="TASK-003")
        if claimed is None or claimed["step"] is None:
            return
        step = claimed["step"]["step_id"]
        self.said("claimed", HOT, step)
        done = self.asked("tasks_close_step", workspace=HOT, task="TASK-003", step_id=step, checkpoints=PROOF)
        if done is not None and done.get("changed", True):
            self.said("closed", HOT, step)

    def asked(self, tool: str, **arguments: Any) -> dict[str, Any] | None:
        """The reply, or none if the call was refused."""
        if tool != "tasks_resume":
            arguments["request_id"] = f"{self.name}-{self.number}-{tool}"
        for _ in range(60):
            try:
                return dict(self.client.call(tool, **arguments))
            except gatepost.Refusal as refusal:
                if refusal.code not in PASSING:
                    return None
                self.client.close()
                self.client = self.connected()
        return None

    def said(self, *words: str) -> None:
        self.notes.write(" ".join(words) + "\n")


if __name__ == "__main__":
    name, notes, stop, *addresses = sys.argv[1:]
    Writer(name, Path(notes), addresses).run(Path(stop))
