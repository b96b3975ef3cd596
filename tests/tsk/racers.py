"""A process of its own that changes a taskdoc again and again, or reads its package.

    python racers.py <folder> <name> <how many> free|checked|recall|files

It says `ready`, waits for a line, works, and says what came of it as one line of JSON.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import gatepost

WORKSPACE = "acme/repo"
PADDING = "0123456789abcdef" * 512


def text(name: str, number: int) -> str:
    """A text that shows whether it is whole."""
    return f"{name} {number} begins\n{PADDING}\n{name} {number} ends"


def main(folder: str, name: str, how_many: int, how: str) -> None:
    """Do it when told."""
    os.chdir(folder)
    os.environ["GATEPOST_ROOT"] = folder  # the store stands beside it
    with gatepost.connect(str(Path(folder).parent / "gatepost.db"), actor=name, synchronous="NORMAL") as gp:
        gp.call("recall_mind", workspace=WORKSPACE, selector="goals")
        print("ready", flush=True)
        sys.stdin.readline()
        work = {"free": free, "checked": checked, "recall": recall, "files": files}[how]
        print(json.dumps(work(gp, name, how_many)), flush=True)


def free(gp: gatepost.Gatepost, name: str, how_many: int) -> list[Any]:
    """Change without looking; the revisions and warnings that were given."""
    replies = [asked(gp, "change_mind", content=text(name, number)) for number in range(how_many)]
    return [[reply["revision"], reply.get("warnings", [])] for reply in replies]


def checked(gp: gatepost.Gatepost, name: str, how_many: int) -> list[Any]:
    """Change only what was looked at, until it was changed so often; what was won."""
    won: list[Any] = []
    while len(won) < how_many:
        known = asked(gp, "recall_mind")["revision"]
        try:
            given = {"content": text(name, known), "expected_revision": known}
            reply = asked(gp, "change_mind", **given)
        except gatepost.Refusal as refusal:
            if refusal.code != "REVISION_MISMATCH":
                raise
        else:
            won.append([reply["revision"], reply.get("warnings", [])])
    return won


def recall(gp: gatepost.Gatepost, name: str, how_many: int) -> list[Any]:
    """Read again and again; the reads that spoke of an edit."""
    said = [asked(gp, "recall_mind") for _ in range(how_many)]
    return [one["revision"] for one in said if "edited" in one]


def asked(gp: gatepost.Gatepost, tool: str, **given: Any) -> dict[str, Any]:
    """A call about the goals, asked again where the store was busy for too long: a slow disk, and no more."""
    while True:
        try:
            return gp.call(tool, workspace=WORKSPACE, selector="goals", **given)
        except gatepost.Refusal as refusal:
            if refusal.code != "BUSY":
                raise


def files(gp: gatepost.Gatepost, name: str, how_many: int) -> list[Any]:
    """Read the package's files again and again; whatever was not whole."""
    bad: list[Any] = []
    package = Path("tasks/auth.tsk")
    for _ in range(how_many):
        goals = (package / "goals.md").read_bytes().decode()
        first, _, rest = goals.partition(" begins\n")
        if goals != "start" and rest != f"{PADDING}\n{first} ends":
            bad.append(goals[:80])
        meta = json.loads((package / "meta.json").read_bytes())
        if set(meta["sections"]) != {"goals", "constraints", "progress"}:
            bad.append(meta)
    return bad


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
