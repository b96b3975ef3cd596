"""Checks: run the commands that prove a step, and confirm what passes.

Commands run outside of any transaction, however long they take. What they printed is stored in one write when all
have ended; they confirm something only if the step is still as it was when they began.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import gate, step_rules
from gatepost.domain.checkpoints import CHECKPOINTS, Checkpoint, TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.confirmations import CheckPassed
from gatepost.domain.proof_refusals import CheckFailed, NotTrusted
from gatepost.domain.records import EvidenceCaptured
from gatepost.domain.refusals import InvalidInput, StepAddress, Suggestion
from gatepost.domain.steps import Step
from gatepost.engine.checks import CheckRun, Checks
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Reader, address
from gatepost.operations.demands import check_approved
from gatepost.operations.held_steps import check_free
from gatepost.operations.registry import operation
from gatepost.operations.step_commands import StepCommand, begin, name_of, outcome, select_step
from gatepost.operations.steps import CloseStep, close_step, marks_of
from gatepost.replies.checks import Checked, CheckOutcome, StepClosed
from gatepost.replies.step_writes import StepChanged
from gatepost.wire.credentials import redacted
from gatepost.wire.secret_policy import ALLOW, Policy

_TOOL: Final = "tasks_check"
_TAIL_OF_PASSED: Final = 200
_TAIL_OF_FAILED: Final = 2_000

Index = Annotated[int, Meta(ge=0, le=19)]


class CheckStep(StepCommand[Checked], frozen=True, kw_only=True):
    """Run a step's checks: all of them, or those with these numbers."""

    checks: Annotated[tuple[Index, ...], Meta(max_length=20)] = ()


StepWrite = Callable[[str, StepCommand[Any], Callable[[Draft], Any]], Any]


class CheckExecutor(NamedTuple):
    """What a run of checks needs: how commands run here, and a read and a write of the store around them.

    `write` gives the answer to the call; `record` comes before it.
    """

    checks: Checks | None
    read: Callable[[Callable[[Reader], Any]], Any]
    record: StepWrite
    write: StepWrite
    secrets: Policy


class ChecksToRun(NamedTuple):
    """A step as it was when its checks began, and those to run."""

    where: StepAddress
    step: Step
    revision: int
    chosen: tuple[Check, ...]


class FinishedCheck(NamedTuple):
    """A check that ran, and what it gave, without credentials."""

    check: Check
    run: CheckRun
    redactions: int


class FinishedChecks(NamedTuple):
    """All checks of one call, and the source tree that each checkpoint was proven on."""

    runs: Sequence[FinishedCheck]
    trees: Mapping[Checkpoint, TreeMark]

    @property
    def failed(self) -> list[FinishedCheck]:
        """The checks that did not pass."""
        return [done for done in self.runs if not done.run.passed]


@operation("tasks_check", "core", "tasks")
def check_step(executor: CheckExecutor, command: CheckStep) -> Checked:
    """Run a step's checks, keep what they print, and confirm what passes."""
    wanted: ChecksToRun = executor.read(lambda reader: to_run(reader, command))
    checked, _, _ = _checked(executor, command, wanted, executor.write)
    return checked


def close_with_checks(executor: CheckExecutor, command: CloseStep) -> StepChanged:
    """Run a step's checks, as a call of its own, and close the step if they pass."""
    wanted: ChecksToRun | None = executor.read(lambda reader: _to_close(reader, command))
    if wanted is None:
        plain: StepChanged = executor.write("tasks_close_step", command, lambda draft: _close(draft, command))
        return plain
    checked, finished, revision = _checked(executor, command, wanted, executor.record)
    if finished.failed:
        raise _failed(wanted.where, finished.failed)
    closing = replace(
        command,
        path=None,  # it may have been moved meanwhile; its id stays
        step_id=wanted.where.step_id,
        expected_revision=None if command.expected_revision is None else checked.revision,
        expected_step_revision=None if command.expected_step_revision is None else revision,
    )

    def close(draft: Draft) -> StepClosed:
        reply = _close(draft, closing)
        return replace(reply, checks=checked.checks, events=(*checked.events, *reply.events), changed=True)

    closed: StepClosed = executor.write("tasks_close_step", closing, close)
    return closed


def to_run(reader: Reader, command: CheckStep) -> ChecksToRun:
    """The checks that a call asks for."""
    root, step = select_step(reader, command)
    check_approved(reader, root)
    check_free(reader, root, step.place)
    checks, where = step.value.checks, address(step)
    if not checks:
        raise InvalidInput([("step_id" if command.path is None else "path", f"is {where}, which has no checks")])
    unknown = [number for number in command.checks if number >= len(checks)]
    if unknown:
        raise InvalidInput([("checks", f"has {unknown[0]}; {where} has {len(checks)}, numbered from 0")])
    chosen = [check for number, check in enumerate(checks) if not command.checks or number in command.checks]
    return ChecksToRun(where, step.value, step.tally.step_revision, tuple(chosen))


def _to_close(reader: Reader, command: CloseStep) -> ChecksToRun | None:
    """The checks to run before a step is closed; none if it has none or is done. Refuses what cannot close."""
    root, step = select_step(reader, command)
    check_approved(reader, root)
    check_free(reader, root, step.place)
    value, where = step.value, address(step)
    if value.done or not value.checks:
        return None
    gate.pass_open(where, blocked=value.blocked, reason=value.waits_for, below=reader.open_below(step))
    marks = marks_of(command.checkpoints)
    said = {name for name, mark in marks.items() if mark.confirmed}
    denied = {name for name in marks if name not in said}
    unmet = [name for name in value.missing if name not in said and name not in value.by_checks]
    if unmet or denied:
        raise gate.unproven(where, tuple(name for name in CHECKPOINTS if name in {*unmet, *denied}))
    return ChecksToRun(where, value, step.tally.step_revision, value.checks)


