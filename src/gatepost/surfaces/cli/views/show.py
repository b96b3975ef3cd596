"""A plan, a task or a step in full, with the tree below it."""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from gatepost.operations.resume import Resume
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.resume import ReEntry, ResumeReply
from gatepost.replies.roots import RootDetail, RootRow
from gatepost.replies.step_details import StepDetail, StepProof, StepRow
from gatepost.surfaces.cli.formats import (
    checklist,
    claim_words,
    claims_words,
    heading,
    labels,
    moment_lines,
    same_moment,
    short_time,
)
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.note_text import answer_lines, note_lines
from gatepost.surfaces.cli.tables import Cell, branches, table
from gatepost.surfaces.proof_text import (
    check_words,
    lamp,
    lamp_style,
    lamps,
    legend,
    need_words,
    policy_words,
    proof_words,
)
from gatepost.surfaces.terminal import Terminal, stdout

_MOST: Final = 200
_MOST_EVIDENCE: Final = 10


def show(invocation: Invocation, command: Resume) -> None:
    """Print the reply of a resume."""
    terminal, options = stdout(), invocation.options
    wide = command if options.limit is not None else replace(command, limit=_MOST)
    text, reply = invocation.ask(replace(wide, max_chars=ROOM))
    if options.quiet:
        for name in [row.id for row in reply.tasks or ()] or [row.step_id for row in reply.steps]:
            terminal.say(name)
        return
    parts = [*_parts(terminal, options, reply)]
    if reply.events:
        from gatepost.surfaces.cli.views.log import event_line, events_of

        parts.append([event_line(terminal, event) for event in reversed(events_of(text))])
    for line in _spaced(parts):
        terminal.say(line)


def _parts(terminal: Terminal, options: Namespace, reply: ResumeReply) -> Iterator[list[str]]:
    """What is shown, part by part."""
    target, step = reply.target, reply.step
    yield moment_lines(terminal, reply.at)
    if target is not None:
        yield _head(terminal, target, brief=step is not None or options.cursor is not None)
    if reply.re_entry is not None:
        yield _re_entry(terminal, reply.re_entry)
    if step is not None:
        yield [*_step(terminal, step, reply.now, reply.evidence or ()), *answer_lines(terminal, step.answer, 0)]
    elif target is not None:
        yield checklist(terminal, target.checklist, 0)
    yield _policy(terminal, reply)
    yield note_lines(terminal, reply.notes, 0)
    yield _evidence(terminal, reply.evidence or ())
    yield _tree(terminal, reply) if not reply.tasks else _tasks(terminal, reply.tasks)
    if step is not None or any(row.provenance for row in reply.steps):
        yield _legend(terminal)
    if reply.has_more:
        from gatepost.surfaces.cli.suggested_commands import next_page

        yield [next_page(terminal, options, cursor=reply.cursor, **same_moment(reply.at))]


def _re_entry(terminal: Terminal, left: ReEntry) -> list[str]:
    """What the last round left for the next."""
    ended = f"Round {left.round} ended {short_time(left.at)}, {terminal.clean(left.actor)}"
    return [terminal.paint(ended, "bold"), *terminal.wrap(left.reminder_content, 2)]


def _head(terminal: Terminal, root: RootDetail, *, brief: bool) -> list[str]:
    under = [*labels(terminal, root), root.priority, f"revision {root.revision}"]
    if root.created_at is not None:
        under.append(f"created {short_time(root.created_at)}")
    if root.depends_on is not None:
        under.append(f"after {', '.join(root.depends_on)}")
    lines = heading(terminal, root, root.counts, under)
    if root.claim is not None:
        lines.append(terminal.paint(terminal.clean(claims_words(root)), "dim"))
    texts = {"": root.description, "Context": root.context, "Contract": root.contract}
    for name, text in {} if brief else texts.items():
        if text is not None:
            lines += ["", *([terminal.paint(name, "bold")] if name else []), *terminal.wrap(text, 0)]
    return lines


