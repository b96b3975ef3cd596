"""The report as one HTML file: no script, nothing from elsewhere; light, dark and on paper."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gatepost.replies.handoff import OpenQuestion
from gatepost.replies.steps import WrittenNote
from gatepost.surfaces.report import texts
from gatepost.surfaces.report.elements import NONE, Markup, element, joined
from gatepost.surfaces.report.html_steps import anchor, evidence_items, task_section
from gatepost.surfaces.report.model import Report, StepReport
from gatepost.surfaces.report.stylesheet import STYLESHEET

_OUTPUT: Final = 4_000_000
_LONGEST_OUTPUT: Final = 8_000
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_LINES: Final = re.compile(r"\n{3,}")


def html_page(report: Report) -> str:
    """The whole document."""
    room = texts.OutputRoom(_OUTPUT, _LONGEST_OUTPUT)
    head = joined(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Markup('<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'),
        element("title", f"{report.root.id}: {texts.one_line(report.root.title)}"),
        Markup(f"<style>{STYLESHEET}</style>"),
    )
    body = element("body", element("main", *_sections(report, room)), element("footer", texts.origin(report)))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'


def _sections(report: Report, room: texts.OutputRoom) -> Iterator[Markup]:
    yield _heading(report)
    yield _section("First thing to do", _first(report))
    yield _section("Questions that wait", _list(map(_question, report.handoff.questions or ())))
    yield _section("What the proofs rest on", _tally(report))
    yield _section("Worth a second look", _doubts(report))
    yield _section(f"Open ({len(report.open):,})", _open(report))
    yield _section("Checklist", _checklist(report))
    yield _section("Newest notes", _list(map(_note, report.handoff.notes or ())))
    yield _section("Evidence of the plan", evidence_items(report.evidence, room))
    now = None if report.handoff.now is None else report.handoff.now.step_id
    for task in report.tasks:
        yield task_section(task, now, room, alone=report.root.kind == "task")


def _section(title: str, *content: Markup) -> Markup:
    """A section, or nothing if it would be empty."""
    if not any(content):
        return NONE
    return element("section", element("h2", title), *content)


def _heading(report: Report) -> Markup:
    root, counts = report.root, report.root.counts
    kind = "Plan" if root.kind == "plan" else "Task"
    over = " · ".join(filter(None, (report.workspace, f"{kind} {root.id}", root.plan)))
    share = 100 * counts.done // counts.total if counts.total else 0
    return element(
        "header",
        element("p", over, class_="over"),
        element("h1", root.title),
        element("p", element("span", root.status, class_=f"chip {root.status}"), " ", texts.headline(report)),
        element("div", element("i", style=f"width:{share}%"), class_="bar", role="presentation"),
        element("p", " ".join(texts.terms(report)), class_="soft") if texts.terms(report) else NONE,
        element("p", texts.clipped(root.description), class_="text") if root.description else NONE,
    )


def _first(report: Report) -> Markup:
    said, command = texts.first_thing(report)
    shown = joined(" ", element("code", command)) if command else NONE
    return element("p", said, shown, class_="card")


def _question(question: OpenQuestion) -> Markup:
    by = ", ".join(filter(None, (question.actor, question.at and texts.when(question.at))))
    where = element("a", f"{question.task} {question.path}", href=f"#{anchor(question.task, question.path)}")
    return joined(
        element("bdi", texts.clipped(question.question)),
        element("p", where, " ", question.title, f" ({by})" if by else "", class_="soft"),
    )


def _tally(report: Report) -> Markup:
    counts = report.provenance
    if not counts:
        return element("p", "Nothing is confirmed yet.", class_="card soft")
    cells = [
        element(
            "li",
            element("b", f"{counts[name]:,}", class_=name if counts[name] else None),
            element("span", f"{meaning.sign} {name}", class_=name if counts[name] else "soft"),
            element("small", meaning.says),
            class_="card" if counts[name] else "card none",
        )
        for name, meaning in texts.MEANINGS.items()
    ]
    return element("ul", *cells, class_="tally")


def _doubts(report: Report) -> Markup:
    groups = [
        element(
            "li",
            element("strong", f"{title} ({len(steps):,})", class_="warn"),
            element("span", f" {says}", class_="soft"),
            _links(steps, [""] * len(steps)),
        )
        for title, says, steps in report.doubts
    ]
    risks = [element("li", texts.risk_line(risk)) for risk in report.risks[: texts.LISTED]]
    if risks:
        more = max(len(report.risks) - len(risks), 0)
        risks += [element("li", f"and {more:,} more", class_="soft")] if more else []
        groups.append(element("li", element("strong", "Other risks"), element("ul", *risks)))
    return element("ul", *groups, class_="looks card") if groups else NONE


def _open(report: Report) -> Markup:
    steps = report.open
    if not steps:
        return NONE
    why = [f": {texts.open_because(step)}" for step in steps]
    return element("div", _links(steps, why), class_="looks card")


def _links(steps: Sequence[StepReport], said: Sequence[str]) -> Markup:
    """The first of these steps, each with a link to it, and how many more there are."""
    items = [
        element(
            "li",
            element("a", step.name, href=f"#{anchor(step.task, step.step.path)}"),
            " ",
            element("bdi", step.step.title),
            more,
        )
        for step, more in zip(steps[: texts.LISTED], said, strict=False)
    ]
    left = len(steps) - len(items)
    if left > 0:
        items.append(element("li", f"and {left:,} more below", class_="soft"))
    return element("ul", *items)


def _checklist(report: Report) -> Markup:
    held = report.root.checklist
    if held is None:
        return NONE
    return _list(f"{'✓' if at < held.current else '○'} {texts.clipped(item)}" for at, item in enumerate(held.steps))


def _note(note: WrittenNote) -> Markup:
    where = " ".join(filter(None, (note.task, note.path)))
    by = ", ".join(filter(None, (note.actor, texts.when(note.at), where)))
    return joined(element("bdi", texts.clipped(_LINES.sub("\n\n", note.note))), element("p", by, class_="soft"))


def _list(items: Iterable[str]) -> Markup:
    rows = [element("li", item) for item in items]
    return element("ul", *rows, class_="rows card") if rows else NONE
