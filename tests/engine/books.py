"""The books that must balance after every call: each check recomputes, from the documents or the images, what a
store keeps beside them. Nothing here is shared with the doctor, so that neither excuses the other."""

import json
import re
import zlib
from collections import defaultdict
from functools import lru_cache
from typing import Any

from gatepost.domain import documents, invariants, places, terms
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NONE, Tally

COUNTED = (
    "total",
    "done",
    "blocked",
    "unproven",
    "tasks",
    "tasks_done",
    "tasks_begun",
    "claimed",
    "ready",
    "waiting",
)

Kept = dict[str, Any]
"""A dump of every table of one workspace, as `World.everything` gives it."""


def check_all(kept: Kept) -> None:
    """Everything that holds at any moment."""
    check_fold(kept)
    check_log(kept)
    check_revisions(kept)
    check_names(kept)
    check_touches(kept)
    check_gate(kept)
    check_counts(kept)
    check_index(kept)
    check_search(kept)


def check_step(before: Kept, after: Kept) -> None:
    """Everything that holds between one moment and the next."""
    assert after["events"][: len(before["events"])] == before["events"], "an event was rewritten"
    assert after["operations"][: len(before["operations"])] == before["operations"]
    was = {place: revision for place, revision, *_ in before["tallies"]}
    came_from = _arrivals(after).get(after["operations"][-1][0], {}) if after["operations"] else {}
    for place, revision, *_ in after["tallies"]:
        known = max(was.get(place, 0), was.get(came_from.get(place, place), 0))
        assert revision - known in (0, 1), f"{place} went from {known} to {revision}"
    assert len(after["operations"]) <= len(before["operations"]) + 1, "one call, one operation"


def check_fold(kept: Kept) -> None:
    """Folding the images in the order of their operations gives the documents."""
    folded: dict[str, str | None] = {}
    for place, operation, before, after in sorted(kept["images"], key=lambda image: image[1]):
        assert folded.get(place) == before, f"operation {operation} does not start where {place} was"
        assert before != after, f"operation {operation} has an image of nothing"
        folded[place] = after
    assert {place: text for place, text in folded.items() if text is not None} == dict(kept["documents"])