def _step(terminal: Terminal, step: StepDetail, now: str | None, evidence: Sequence[KeptEvidence]) -> list[str]:
    sign, style = _sign(terminal, step, now)
    title, *rest = terminal.wrap(step.title, 2)
    name = f"{step.path} {terminal.glyphs.dot} {step.step_id}"
    if step.done_at is not None:
        name += f" {terminal.glyphs.dot} done {short_time(step.done_at)}"
    lines = [terminal.paint(f"{sign} {title}", style or "bold"), *(f"  {line}" for line in rest)]
    lines.append(f"  {terminal.paint(name, 'dim')}")
    if step.blocked is not None:
        lines.append(f"  {terminal.paint(_remark(terminal, step), 'red')}")
    if step.claim is not None:
        lines.append(f"  {terminal.paint(terminal.clean(claim_words(step.claim)), 'dim')}")
    lines += _asked(terminal, step)
    texts = {"criteria": step.criteria or (), "tests": step.tests or ()}
    confirmed = {mark.checkpoint: mark for mark in step.confirmed or ()}
    for checkpoint in dict.fromkeys(
        ("criteria", "tests", *(step.required or ()), *confirmed, *(step.unconfirmed or ()))
    ):
        mark = confirmed.get(checkpoint)
        said = "" if mark is None else proof_words(mark, mark.actor, short_time(mark.at), evidence)
        lines += _checkpoint(terminal, checkpoint, mark, said, texts.get(checkpoint, ()))
    lines += _checks(terminal, step)
    for need in step.needs or ():
        lines += [f"  {terminal.paint(line, 'yellow')}" for line in terminal.wrap(f"! {need_words(need)}", 2)]
    for note in step.blockers or ():
        lines += [f"  beware: {line}" for line in terminal.wrap(note, 10)]
    return lines


def _evidence(terminal: Terminal, evidence: Sequence[KeptEvidence]) -> list[str]:
    """What was captured, newest first: each in a line, with what it is for and where it came from. Runs of checks
    are shown with the checks."""
    evidence = [piece for piece in evidence if piece.seconds is None]
    if not evidence:
        return []
    from gatepost.surfaces.report.texts import evidence_facts, evidence_title

    lines: list[str] = []
    for piece in evidence[:_MOST_EVIDENCE]:
        facts = [f"for {' and '.join(piece.checkpoints)}"] if piece.checkpoints else []
        said = ", ".join([f"evidence: {evidence_title(piece)}", *facts, *evidence_facts(piece, None)])
        first, *rest = terminal.wrap(said, 4)
        lines += [f"  {first}", *(f"    {line}" for line in rest)]
    more = len(evidence) - _MOST_EVIDENCE
    return [*lines, f"  and {more} more; --json prints them all"] if more > 0 else lines


def _asked(terminal: Terminal, step: StepDetail) -> list[str]:
    """The step's question, who must answer, and how."""
    asked = step.question
    if asked is None:
        return []
    said = [] if step.blocked == asked.ask else [asked.ask]
    said += [f"options: {', '.join(asked.options)}"] if asked.options else []
    said.append(f"asked by {asked.actor}, {short_time(asked.at)}" + (f", for {asked.for_}" if asked.for_ else ""))
    return [f"  {line}" for text in said for line in terminal.wrap(text, 2)]


def _checkpoint(
    terminal: Terminal, name: str, mark: StepProof | None, said: str, texts: Sequence[str]
) -> list[str]:
    kind, stale = (None, False) if mark is None else (mark.provenance, mark.stale)
    sign = f"{lamp(terminal.glyphs, kind, stale=stale)} {name}"
    words = terminal.wrap(said, 6) or [""]
    first = f"{terminal.paint(sign, lamp_style(kind, stale=stale))} {terminal.paint(words[0], 'dim')}".rstrip()
    lines = [f"  {first}", *(f"      {terminal.paint(line, 'dim')}" for line in words[1:])]
    for text in texts:
        first, *rest = terminal.wrap(text, 6)
        lines += [f"    {terminal.glyphs.dot} {first}", *(f"      {line}" for line in rest)]
    return lines


