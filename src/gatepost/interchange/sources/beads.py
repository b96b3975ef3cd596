"""Beads: `.beads/issues.jsonl`, one issue a line."""

from collections.abc import Mapping, Sequence

from gatepost.domain.roots import Priority
from gatepost.interchange.items import Item, Loss, PlanItem, Reading, State
from gatepost.interchange.json_input import Json, lines, needs, objects, peeked, text, word, words
from gatepost.interchange.markdown_lists import criteria_in
from gatepost.interchange.source_files import SourceFile

LABEL = "Beads"
PLACES = (".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl")

_STATES: dict[str, State] = {
    "in_progress": "started",
    "hooked": "started",
    "blocked": "blocked",
    "deferred": "blocked",
    "closed": "done",
}
_PRIORITIES: tuple[Priority, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "LOW")
_NOT_KEPT = ("assignee", "owner", "external_ref", "estimated_minutes", "due_at", "defer_until")


def is_mine(file: SourceFile) -> bool:
    """Whether its first line is an issue of Beads."""
    first = peeked(file.text)
    return isinstance(first, dict) and {"id", "title", "issue_type"} <= first.keys()


def read(files: Sequence[SourceFile]) -> Reading:
    """A plan for each epic, a task for each other issue. A parent that is no epic waits for its children."""
    issues: dict[str, Json] = {}
    losses: list[Loss] = []
    for file in files:
        found = [issue for issue in lines(file) if word(issue.get("id")) and "title" in issue]
        needs(file, "no issues of Beads", found=bool(found))
        for issue in found:
            if word(issue.get("status")) == "tombstone":
                losses.append(Loss("deleted issues", f"{word(issue['id'])} {text(issue, 'title')}"))
            else:
                key = word(issue["id"])
                losses += [Loss("ids that occur twice (the last one counts)", key)] if key in issues else []
                issues[key] = issue
    epics = {key for key, issue in issues.items() if issue.get("issue_type") == "epic"}
    homes, needed = _links(issues, epics, losses)
    plans = [_plan(key, issues[key], needed) for key in issues if key in epics]
    items = [_item(key, issues[key], homes.get(key), needed, losses) for key in issues if key not in epics]
    return Reading(plans=tuple(plans), items=tuple(items), losses=tuple(losses))


def _links(
    issues: Mapping[str, Json], epics: set[str], losses: list[Loss]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The epic of each issue, and what each waits for."""
    homes: dict[str, str] = {}
    needed: dict[str, list[str]] = {key: [] for key in issues}
    for key, issue in issues.items():
        for link in objects(issue.get("dependencies")):
            kind, other = word(link.get("type")), word(link.get("depends_on_id"))
            if kind == "parent-child" and other in epics and key not in epics:
                homes[key] = other
            elif kind == "parent-child" and other in issues:
                needed[other].append(key)
            elif kind == "blocks":
                needed[key].append(other)
            else:
                losses.append(Loss(f"links ({kind or 'without a kind'})", f"{key} to {other}"))
    return homes, needed


def _plan(key: str, issue: Json, needed: Mapping[str, list[str]]) -> PlanItem:
    return PlanItem(
        key=key,
        title=text(issue, "title") or key,
        description=text(issue, "description"),
        context=_context(issue),
        contract=text(issue, "acceptance_criteria"),
        done=issue.get("status") == "closed",
        priority=_priority(issue),
        tags=tuple(words(issue.get("labels"))),
        depends_on=tuple(needed[key]),
    )


def _item(key: str, issue: Json, home: str | None, needed: Mapping[str, list[str]], losses: list[Loss]) -> Item:
    said, kind = word(issue.get("status")), word(issue.get("issue_type"))
    losses += [Loss(f"field {name}", f"{key}: {word(issue[name])}") for name in _NOT_KEPT if word(issue.get(name))]
    return Item(
        key=key,
        title=text(issue, "title") or key,
        state=_STATES.get(said, "open"),
        said=said,
        reason=f"{said.capitalize()} in Beads." if _STATES.get(said) == "blocked" else "",
        description=text(issue, "description"),
        context=_context(issue),
        criteria=criteria_in(text(issue, "acceptance_criteria")),
        notes=_notes(issue),
        depends_on=tuple(needed[key]),
        priority=_priority(issue),
        tags=tuple(dict.fromkeys((*words(issue.get("labels")), *([kind] if kind not in ("", "task") else [])))),
        plan=home,
    )


def _context(issue: Json) -> str:
    design = text(issue, "design")
    return f"Design: {design}" if design else ""


def _priority(issue: Json) -> Priority:
    """Beads leaves out a field that is 0, and 0 is its highest priority."""
    given = issue.get("priority", 0)
    return _PRIORITIES[given] if isinstance(given, int) and 0 <= given < len(_PRIORITIES) else "MEDIUM"


def _notes(issue: Json) -> tuple[str, ...]:
    closed = text(issue, "close_reason")
    said = [f"{word(each.get('author')) or 'Somebody'} wrote: {text(each, 'text')}" for each in _comments(issue)]
    return tuple(part for part in (text(issue, "notes"), *said, closed and f"Closed in Beads: {closed}") if part)


def _comments(issue: Json) -> list[Json]:
    return [each for each in objects(issue.get("comments")) if text(each, "text")]
