"""What there is to see on the page: a small crew in the middle of its work."""

from typing import Any, Final, NamedTuple

from gatepost.engine.caller import Caller
from tests.givens import World

CONTRACT: Final = "Every endpoint MUST answer 429 once a **client** has used up its share."
GOALS: Final = "# Goals\n\n- No client can starve the others.\n"
CONSTRAINTS: Final = "- Clients MUST be told when to come back.\n"
PROGRESS: Final = "The limiter counts. Headers remain.\n"
SECTIONS: Final = {"goals": GOALS, "constraints": CONSTRAINTS, "progress": PROGRESS}
DOC: Final = "limits"


class Story(NamedTuple):
    """The ids of what was made."""

    plan: str
    task: str
    later: str


def by(world: World, actor: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A call of somebody by name."""
    before, world.caller = world.caller, Caller(actor)
    try:
        return world.ok(tool, **arguments)
    finally:
        world.caller = before


def crew(world: World) -> Story:
    """A plan with two tasks, one begun, with proof, notes and a blocked step; a taskdoc; a session's list."""
    made = by(world, "agent:planner", "tasks_create", kind="plan", title="Limit requests", contract=CONTRACT)
    plan: str = made["id"]
    steps = [
        {"title": "Choose a counter", "criteria": ["It counts a minute"], "tests": ["test_counter"]},
        {
            "title": "Write the limiter",
            "criteria": ["Too many requests are answered with 429"],
            "tests": ["test_limit"],
            "steps": [{"title": "Count requests"}, {"title": "Refuse the rest"}],
        },
        {"title": "Document it", "criteria": ["The guide names the header"], "tests": ["docs build"]},
    ]
    given = {"plan": plan, "description": "Some clients ask *far* too often.", "steps": steps}
    task: str = by(world, "agent:planner", "tasks_create", kind="task", title="The limiter", **given)["id"]
    later: str = by(
        world, "agent:planner", "tasks_create", kind="task", title="The headers", plan=plan, depends_on=[task]
    )["id"]
    by(world, "agent:builder", "tasks_note", task=task, path="s:0", note="A sliding window, **not** a bucket.")
    by(world, "agent:tester", "tasks_verify", task=task, path="s:0", checkpoints={"tests": {"confirmed": True}})
    by(world, "agent:builder", "tasks_evidence_capture", task=task, path="s:0", items=EVIDENCE)
    by(world, "agent:builder", "tasks_block", task=task, path="s:2", reason="The guide is being moved.")
    by(world, "agent:builder", "todo_write", session="builder", items=["Read the RFC", "Try a sliding window"])
    by(world, "agent:planner", "taskdoc_create", name=DOC)
    for selector, text in SECTIONS.items():
        by(world, f"agent:{selector}-keeper", "change_mind", taskdoc=DOC, selector=selector, content=text)
    by(world, "agent:planner", "taskdoc_bind", taskdoc=DOC, plan=plan)
    return Story(plan, task, later)


EVIDENCE: Final = [
    {
        "kind": "cmd_output",
        "title": "unit tests",
        "content": "12 passed in 0.4s",
        "command": "pytest",
        "exit_code": 0,
    },
    {"kind": "diff", "title": "the window", "content": "@@ -1 +1 @@\n-bucket = 10\n+window = 60\n"},
    {"kind": "url", "title": "the standard", "url": "https://www.rfc-editor.org/rfc/rfc6585"},
]
