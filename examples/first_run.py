"""A first run: a plan, a task and its steps, a gate that holds, and the radar. Played on a fresh store."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import gatepost

WORKSPACE = "acme/shop"


def main() -> None:
    """Play the run, then say how to connect an agent."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "first-run.db")
        with gatepost.connect(store, actor="agent:first-run") as gp:
            play(gp)
        say("\nWhat anyone sees now, from any terminal, page or agent (gatepost radar):\n")
        command = [sys.executable, "-m", "gatepost", "radar", "--store", store, "--workspace", WORKSPACE]
        subprocess.run(command, check=True)  # noqa: S603 - our own program
    tell_how_to_connect()


def play(gp: gatepost.Gatepost) -> None:
    """An agent's first minutes."""
    plan = gp.call(
        "tasks_create", workspace=WORKSPACE, kind="plan", title="Take payments", contract="No card data in logs."
    )
    say(f"A plan:            {plan['id']} Take payments")

    steps = [
        {"title": "Write the webhook", "criteria": ["signature is checked"], "tests": ["pytest tests/webhook"]},
        {"title": "Review what is logged", "criteria": ["no card data"], "required": ["security"]},
    ]
    task = gp.call(
        "tasks_create", workspace=WORKSPACE, kind="task", plan=plan["id"], title="Stripe webhook", steps=steps
    )
    say(f"A task in it:      {task['id']} Stripe webhook, {len(task['steps'])} steps")

    first = task["steps"][0]["step_id"]
    try:
        gp.call("tasks_done", workspace=WORKSPACE, task=task["id"], step_id=first)
    except gatepost.Refusal as refusal:
        say(f"Closing too soon:  {refusal.code}: {refusal.message}")

    closed = gp.call(
        "tasks_close_step",
        workspace=WORKSPACE,
        task=task["id"],
        step_id=first,
        expected_revision=task["revision"],
        checkpoints={"criteria": {"confirmed": True}, "tests": {"confirmed": True, "note": "12 passed"}},
    )
    happened = ", ".join(event["type"] for event in closed["events"])
    say(f"Closed with proof: {first} ({happened}), {task['id']} is at revision {closed['revision']}")


def tell_how_to_connect() -> None:
    """The commands that connect an agent to this clone."""
    program = os.path.join(os.path.dirname(sys.executable), "gatepost")
    say(
        f"""
That store is gone again. To give your agent one, in your project's folder:

  Claude Code   claude mcp add gatepost -- {program} mcp
  Codex         codex mcp add gatepost -- {program} mcp
  others        command: {program}   arguments: mcp

Then ask it to plan something, and watch with: {program} radar
"""
    )


def say(text: str) -> None:
    """Print at once, so that the order holds when others print too."""
    print(text, flush=True)


if __name__ == "__main__":
    main()
