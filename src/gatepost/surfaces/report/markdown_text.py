"""The report as Markdown, for the description of a pull request on GitHub, whose length is limited."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from gatepost.replies.events import LoggedEvent
from gatepost.surfaces.report import texts
from gatepost.surfaces.report.markdown_escapes import code, fenced, in_html, inline
from gatepost.surfaces.report.model import CheckpointReport, Evidence, Report, StepReport

LONGEST: Final = 65_000
"""GitHub takes descriptions of up to 65,536 characters."""
_OUTPUTS: Final = (3_000, 1_000, 300, 0)
"""How much of each output is shown: the most that fits."""
_NOTE: Final = 300
_MARGIN: Final = 200


def markdown_text(report: Report) -> str:
    """The whole document: with as much output as there is room for, then without, and at last not every step."""
    head = "\n".join(_head(report)) + "\n"
    foot = f"\n---\n\n<sub>{in_html(texts.origin(report))}</sub>\n"
    room = LONGEST - len(head) - len(foot)
    for longest in _OUTPUTS:
        body = "".join(piece for piece, _ in _body(report, partial(_step, longest=longest), longest))
        if len(body) <= room:
            return head + body + foot
    return head + _shortened(report, room - _MARGIN) + foot


def _shortened(report: Report, room: int) -> str:
    """Steps in a line each, as many as fit; and how many do not."""
    found, left = "", len(report.steps)
    for piece, step in _body(report, _brief, 0):
        if len(found) + len(piece) > room:
            break
        found += piece
        left -= step is not None
    whole = f"`gatepost handoff {report.root.id} --html report.html`"
    return (
        f"{found}\n**{texts.counted(left, 'more step')}** not listed here: {whole} has every step.\n"
        if left
        else found
    )


def _head(report: Report) -> Iterator[str]:
    root = report.root
    yield f"## {root.id}: {inline(root.title)}\n"
    told = [inline(said) for said in (texts.headline(report), *texts.terms(report))]
    yield " · ".join((f"**{root.status}**", *told, code(report.workspace))) + "\n"
    if root.description:
        yield f"> {inline(texts.clipped(root.description, _NOTE))}\n"
    said, command = texts.first_thing(report)
    yield f"**First thing to do:** {inline(said)}" + (f" {code(command)}\n" if command else "\n")
    yield from _tally(report)
    yield from _questions(report)
    yield from _doubts(report)
    yield from _open(report)
    for note in (report.handoff.notes or ())[:5]:
        by = " · ".join(filter(None, (note.actor, texts.when(note.at), note.task, note.path)))
        yield f"> **Note** {inline(texts.one_line(note.note, _NOTE))} ({inline(by)})\n"


def _tally(report: Report) -> Iterator[str]:
    counts = report.provenance
    if not counts:
        return
    names = list(texts.MEANINGS)
    yield "| Proofs | " + " | ".join(f"{texts.MEANINGS[name].sign} {name}" for name in names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    yield f"| {counts.total():,} | " + " | ".join(f"{counts[name]:,}" for name in names) + " |\n"


def _questions(report: Report) -> Iterator[str]:
    if report.handoff.questions:
        yield "### Questions that wait\n"
        for question in report.handoff.questions:
            by = ", ".join(filter(None, (question.actor, question.at and texts.when(question.at))))
            where = code(f"{question.task} {question.path}")
            yield f"- {where} {inline(texts.one_line(question.question, _NOTE))}" + (
                f" ({inline(by)})" if by else ""
            )
        yield ""


def _doubts(report: Report) -> Iterator[str]:
    if report.doubts or report.risks:
        yield "### Worth a second look\n"
        for title, says, steps in report.doubts:
            yield f"- **{title}** ({len(steps):,}), {says}: {_names(steps)}"
        for risk in report.risks[: texts.LISTED]:
            yield f"- **Risk** {inline(texts.one_line(texts.risk_line(risk), _NOTE))}"
        yield ""


def _open(report: Report) -> Iterator[str]:
    steps = report.open
    if steps:
        yield f"### Open ({len(steps):,})\n"
        for step in steps[: texts.LISTED]:
            why = texts.one_line(texts.open_because(step), _NOTE)
            yield f"- {code(step.name)} {inline(step.step.title)}: {inline(why)}"
        if len(steps) > texts.LISTED:
            yield f"- and {len(steps) - texts.LISTED:,} more"
        yield ""


def _names(steps: Sequence[StepReport]) -> str:
    more = len(steps) - texts.LISTED
    return ", ".join(code(step.name) for step in steps[: texts.LISTED]) + (
        f" and {more:,} more" if more > 0 else ""
    )


def _body(
    report: Report, shown: Callable[[StepReport], str], longest: int
) -> Iterator[tuple[str, StepReport | None]]:
    """The tasks, piece by piece; a piece that is a step comes with it."""
    yield "".join(_evidence("", report.evidence, longest)), None
    for task in report.tasks:
        counts = task.root.counts
        told = f"{counts.done:,} of {texts.counted(counts.total, 'step')} done"
        named = f"{task.root.id} {inline(task.root.title)}" if report.root.kind == "plan" else "Steps"
        yield f"\n### {named} ({told})\n\n", None
        yield "".join(_evidence("", task.evidence, longest)), None
        for step in task.steps:
            yield shown(step), step


def _brief(step: StepReport) -> str:
    proofs = ", ".join(
        f"{texts.MEANINGS[proof.provenance].sign} {proof.checkpoint} {proof.provenance}{' (stale)' * proof.stale}"
        for proof in step.proofs
    )
    return f"{_item(step)}{f' ({proofs})' if proofs else ''}\n"


def _item(step: StepReport) -> str:
    indent, box = "  " * step.depth, "x" if step.step.done else " "
    return f"{indent}- [{box}] {code(step.step.path)} {inline(step.step.title)}"


def _step(step: StepReport, longest: int) -> str:
    below = "  " * (step.depth + 1)
    facts = texts.closing_facts(step) if step.step.done else [texts.open_because(step)]
    told = inline(" · ".join(facts))
    doubts = f" **{', '.join(step.doubts)}**" if step.doubts else ""
    lines = [f"{_item(step)}{doubts}{': ' if told else ''}{told}\n"]
    for point in step.checkpoints:
        if point.proof is not None or point.evidence:
            lines += [f"{below}- {_proof(point, step.closed)}\n", *_evidence(f"{below}  ", _newest(point), longest)]
    lines += _evidence(below, step.evidence[:1], longest)
    return "".join(lines)


def _proof(point: CheckpointReport, closed: LoggedEvent | None) -> str:
    """What a checkpoint rests on. By whom and when is left out if it is said of the closing."""
    proof = point.proof
    if proof is None:
        return f"· {point.name} not confirmed"
    stale = " **stale**" if proof.stale else ""
    note = "" if proof.note is None else f": {inline(texts.one_line(proof.note, _NOTE))}"
    same = closed is not None and (closed.actor, closed.at) == (proof.actor, proof.at)
    facts = inline(" · ".join(texts.proof_facts(proof)[2 if same else 0 :]))
    said = f"{texts.MEANINGS[proof.provenance].sign} {point.name} **{proof.provenance}**{stale}"
    return f"{said} {facts}{note}" if facts else f"{said}{note}"


def _newest(point: CheckpointReport) -> list[Evidence]:
    """The newest evidence of a checkpoint, and what the proof rests on."""
    return [it for at, it in enumerate(point.evidence) if at == 0 or point.rests_on(it)]


def _evidence(indent: str, found: Sequence[Evidence], longest: int) -> Iterator[str]:
    for evidence in found:
        piece = evidence.piece
        facts = " · ".join(texts.evidence_facts(piece, evidence.captured))
        told = "\n".join(filter(None, (piece.detail, piece.url, piece.path, piece.content)))
        if not longest or not told:
            yield f"{indent}- {code(texts.evidence_title(piece))} {inline(facts)}\n"
            continue
        title = f"<code>{in_html(texts.evidence_title(piece))}</code> {in_html(facts)}"
        block = fenced(texts.excerpt(texts.readable(told).strip("\n"), longest), indent)
        lines = ["", f"{indent}<details><summary>{title}</summary>", "", *block, "", f"{indent}</details>", "", ""]
        yield "\n".join(lines)