def _close(draft: Draft, command: CloseStep) -> StepClosed:
    closed: StepClosed = close_step.handler(draft, command)
    return closed


def _checked(
    executor: CheckExecutor, command: StepCommand[Any], wanted: ChecksToRun, write: StepWrite
) -> tuple[Checked, FinishedChecks, int]:
    """Run checks and store what they gave: the reply, what each gave, and the step's revision after it."""
    finished = _run(executor, wanted)
    revision = 0

    def record(draft: Draft) -> Checked:
        nonlocal revision
        reply = _record(draft, wanted, finished)
        revision = draft.tally(draft.find(wanted.where.step_id) or "").step_revision
        return reply

    checked: Checked = write(_TOOL, command, record)
    return checked, finished, revision


def _run(executor: CheckExecutor, wanted: ChecksToRun) -> FinishedChecks:
    checks = executor.checks
    if checks is None:
        raise NotTrusted(
            "No command runs here: there is no project folder.",
            "Ask the user to run the check in the project: gatepost check.",
        )
    for check in wanted.chosen:
        refused = checks.refused(check)
        if refused is not None:
            raise refused
    names = dict.fromkeys(check.checkpoint for check in wanted.chosen)
    trees = {name: checks.mark(wanted.step.covers(name)) for name in names}
    return FinishedChecks([_finished(check, checks.run(check), executor.secrets) for check in wanted.chosen], trees)


def _finished(check: Check, run: CheckRun, policy: Policy) -> FinishedCheck:
    text, redactions = (run.output, 0) if policy == ALLOW else redacted(run.output)
    return FinishedCheck(check, replace(run, output=text), redactions)


def _record(draft: Draft, wanted: ChecksToRun, finished: FinishedChecks) -> Checked:
    draft.only_records = draft.ran_checks = True
    root = draft.root(wanted.where.task)
    step = draft.step(root, None, wanted.where.step_id)
    passed, failed = _proven(wanted.step, finished, draft.next_seq)
    for done in finished.runs:
        draft.keep(step.place, _kept(done, finished.trees[done.check.checkpoint]))
    draft.log(root.place, begin(draft, root, _event(finished)), step)
    changed = step.tally.step_revision != wanted.revision
    if not changed:
        value, events = step_rules.check(step.value, passed, failed, draft.stamp)
        draft.put(step.place, value)
        for event in events:
            draft.log(root.place, event, step)
    return Checked(
        task=root.value.id,
        step=name_of(step),
        checks=tuple(map(_outcome, finished.runs)),
        confirmed=() if changed else tuple(passed),
        warnings=(f"{wanted.where} changed while its checks ran, so nothing is confirmed. Run them again.",)
        if changed
        else None,
        **outcome(draft, root.place, step.value.id),
    )


def _proven(
    step: Step, finished: FinishedChecks, evidence: int
) -> tuple[dict[Checkpoint, CheckPassed], tuple[Checkpoint, ...]]:
    """The checkpoints all of whose checks ran and passed, and those of which one failed."""
    good = {done.check for done in finished.runs if done.run.passed}
    failed = {done.check.checkpoint for done in finished.failed}
    passed = [
        name for name in step.by_checks if all(check in good for check in step.checks if check.checkpoint == name)
    ]
    proofs = {name: CheckPassed(evidence=evidence, tree=finished.trees[name]) for name in passed}
    return proofs, tuple(name for name in step.by_checks if name in failed)


def _event(finished: FinishedChecks) -> EvidenceCaptured:
    names = dict.fromkeys(done.check.checkpoint for done in finished.runs)
    return EvidenceCaptured(
        items=tuple(f"cmd_output: {done.check.line[:200]}" for done in finished.runs),
        checkpoints=tuple(names),
        failed=tuple(done.check.line[:200] for done in finished.failed),
        bytes=sum(len(done.run.output.encode()) for done in finished.runs),
    )


def _kept(done: FinishedCheck, tree: TreeMark) -> str:
    check, run = done.check, done.run
    told: dict[str, Any] = {
        "form": "item",
        "kind": "cmd_output",
        "command": check.line,
        "content": run.output,
        "passed": run.passed,
        "exit_code": run.exit_code,
        "seconds": round(run.seconds, 3),
        "detail": run.problem,
        "cut": run.cut or None,
        "commit": tree.commit,
        "dirty": tree.dirty,
        "worktree": tree.linked,
        "covers": list(check.covers) or None,
        "redacted": done.redactions or None,
        "checkpoints": [check.checkpoint],
    }
    return msgspec.json.encode({name: value for name, value in told.items() if value is not None}).decode()


def _outcome(done: FinishedCheck) -> CheckOutcome:
    run = done.run
    return CheckOutcome(
        run=done.check.run,
        checkpoint=done.check.checkpoint,
        passed=run.passed,
        exit_code=run.exit_code,
        seconds=round(run.seconds, 3),
        tail=run.output[-(_TAIL_OF_PASSED if run.passed else _TAIL_OF_FAILED) :],
        problem=run.problem,
        redacted=done.redactions or None,
    )


def _failed(where: StepAddress, failed: Sequence[FinishedCheck]) -> CheckFailed:
    first = failed[0]
    why = first.run.problem or f"exit code {first.run.exit_code}"
    more = f" So did {len(failed) - 1} more." if len(failed) > 1 else ""
    return CheckFailed(
        f"{where} stays open: `{first.check.line}` failed. {why}{more}",
        "Fix what it found, then close the step again with run_checks. The output is kept with the step.",
        Suggestion("tasks_resume", where.selector),
        checks=[msgspec.to_builtins(_outcome(done)) for done in failed],
    )
