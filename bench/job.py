"""The job of the loop's benchmark, as an agent does it with each server: seven steps, one of them split, a changed
criterion, a note, a blocker that is answered, a wrong close that is taken back, and the end.

An agent reads nothing but the replies, and does what the server's own replies and descriptions ask for: Backlog.md
wants a task to be in progress before it is done, Shrimp wants it executed before it is verified.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

_TITLE: Final = "Refunds"
_WHY: Final = "Customers wait for weeks."
_WORK: Final = (
    ("Write the schema of refunds", "A refund names its order, amount and reason", "Migrations run up and down"),
    ("Store a refund", "A second refund of one order is refused", "pytest tests/test_store.py"),
    ("Offer refunds over HTTP", "POST /refunds answers 201 or a problem", "pytest tests/test_http.py"),
    ("Tell the bookkeeping", "Every refund is exported once", "pytest tests/test_export.py"),
    ("Show refunds to customers", "The order page lists them", "A browser test opens the page"),
    ("Ask the payment provider", "Money goes back to the card", "The sandbox shows the payment"),
    ("Document it", "The handbook has a page on refunds", "Links are checked"),
)
_HALVES: Final = ("Take and check the request", "Answer with the refund")
_BETTER: Final = "Every refund is exported once, in euros"
_NOTE: Final = "The handbook moved to docs/handbook."
_QUESTION: Final = "Which account of the provider do we use?"
_ANSWER: Final = "The one for testing."
_PROOF: Final = "pytest: 12 passed"
_MISTAKE: Final = "by mistake"
_SPLIT, _CHANGED, _SHOWN, _ASKED, _LAST = range(2, 7)

Call = Callable[..., str]
"""One call that must be accepted: the tool and its arguments in, the text of the reply out."""


def with_gatepost(call: Call) -> None:
    """Each write answers with the step to go on with."""

    def ok(tool: str, /, **arguments: Any) -> Any:
        return json.loads(call(tool, **arguments))

    def close(now: Any) -> Any:
        step = {"step_id": now["step_id"], "expected_step_revision": now["revision"]}
        return ok("tasks_close_step", task=task, **step, checkpoints=_confirmed(_PROOF)).get("now")

    ok("tasks_radar")
    steps = [{"title": title, "criteria": [criterion], "tests": [test]} for title, criterion, test in _WORK]
    made = ok("tasks_create", kind="task", title=_TITLE, description=_WHY, steps=steps)
    task, ids = made["id"], [step["step_id"] for step in made["steps"]]
    now = close(close({"step_id": ids[0], "revision": 1}))
    halves = [{"title": title} for title in _HALVES]
    now = ok("tasks_decompose", task=task, step_id=now["step_id"], steps=halves)["now"]
    now = close(close(close(now)))  # both halves, then what they were split from
    now = close(ok("tasks_define", task=task, step_id=now["step_id"], criteria=[_BETTER])["now"])
    ok("tasks_note", task=task, step_id=ids[_LAST], note=_NOTE)
    ok("tasks_block", task=task, step_id=ids[_ASKED], reason=_QUESTION)
    now = close(now)
    wrong = ok("tasks_close_step", task=task, step_id=now["step_id"], checkpoints=_confirmed(_MISTAKE))
    assert wrong["next"]["tool"] == "tasks_resume", wrong
    ok("tasks_undo")
    now = ok("tasks_block", task=task, step_id=ids[_ASKED], blocked=False, answer=_ANSWER)["now"]
    while now is not None:
        now = close(now)
    done = ok("tasks_complete", task=task)
    assert done["status"] == "DONE", done


def _confirmed(note: str) -> dict[str, Any]:
    return {"criteria": {"confirmed": True}, "tests": {"confirmed": True, "note": note}}


def with_backlog(call: Call) -> None:
    """A task for each step, below one for the whole. It has no blocked state and no undo: a label and a comment
    stand for the one, setting everything back for the other."""

    def create(title: str, **more: Any) -> str:
        identity: str = _found(r"Task (TASK-[\d.]+) - ", call("task_create", title=title, **more))[0]
        return identity

    def begin(task: str) -> None:
        call("task_edit", id=task, status="In Progress")

    def close(task: str, note: str = _PROOF, **more: Any) -> None:
        call("task_edit", id=task, status="Done", notesAppend=[note], **more)

    def work(number: int) -> None:
        begin(steps[number])
        close(steps[number], acceptanceCriteriaCheck=both)

    both = [1, 2]
    call("task_list")
    whole = create(_TITLE, description=_WHY)
    steps = [create(title, parentTaskId=whole, acceptanceCriteria=list(proof)) for title, *proof in _WORK]
    for number in range(_SPLIT):
        work(number)
    for half in [create(title, parentTaskId=steps[_SPLIT]) for title in _HALVES]:
        begin(half)
        close(half)
    work(_SPLIT)
    call("task_edit", id=steps[_CHANGED], acceptanceCriteriaSet=[_BETTER, _WORK[_CHANGED][2]])
    work(_CHANGED)
    call("task_edit", id=steps[_LAST], notesAppend=[_NOTE])
    call("task_edit", id=steps[_ASKED], labels=["blocked"], commentsAppend=[_QUESTION])
    work(_SHOWN)
    begin(steps[_LAST])
    close(steps[_LAST], _MISTAKE, acceptanceCriteriaCheck=both)
    call("task_edit", id=steps[_LAST], status="In Progress", acceptanceCriteriaUncheck=both, notesSet=_NOTE)
    call("task_edit", id=steps[_ASKED], labels=[], commentsAppend=[_ANSWER])
    work(_ASKED)
    close(steps[_LAST], acceptanceCriteriaCheck=both)
    call("task_edit", id=whole, status="Done")


def with_shrimp(call: Call) -> None:
    """A flat list of tasks. What is completed stays so: a wrong close can only be followed by a new task."""

    def split(*work: tuple[str, str, str], **more: str) -> dict[str, str]:
        raw = json.dumps([_shrimp_task(*task) for task in work], ensure_ascii=False)
        text = call("split_tasks", updateMode="append", tasksRaw=raw, **more)
        named = _found(r"### Task \d+: (.+)\s+\*\*ID:\*\* `([^`]+)`", text)
        return {title: identity for title, identity in named if title in {task[0] for task in work}}

    def work(identity: str) -> None:
        call("execute_task", taskId=identity)
        # It takes no summary of fewer than 30 characters.
        call("verify_task", taskId=identity, score=100, summary=f"{_PROOF}, and the criterion holds")

    call("list_tasks", status="all")
    steps = list(split(*_WORK, globalAnalysisResult=_WHY).values())
    for number in range(_SPLIT):
        work(steps[number])
    for half in split(*((title, *_WORK[_SPLIT][1:]) for title in _HALVES)).values():
        work(half)
    work(steps[_SPLIT])
    call("update_task", taskId=steps[_CHANGED], verificationCriteria=_BETTER)
    work(steps[_CHANGED])
    call("update_task", taskId=steps[_LAST], notes=_NOTE)
    call("update_task", taskId=steps[_ASKED], notes=f"Blocked: {_QUESTION}")
    work(steps[_SHOWN])
    work(steps[_LAST])
    title, criterion, test = _WORK[_LAST]
    (again,) = split((f"{title} again", criterion, test)).values()
    call("update_task", taskId=steps[_ASKED], notes=f"{_QUESTION} {_ANSWER}")
    work(steps[_ASKED])
    work(again)


def _shrimp_task(title: str, criterion: str, test: str) -> dict[str, str]:
    """It takes no task without a description and a guide."""
    return {
        "name": title,
        "description": criterion,
        "implementationGuide": test,
        "verificationCriteria": criterion,
    }


def _found(pattern: str, text: str) -> list[Any]:
    found = re.findall(pattern, text)
    assert found, f"no {pattern} in {text}"
    return found
