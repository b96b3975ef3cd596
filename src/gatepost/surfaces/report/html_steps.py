"""The steps of a task in the HTML report: each with its checkpoints, proofs and evidence."""

import re
from collections.abc import Sequence
from typing import Final

from gatepost.surfaces.report import texts
from gatepost.surfaces.report.elements import NONE, Markup, element, joined
from gatepost.surfaces.report.model import CheckpointReport, Evidence, StepReport, TaskReport

_ADDRESS: Final = re.compile(r"https?://[!-~]+")


def anchor(task: str, path: str) -> str:
    """The name of a step within the document."""
    return f"{task}-{path}".replace(":", "").replace(".", "-")


def task_section(task: TaskReport, now: str | None, room: texts.OutputRoom, *, alone: bool) -> Markup:
    """A task with every step. `now` is the step to work on; `alone` if the report is about this task."""
    root = task.root
    told = [f"{root.counts.done:,} of {texts.counted(root.counts.total, 'step')} done"]
    if root.depends_on:
        told.append(f"after {', '.join(root.depends_on)}")
    named = (element("span", root.id, class_="path"), " ", element("bdi", root.title))
    head = element(
        "header",
        element("h2", *(("Steps",) if alone else named)),
        element(
            "p", element("span", root.status, class_=f"chip {root.status}"), " ", " · ".join(told), class_="soft"
        ),
    )
    evidence = evidence_items(task.evidence, room)
    own = joined(element("p", "Evidence of the task itself", class_="soft"), evidence) if evidence else NONE
    return element(
        "section", head, own, *(_step(step, now, room) for step in task.steps), class_="task", id=root.id
    )


def evidence_items(found: Sequence[Evidence], room: texts.OutputRoom) -> Markup:
    """Pieces of evidence, each folded."""
    return joined(*(_evidence(it, room, proves=False) for it in found))


def _step(step: StepReport, now: str | None, room: texts.OutputRoom) -> Markup:
    row = step.step
    state = (
        "done" if row.done else "blocked" if row.blocked is not None else "now" if row.step_id == now else "open"
    )
    sign = {"done": "✓", "blocked": "■", "now": "▶", "open": "○"}[state]
    colour = {"done": "good", "blocked": "bad", "now": "ACTIVE", "open": "soft"}[state]
    title = element(
        "h3",
        element("span", sign, class_=colour, title=state),
        " ",
        element("bdi", row.title),
        " ",
        element("span", row.path, class_="path"),
        *(joined(" ", element("span", doubt, class_="chip warn")) for doubt in step.doubts),
    )
    facts = texts.closing_facts(step) if row.done else [texts.open_because(step)]
    points = [_checkpoint(point, room) for point in step.checkpoints]
    return element(
        "article",
        element("header", title),
        element("p", _facts(facts), class_="facts bad" if state == "blocked" else "facts"),
        element("ul", *points, class_="points") if points else NONE,
        evidence_items(step.evidence, room),
        _older(step),
        class_=f"step {state}",
        id=anchor(step.task, row.path),
        style=f"--depth:{step.depth}",
    )


def _checkpoint(point: CheckpointReport, room: texts.OutputRoom) -> Markup:
    wants = [element("li", texts.clipped(wanted)) for wanted in point.texts]
    wants += [element("li", element("code", texts.one_line(command, 500))) for command in point.commands]
    return element(
        "li",
        *_proof(point),
        element("ul", *wants, class_="wants") if wants else NONE,
        *(_evidence(it, room, proves=point.rests_on(it)) for it in point.evidence),
    )


def _proof(point: CheckpointReport) -> list[Markup]:
    proof, name = point.proof, element("strong", point.name)
    if proof is None:
        said = element("span", "not confirmed", class_="facts")
        return [element("span", "·", class_="sign soft"), name, Markup(" "), said]
    found = [
        element("span", texts.MEANINGS[proof.provenance].sign, class_=f"sign {proof.provenance}"),
        name,
        Markup(" "),
        element("span", proof.provenance, class_=f"chip {proof.provenance}"),
        Markup(" "),
    ]
    if proof.stale:
        found += [element("span", "stale", class_="chip warn", title="files have changed since"), Markup(" ")]
    found.append(element("span", _facts(texts.proof_facts(proof)), class_="facts"))
    if proof.note is not None:
        found.append(element("blockquote", texts.clipped(proof.note)))
    return found


def _facts(facts: Sequence[str]) -> Markup:
    return joined(*(element("span", fact) for fact in facts))


def _evidence(evidence: Evidence, room: texts.OutputRoom, *, proves: bool) -> Markup:
    piece = evidence.piece
    failed = piece.passed is False or (piece.passed is None and piece.exit_code not in (None, 0))
    facts = texts.evidence_facts(piece, evidence.captured) + (["the proof rests on this"] if proves else [])
    summary = element(
        "summary",
        element("code", texts.evidence_title(piece), class_="bad" if failed else None),
        " ",
        element("span", _facts(facts), class_="facts"),
    )
    told = [element("p", texts.clipped(piece.detail), class_="text")] if piece.detail else []
    told += [element("p", _address(said)) for said in (piece.url, piece.path) if said]
    if piece.content:
        shown = room.taken(piece.content)
        full = "Left out: this report is full. Read it with gatepost show --json."
        told.append(element("p", full, class_="soft") if shown is None else element("pre", shown))
    return element("details", summary, *(told or [element("p", "It has no text.", class_="soft")]))


def _address(said: str) -> Markup:
    """An address as a link, if it is one of the web; anything else as text."""
    if _ADDRESS.fullmatch(said):
        return element("a", said, href=said, rel="noopener noreferrer nofollow")
    return element("code", texts.one_line(said))


def _older(step: StepReport) -> Markup:
    left = step.step.older_evidence
    return (
        element("p", f"{texts.counted(left, 'older piece')} of evidence left out", class_="soft") if left else NONE
    )
