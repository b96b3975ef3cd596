"""An agent's loop: the calls and characters that one job takes through the real server, with the default tools,
bound to one workspace as an agent of a project is.

The job: seven steps, one of them split, a changed criterion, a note, a blocker that is answered, a wrong close that
is taken back, and the end. What the agent reads are the replies, and apart from them the tool list.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bench.client import Client
from bench.figures import Aim, Section, alone
from bench.rig import WORKSPACE
from bench.scale import Scale

_CALLS: Final = Aim(sign="≤", bound=20, unit=" calls")
_OUT: Final = Aim(sign="≤", bound=6_500, unit=" characters")
_LIST: Final = Aim(sign="≤", bound=8_000, unit=" characters")
_WORK: Final = (
    ("Write the schema of refunds", "A refund names its order, amount and reason", "Migrations run up and down"),
    ("Store a refund", "A second refund of one order is refused", "pytest tests/test_store.py"),
    ("Offer refunds over HTTP", "POST /refunds answers 201 or a problem", "pytest tests/test_http.py"),
    ("Tell the bookkeeping", "Every refund is exported once", "pytest tests/test_export.py"),
    ("Show refunds to customers", "The order page lists them", "A browser test opens the page"),
    ("Ask the payment provider", "Money goes back to the card", "The sandbox shows the payment"),
    ("Document it", "The handbook has a page on refunds", "Links are checked"),
)

Call = Callable[..., dict[str, Any]]


def measure(scale: Scale, folder: Path) -> Section:
    """Play the job once: nothing here is a timing."""
    del scale
    with Client(folder / "loop.db", "--workspace", WORKSPACE, tools="core") as client:
        listed = len(json.dumps(client.greet(), ensure_ascii=False, separators=(",", ":")))
        count = _Count(client)
        play(count.ok)
    return Section(
        name="loop",
        figures=[
            alone("calls for the job", count.calls, "calls", _CALLS),
            alone("characters that the agent sends", count.sent, "characters"),
            alone("characters that the agent reads", count.read, "characters", _OUT),
            alone("characters of the tool list", listed, "characters", _LIST),
        ],
    )


class _Count:
    """Calls through a client, and the characters of their arguments and of the texts that come back."""

    def __init__(self, client: Client) -> None:
        self.calls = self.sent = self.read = 0
        self._client = client

    def ok(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """One call that must be accepted."""
        text = self._client.text(tool, **arguments)
        self.calls += 1
        self.sent += len(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))
        self.read += len(text)
        reply: dict[str, Any] = json.loads(text)
        return reply


def play(ok: Call) -> None:
    """The job, as an agent does it that reads nothing but the replies."""
    ok("tasks_radar")
    steps = [{"title": title, "criteria": [criterion], "tests": [test]} for title, criterion, test in _WORK]
    made = ok("tasks_create", kind="task", title="Refunds", description="Customers wait for weeks.", steps=steps)
    task, ids = made["id"], [step["step_id"] for step in made["steps"]]
    now = {"step_id": ids[0], "revision": 1}
    now = _close(ok, task, now)
    now = _close(ok, task, now)
    halves = [{"title": "Take and check the request"}, {"title": "Answer with the refund"}]
    now = ok("tasks_decompose", task=task, step_id=now["step_id"], steps=halves)["now"]
    for _ in range(3):  # both halves, then what they were split from
        now = _close(ok, task, now)
    criteria = ["Every refund is exported once, in euros"]
    now = ok("tasks_define", task=task, step_id=now["step_id"], criteria=criteria)["now"]
    now = _close(ok, task, now)
    ok("tasks_note", task=task, step_id=ids[6], note="The handbook moved to docs/handbook.")
    ok("tasks_block", task=task, step_id=ids[5], reason="Which account of the provider do we use?")
    now = _close(ok, task, now)
    wrong = ok("tasks_close_step", task=task, step_id=now["step_id"], checkpoints=_proof("by mistake"))
    assert wrong["next"]["tool"] == "tasks_resume", wrong
    ok("tasks_undo")
    now = ok("tasks_block", task=task, step_id=ids[5], blocked=False, answer="The one for testing.")["now"]
    while now is not None:
        now = _close(ok, task, now)
    done = ok("tasks_complete", task=task)
    assert done["status"] == "DONE", done


def _close(ok: Call, task: str, now: dict[str, Any]) -> Any:
    step = {"step_id": now["step_id"], "expected_step_revision": now["revision"]}
    return ok("tasks_close_step", task=task, **step, checkpoints=_proof("pytest: 12 passed")).get("now")


def _proof(note: str) -> dict[str, Any]:
    return {"criteria": {"confirmed": True}, "tests": {"confirmed": True, "note": note}}
