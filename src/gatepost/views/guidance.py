"""The instructions that agents get with the tools, on every surface."""

from typing import Final

FIRST_STEPS: Final = """\
Gatepost keeps your tasks: plans (PLAN-001), tasks (TASK-001) and trees of steps that close only when their \
checkpoints are confirmed. Use it for work of more than a few steps, and whenever you start, resume or hand over.

1. Call tasks_radar first: it shows now, why, verify, next (a call ready to send) and blockers.
2. No task yet? tasks_create with steps, each with criteria and tests that would prove it.
3. Work on `now`. When its criteria and tests really hold, tasks_close_step; otherwise tasks_block or tasks_note."""
