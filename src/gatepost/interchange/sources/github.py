"""GitHub issues as JSON: `gh issue list --state all --json …`, or the answer of GitHub's API."""

import re
from collections.abc import Sequence
from typing import Any, Final

from gatepost.interchange.items import Item, Loss, PlanItem, Reading
from gatepost.interchange.json_input import Json, decoded, needs, objects, peeked, text, word
from gatepost.interchange.markdown_lists import items_of, sections
from gatepost.interchange.source_files import SourceFile

LABEL = "GitHub"
PLACES = ("issues.json",)

_DROPPED = ("not_planned", "duplicate")
_BLOCKED_BY: Final = re.compile(r"\b(?:blocked by|depends on)\s+#(\d+)", re.IGNORECASE)


def is_mine(file: SourceFile) -> bool:
    """Whether it has issues with GitHub's numbers and states."""
    found = _issues(peeked(file.text))
    return bool(found) and {"number", "title", "state"} <= found[0].keys()


def read(files: Sequence[SourceFile]) -> Reading:
    """A task for each issue, a plan for each milestone, a step for each box in an issue's text."""
    plans: dict[str, PlanItem] = {}
    items: list[Item] = []
    losses: list[Loss] = []
    for file in files:
        issues = _issues(decoded(file))
        needs(file, "no issues with a number and a title", found=bool(issues))
        for issue in issues:
            if "pull_request" in issue:
                losses.append(Loss("pull requests", _name(issue)))
            elif (why := word(issue.get("stateReason") or issue.get("state_reason")).lower()) in _DROPPED:
                losses.append(Loss(f"issues closed as {why.replace('_', ' ')}", _name(issue)))
            else:
                items.append(_item(issue, plans, losses))
    return Reading(plans=tuple(plans.values()), items=tuple(items), losses=tuple(losses))


def _issues(value: Any) -> list[Json]:
    found = objects(value) if isinstance(value, list) else [value] if isinstance(value, dict) else []
    return [issue for issue in found if word(issue.get("number")) and isinstance(issue.get("title"), str)]


def _name(issue: Json) -> str:
    return f"#{word(issue['number'])} {issue['title']}"


def _item(issue: Json, plans: dict[str, PlanItem], losses: list[Loss]) -> Item:
    number, body = word(issue["number"]), text(issue, "body").replace("\r\n", "\n")
    said = word(issue.get("state")).lower()
    people = ", ".join(word(person.get("login")) for person in objects(issue.get("assignees")))
    if people:
        losses.append(Loss("assignees", f"#{number}: {people}"))
    comments = issue.get("comments")
    if isinstance(comments, int) and comments:
        losses.append(Loss("comments (not in the file; add comments to --json)", f"#{number}: {comments}"))
    boxes = [box for section in sections(body) for box in section.checklist]
    return Item(
        key=number,
        title=issue["title"].strip() or f"Issue {number}",
        state="done" if said == "closed" else "open",
        said=said,
        description=body,
        context=text(issue, "html_url", "url"),
        notes=tuple(_comment(each) for each in objects(comments) if text(each, "body")),
        depends_on=tuple(dict.fromkeys(_BLOCKED_BY.findall(body))),
        tags=_labels(issue.get("labels")),
        plan=_plan(issue, plans),
        items=items_of(boxes),
    )


def _plan(issue: Json, plans: dict[str, PlanItem]) -> str | None:
    milestone = issue.get("milestone")
    if not isinstance(milestone, dict) or not text(milestone, "title"):
        return None
    key = f"milestone/{word(milestone.get('number')) or milestone['title']}"
    closed = word(milestone.get("state")).lower() == "closed"
    plans[key] = PlanItem(
        key=key, title=milestone["title"], description=text(milestone, "description"), done=closed
    )
    return key


def _labels(value: Any) -> tuple[str, ...]:
    held = value if isinstance(value, list) else []
    return tuple(name for label in held if (name := word(label.get("name") if isinstance(label, dict) else label)))


def _comment(comment: Json) -> str:
    author = comment.get("author") or comment.get("user")
    who = word(author.get("login")) if isinstance(author, dict) else ""
    return f"{who or 'Somebody'} wrote: {text(comment, 'body')}"
