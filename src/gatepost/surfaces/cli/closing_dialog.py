"""Closing a step with a person: each criterion is asked for, and only what the person affirms is confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gatepost.operations.resume import Resume
from gatepost.surfaces.cli.invocation import ROOM
from gatepost.surfaces.cli.questions import agrees
from gatepost.surfaces.proof_text import basis_word
from gatepost.surfaces.terminal import stdout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gatepost.domain.checkpoints import Checkpoint
    from gatepost.replies.step_details import StepDetail
    from gatepost.surfaces.cli.invocation import Invocation

_VERIFIED: Final = "  Did you verify this yourself?"
_UNLISTED: Final = "nothing is listed, but the step needs this checkpoint"
_OPEN: Final = "Nothing was confirmed, and the step stays open."


class Verdict(NamedTuple):
    """What the person affirmed, whether to run checks, and the revision of the step that they saw."""

    names: tuple[Checkpoint, ...]
    run: bool
    revision: int


def asked(invocation: Invocation, where: dict[str, Any]) -> Verdict | None:
    """What the person says of the step; nothing if they do not affirm all that closing it takes."""
    named = {name: value for name, value in where.items() if name != "expected_step_revision"}
    _, reply = invocation.ask(Resume(**named, limit=1, max_chars=ROOM))
    step, terminal = reply.step, stdout()
    if step is None or step.done or step.blocked or (step.counts is not None and step.counts.open):
        return Verdict((), run=False, revision=1 if step is None else step.revision)  # for the gate to answer
    heading = terminal.paint(f"{reply.target.id if reply.target else ''} {step.path}", "bold")
    terminal.say(f"{heading} {terminal.clean(step.title)}")
    proven = {check.checkpoint for check in step.checks or ()}
    names = []
    for name, told, items in _asks(step):
        if name in proven and name in (step.unconfirmed or ()):
            continue
        if told:
            terminal.say(terminal.clean(f"{name}: {told}"))
        if not all(_affirmed(name, item) for item in items):
            terminal.say(_OPEN)
            return None
        names.append(name)
    run = bool(proven & set(step.unconfirmed or ()))
    if run and not _runs(step):
        terminal.say(_OPEN)
        return None
    return Verdict(tuple(names), run, step.revision)


def _asks(step: StepDetail) -> Iterator[tuple[Checkpoint, str, tuple[str, ...]]]:
    """The checkpoints to ask for: those that nobody confirmed, and those to sign, with what was said of them.

    Each comes with its items.
    """
    listed = {"criteria": step.criteria, "tests": step.tests}
    for name in step.unconfirmed or ():
        yield name, "", listed.get(name) or (_UNLISTED,)
    confirmed = {mark.checkpoint: mark for mark in step.confirmed or ()}
    for need in step.needs or ():
        mark = confirmed.get(need.checkpoint)
        if mark is None or need.proof == "machine":  # no word does for a check
            continue
        del confirmed[need.checkpoint]  # one question for both needs: proof and signature
        note = f": {mark.note}" if mark.note else ""
        said = f"{basis_word(mark.provenance)}, {mark.actor}{note}"
        yield need.checkpoint, said, listed.get(need.checkpoint) or (_UNLISTED,)


def _affirmed(name: str, item: str) -> bool:
    terminal = stdout()
    first, *rest = terminal.wrap(f"{name}: {item}", 2)
    for line in (first, *(f"  {line}" for line in rest)):
        terminal.say(line)
    return agrees(_VERIFIED)


def _runs(step: StepDetail) -> bool:
    from shlex import join

    terminal = stdout()
    for check in step.checks or ():
        terminal.say(terminal.clean(f"{check.checkpoint}: $ {join(check.run)}"))
    return agrees("  Run this now?" if len(step.checks or ()) == 1 else "  Run these now?")