def check_log(kept: Kept) -> None:
    """`seq` has no gaps, operations tile it, and every event belongs to its operation."""
    numbers = [event[0] for event in kept["events"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert kept["head"].seq == len(numbers)
    end = 0
    ends = {}
    for operation, last_seq, *_ in kept["operations"]:
        assert operation == end + 1
        assert last_seq >= operation
        ends[operation], end = last_seq, last_seq
    assert end == len(numbers)
    for event in kept["events"]:
        assert event[1] <= event[0] <= ends[event[1]]
    assert {image[1] for image in kept["images"]} <= ends.keys()


def check_revisions(kept: Kept) -> None:
    """A revision is the number of calls that changed its root or step, and every one of them is named. Where a step
    was moved to, its revision goes on, or rises with a change in the same call."""
    arrivals = _arrivals(kept)
    last: dict[str, int] = defaultdict(int)
    for place, operation, revision in sorted(
        kept["touches"], key=lambda touch: (touch[1], touch[0] in arrivals.get(touch[1], {}))
    ):
        origin = arrivals.get(operation, {}).get(place)
        wanted = {last[place] + 1} if origin is None else {last[origin], last[origin] + 1}
        assert revision in wanted, f"operation {operation} gave {place} the revision {revision}, not {wanted}"
        assert origin is None or revision >= last[place], f"{place} fell to {revision}"
        last[place] = revision
    for place, revision, *_ in kept["tallies"]:
        assert revision == last[place], f"{place} is at {revision}, but was last given {last[place]}"


def check_names(kept: Kept) -> None:
    """Every id leads to where its step or task node is, or was when it was deleted."""
    homes = {}
    for place, _, before, after in sorted(kept["images"], key=lambda image: image[1]):
        if before is None and "." in place:
            homes[json.loads(after)["id"]] = place
    named = dict(kept["names"])
    assert {name: named.get(name) for name in homes} == homes


def _arrivals(kept: Kept) -> dict[int, dict[str, str]]:
    """For each operation that moved steps: where each of them came, and from where."""
    left: dict[int, dict[str, str]] = defaultdict(dict)
    came: dict[int, dict[str, str]] = defaultdict(dict)
    for place, operation, before, after in kept["images"]:
        if "." in place and after is None:
            left[operation][json.loads(before)["id"]] = place
        elif "." in place and before is None:
            came[operation][place] = json.loads(after)["id"]
    return {
        operation: {place: left[operation][name] for place, name in those.items() if name in left[operation]}
        for operation, those in came.items()
        if operation in left
    }


def check_touches(kept: Kept) -> None:
    """Whatever changes a document of a plan or task, claims apart, raises its revision: so the past finds it."""
    touched = {(place, operation) for place, operation, _ in kept["touches"]}
    for place, operation, before, after in kept["images"]:
        if places.in_tree(place) and _unclaimed(before) != _unclaimed(after):
            assert (places.root_of(place), operation) in touched, f"operation {operation} did not touch {place}"


@lru_cache(maxsize=4096)
def _unclaimed(text: str | None) -> Any:
    return None if text is None else {name: said for name, said in json.loads(text).items() if name != "claim"}


def check_gate(kept: Kept) -> None:
    """Nothing is done that is not proven, save what was forced; and then only its checkpoints may be missing."""
    state = documents_of(kept)
    forced = _forced(kept)
    counted = {row[0]: Tally(*row[1:]) for row in kept["tallies"]}
    untrue = [
        (place, breach.code)
        for place, document in state.items()
        for breach in invariants.breaches(document, counted.get(place, NONE))
    ]
    assert not untrue
    for place, document in state.items():
        inside = [item for other, item in state.items() if other.startswith(place + ".")]
        if isinstance(document, Step):
            assert document.blocked or document.question is None, f"{place} asks, and is not blocked"
        if isinstance(document, Step) and document.done:
            assert not document.blocked, f"{place} is done and blocked"
            assert document.claim is None, f"{place} is done and claimed"
            assert not document.missing or document.id in forced, f"{place} is done without {document.missing}"
        if isinstance(document, Step | Task) and document.done:
            still_open = [item.id for item in inside if isinstance(item, Step) and not item.done]
            assert not still_open, f"{place} is done over {still_open}"
        if isinstance(document, Task) and document.done:
            owed = [item.id for item in inside if isinstance(item, Step) and item.missing]
            assert not owed, f"{place} is complete, but {owed} owe their checkpoints"
        if isinstance(document, Plan) and document.done:
            held = [item.id for item in state.values() if isinstance(item, Task) and item.plan == document.id]
            assert all(state[places.of_id(name) or ""].done for name in held)  # type: ignore[union-attr]


def check_counts(kept: Kept) -> None:
    """Tallies are what the documents add up to."""
    right: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTED, 0))
    state = documents_of(kept)
    still_open = [place for place, item in state.items() if isinstance(item, Step) and not item.done]
    for place, document in state.items():
        for over in _counted_for(place, document, state):
            for name, count in _counts_as(document).items():
                right[over][name] += count
        if isinstance(document, Plan | Task):
            right[place]["waiting"] += _waits_for(document, state)
        if isinstance(document, Step) and place in still_open and not document.blocked:
            clear = not any(other.startswith(place + ".") for other in still_open)
            right[places.root_of(place)]["ready"] += clear
    held = {row[0]: Tally(*row[1:]) for row in kept["tallies"]}
    for place in held.keys() | right.keys():
        counted = {name: getattr(held.get(place, NONE), name) for name in COUNTED}
        assert counted == right[place], f"{place} counts {counted}, but has {right[place]}"


def _waits_for(root: Plan | Task, state: dict[str, Document]) -> int:
    """The dependencies that are not done; and an approval, or for a task its plan, as long as that waits."""
    needed = [state[places.at_id(name)] for name in root.depends_on]
    unmet = sum(isinstance(item, Plan | Task) and not item.done for item in needed)
    if isinstance(root, Plan):
        return unmet + root.waits_for_approval
    plan = None if root.plan is None else state[places.at_id(root.plan)]
    return unmet + (isinstance(plan, Plan) and _waits_for(plan, state) > 0)


def _counted_for(place: str, document: Document, state: dict[str, Document]) -> list[str]:
    """Whatever holds a document counts it: the steps above it, its task, and the plan of that."""
    root = state[places.root_of(place)]
    plan = [places.of_id(root.plan) or ""] if isinstance(root, Task) and root.plan is not None else []
    return [*places.above(place), *plan] if isinstance(document, Step | Node | Task) else []