def _checks(terminal: Terminal, step: StepDetail) -> list[str]:
    """The commands that prove the step, and how they came out."""
    lines = []
    for check, result in zip(step.checks or (), step.results or (), strict=False):
        first, *rest = terminal.wrap(f"$ {check_words(check, result)}", 4)
        style = {"passed": "green", "failed": "red"}.get(result.state, "yellow")
        lines += [f"  {terminal.paint(first, style)}", *(f"    {line}" for line in rest)]
    return lines


def _policy(terminal: Terminal, reply: ResumeReply) -> list[str]:
    """What the policy wants here, and whether a plan waits for approval or has it."""
    target, lines = reply.target, []
    if target is not None and target.approved is not None:
        approved = target.approved
        lines.append(f"Approved by {approved.actor}, {short_time(approved.at)}")
    elif target is not None and target.kind == "plan" and target.policy and target.policy.approval == "human":
        lines.append(f"Waits for a person's approval: gatepost approve {target.id}")
    if reply.holds is not None:
        lines.append(f"Policy: {' '.join(policy_words(reply.holds))}")
    return [line for text in lines for line in terminal.wrap(text, 0)]


def _legend(terminal: Terminal) -> list[str]:
    signs = "  ".join(f"{sign} {word}" for sign, word in legend(terminal.glyphs))
    return [terminal.paint(line, "dim") for line in terminal.wrap(signs, 0)]


def _tasks(terminal: Terminal, tasks: Sequence[RootRow]) -> list[str]:
    from gatepost.surfaces.cli.views.ls import roots_table  # only a plan has tasks

    return roots_table(terminal, tasks)


def _tree(terminal: Terminal, reply: ResumeReply) -> list[str]:
    above = 0 if reply.step is None else reply.step.path.count(".") + 1
    depths = [step.path.count(".") - above for step in reply.steps]
    lines = branches(terminal, depths, goes_on=reply.has_more)
    rows = [_row(terminal, line, step, reply.now) for line, step in zip(lines, reply.steps, strict=True)]
    tree = table(terminal, rows, give=((0, 34), (4, 16), (0, 16), (4, 0)))
    return [*tree, terminal.glyphs.more] if reply.has_more else tree


def _row(terminal: Terminal, line: str, step: StepRow, now: str | None) -> list[Cell]:
    sign, style = _sign(terminal, step, now)
    return [
        Cell(f"{line}{sign} {terminal.clean(step.title)}", style),
        Cell(step.path, "dim"),
        Cell(f"{step.counts.done}/{step.counts.total}" if step.counts is not None else ""),
        _lamps(terminal, step),
        Cell(_remark(terminal, step), "dim" if step.blocked is None else "red"),
    ]


def _lamps(terminal: Terminal, step: StepRow) -> Cell:
    """What the confirmations of a step rest on, in the colour of the weakest."""
    found = lamps(terminal.glyphs, (), step.provenance or {}, step.stale or ())
    weak = any(lamp_style(one.provenance, stale=one.stale) == "yellow" for one in found)
    return Cell(" ".join(one.text for one in found), "yellow" if weak else "green")


def _sign(terminal: Terminal, step: StepRow, now: str | None) -> tuple[str, str]:
    if step.done:
        return terminal.glyphs.done, "green"
    if step.blocked is not None:
        return terminal.glyphs.blocked, "red"
    return (terminal.glyphs.now, "now") if step.step_id == now else (terminal.glyphs.open, "")


def _remark(terminal: Terminal, step: StepRow) -> str:
    if step.claim is not None and step.blocked is None:
        return terminal.clean(claim_words(step.claim))
    if isinstance(step.blocked, str):
        return f"blocked: {terminal.clean(' '.join(step.blocked.split()))}"
    if step.blocked is not None:
        return "blocked"
    if not step.unconfirmed:
        return "" if step.done else "confirmed"
    return f"{'forced without' if step.done else 'needs'} {', '.join(step.unconfirmed)}"


def _spaced(parts: Iterable[list[str]]) -> list[str]:
    lines: list[str] = []
    for part in filter(None, parts):
        lines += ["", *part] if lines else part
    return lines
