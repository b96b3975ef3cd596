"""Closes for which one plain call is not enough: checks run first, or a checkpoint is confirmed alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from gatepost.client.local import LocalClient
from gatepost.domain.refusals import Refusal
from gatepost.operations.batch import Batch, BatchedCall
from gatepost.operations.steps import CloseStep
from gatepost.replies.step_writes import StepChanged
from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, BadUsage, CommandError
from gatepost.surfaces.cli.views.check_output import shown

if TYPE_CHECKING:
    from gatepost.operations.checkmarks import Checkmarks
    from gatepost.surfaces.cli.invocation import Invocation


def close_by_checks(
    invocation: Invocation, where: dict[str, Any], marks: Checkmarks | None
) -> tuple[str, StepChanged]:
    """Run the checks of a step, show what they print, and close it if they pass."""
    options, client = invocation.options, invocation.client
    if isinstance(client, LocalClient) and not (options.json or options.quiet):
        client.watch_checks(shown)
    try:
        return invocation.ask(CloseStep(**where, checkpoints=marks, run_checks=True))
    except Refusal as refusal:
        if marks is None and [each["field"] for each in refusal.details.get("problems", ())] == ["checkpoints"]:
            raise BadUsage(
                "this step has no checks to run", "Name what you verified instead: --criteria, --tests."
            ) from None
        raise


def confirm_and_finish(invocation: Invocation, where: dict[str, Any], marks: Checkmarks) -> tuple[str, StepChanged]:
    """Confirm `security`, `perf` or `docs` alone and close the step: both or nothing."""
    given = {name: value for name, value in where.items() if name != "workspace"}
    named = {name: value for name, value in given.items() if name != "expected_step_revision"}
    calls = (
        BatchedCall(tool="tasks_verify", arguments={**given, "checkpoints": msgspec.to_builtins(marks)}),
        BatchedCall(tool="tasks_done", arguments=named),
    )
    try:
        text, reply = invocation.ask(Batch(workspace=where["workspace"], operations=calls))
    except Refusal as refusal:
        inner = refusal.details.get("error")
        if inner is None:
            raise
        raise CommandError(EXIT_OF_FAMILY[refusal.family], inner) from None
    closed = msgspec.convert(reply.results[-1], StepChanged)
    return text, replace(closed, now=reply.now, left=reply.left)