def _counts_as(document: Document) -> dict[str, int]:
    if not isinstance(document, Task | Step | Node):
        return {}
    claimed = {"claimed": document.claim is not None}
    if isinstance(document, Task):
        begun = document.status != "TODO"
        return {"tasks": 1, "tasks_done": document.done, "tasks_begun": begun, **claimed}
    if isinstance(document, Step):
        owes = document.done and bool(document.missing)
        return {"total": 1, "done": document.done, "blocked": document.blocked, "unproven": owes, **claimed}
    return {"total": 1, "done": document.done, **claimed}


def check_index(kept: Kept) -> None:
    """Every document is found by its terms, and by nothing else."""
    counted = {row[0]: Tally(*row[1:]) for row in kept["tallies"]}
    right = sorted(
        (term, place)
        for place, document in documents_of(kept).items()
        for term in terms.of(document, counted.get(place, NONE))
    )
    assert [tuple(row) for row in kept["terms"]] == right


def check_search(kept: Kept) -> None:
    """What is there, and what was said of it, is found by each beginning of its words, and nothing else is."""
    right = {}
    for place, text in kept["documents"]:
        found = _texts(place, text)
        if found is not None:
            right[place, 0] = found
    named = dict(kept["names"])
    for seq, _, _, _, root, step_id, path, body, *_ in kept["events"]:
        said, gone = _said(body) if root and root[0] in "pt" else ("", False)
        place = root if path is None or gone else named[step_id]
        if said and (place, 0) in right:
            right[place, seq] = ("", said)
    live = {(place, seq): (title, mark) for place, seq, live, title, mark in kept["searched"] if live}
    assert live == {key: _found_by(*texts) for key, texts in right.items()}


@lru_cache(maxsize=4096)
def _found_by(title: str, text: str) -> tuple[str, int]:
    """The words of a title, and a number for each beginning of each word of both."""
    words = [list(dict.fromkeys(re.findall(r"\w+", said.casefold()))) for said in (title, text)]
    beginnings = {word[:end] for word in (*words[0], *words[1]) for end in range(1, len(word) + 1)}
    return " ".join(words[0]), sum(zlib.crc32(each.encode()) for each in beginnings)


@lru_cache(maxsize=4096)
def _texts(place: str, text: str) -> tuple[str, str] | None:
    """A title, and everything else that a document says."""
    document = json.loads(text)
    if document.get("kind") == "taskdoc":
        return document.get("name") or place[1:], ""
    if document.get("kind") == "section":
        return "", document.get("content", "")
    if "title" not in document:
        return None
    texts = [document.get(name) or "" for name in ("description", "context", "contract", "doc", "domain")]
    lists = ("criteria", "tests", "blockers", "steps", "tags")
    return document["title"], "\n".join([*texts, *(text for name in lists for text in document.get(name, ()))])


@lru_cache(maxsize=4096)
def _said(body: str) -> tuple[str, bool]:
    """What an event says, and whether it is about something that is gone since."""
    event = json.loads(body)
    said = [event.get(name) for name in ("note", "reason", "answer")]
    if event["type"] == "step_verified":
        said += [mark.get("note") for mark in event["checkpoints"].values()]
    if event["type"] == "evidence_captured":
        said += [text for name in ("items", "checks", "attachments") for text in event.get(name, ())]
    return " ".join(text for text in said if text), event["type"] in ("step_deleted", "task_node_deleted")


@lru_cache(maxsize=4096)
def stated(text: str) -> str:
    """A document without its claim and its former paths: it remembers those that undo took it from, too."""
    if '"claim":' not in text and '"formerly":' not in text:
        return text
    document = {name: said for name, said in json.loads(text).items() if name not in ("claim", "formerly")}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def documents_of(kept: Kept) -> dict[str, Document]:
    """The documents of a dump, by place."""
    return {place: _document(text) for place, text in kept["documents"]}


@lru_cache(maxsize=10_000)  # documents never change, and most of those in a dump were in the one before
def _document(text: str) -> Document:
    return documents.from_text(text)


def _forced(kept: Kept) -> set[str]:
    """The steps whose latest closing says that it was forced."""
    latest: dict[str, bool] = {}
    for event in kept["events"]:
        body = json.loads(event[7])
        if body["type"] == "step_done":
            latest[event[5]] = body.get("forced", False)
    return {step_id for step_id, was_forced in latest.items() if was_forced}
