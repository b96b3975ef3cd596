"""Places: one sortable address per document. No place is ever given to another document.

A place is a chain of segments, each a kind letter and an ordinal whose text sorts like its number (`a7` < `b10` <
`c100`). `TASK-010` is at `tb10`, its step `s:0.s:2` at `tb10.sa0.sa2`. So a path is a look-up, tree order is key
order, and everything below a place is one range of keys.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # hooks read places without `typing`
if TYPE_CHECKING:
    from typing import Final

PLAN: Final = "p"
TASK: Final = "t"
FOCUS: Final = "f"
SESSION: Final = "l"
DIGEST: Final = "d"
TASKDOC: Final = "m"
ROUND: Final = "r"
JOURNAL: Final = "j"
POLICY: Final = "w"
"""The workspace's policy. Those of plans, tasks and steps are in their documents."""

STEP: Final = "s"
NODE: Final = "t"

MAX_DEPTH: Final = 16

_NUMBER: Final = r"([0-9]{3}|[1-9][0-9]{3,11})"
_ORDINAL: Final = r"(0|[1-9][0-9]{0,8})"
ROOT_ID: Final = rf"^(PLAN|TASK)-{_NUMBER}\Z"
PLAN_ID: Final = rf"^PLAN-{_NUMBER}\Z"
PATH: Final = rf"^s:{_ORDINAL}(\.[st]:{_ORDINAL})*\Z"

_PART: Final = "="
_DOT: Final = "~"
"""A dot separates the segments of a place, so a dot in a name is written like this. No name has a tilde."""

_AGENT: Final = ":"
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:-")

_MEMBERS: Final = (STEP, NODE)

_root_id = re.compile(ROOT_ID)
_named: Final = r"^[a-z][A-Za-z0-9_:~-]+(=[a-z]+)?\Z"
_escaped: Final = r"(?:~[0-9a-f]{2})+"
_letters = {"PLAN": PLAN, "TASK": TASK}
_words = {PLAN: "PLAN", TASK: "TASK"}
_alone = {FOCUS: "focus", ROUND: "round", POLICY: "policy"}
_kinds = {SESSION: "session", DIGEST: "digest", TASKDOC: "taskdoc", ROUND: "round of", JOURNAL: "durable session"}
_fields = {
    PLAN: "plan",
    TASK: "task",
    SESSION: "session",
    DIGEST: "section_key",
    TASKDOC: "taskdoc",
    JOURNAL: "session",
}


def root(kind: str, number: int) -> str:
    """The place of the plan or task with this number."""
    return kind + _ordinal(number)


def of_id(root_id: str) -> str | None:
    """The place of a plan or task by its id, or none if it is not such an id."""
    match = _root_id.match(root_id)
    return None if match is None else root(_letters[match[1]], int(match[2]))


def at_id(root_id: str) -> str:
    """The place of a plan or task by a valid id."""
    place = of_id(root_id)
    if place is None:
        raise ValueError(f"{root_id} is not the id of a plan or task")
    return place


def root_id(place: str) -> str:
    """`TASK-010` for any place in that task."""
    head = place.partition(".")[0]
    return f"{_words[head[0]]}-{int(head[2:]):03d}"


def named(kind: str, name: str) -> str:
    """The place of a document with its own name: a session's todo list, a digest."""
    return kind + name.replace(".", _DOT)


def all_named(kind: str) -> tuple[str, str]:
    """The range of all named documents of a kind."""
    return kind, chr(ord(kind) + 1)


def section(taskdoc: str, selector: str) -> str:
    """The place of a taskdoc's section, which has its own revision."""
    return f"{TASKDOC}{taskdoc}{_PART}{selector}"


def section_of(place: str) -> str | None:
    """The selector of a taskdoc's section; none for other places."""
    return place.partition(_PART)[2] or None if place[0] == TASKDOC else None


def name_of(place: str) -> str:
    """The name in a place."""
    return place[1:].partition(_PART)[0].replace(_DOT, ".")


def rounds_of_task(root_id: str) -> str:
    """The place of the rounds that name a plan or task."""
    return ROUND + root_id


def rounds_of_agent(actor: str) -> str:
    """The place of an agent's rounds that name no task. An actor may have characters that a place may not."""
    return ROUND + _AGENT + "".join(chr(byte) if chr(byte) in _PLAIN else f"~{byte:02x}" for byte in actor.encode())


def in_tree(place: str) -> bool:
    """Whether this is a plan, a task or something in one."""
    return place[0] in _words


def is_record(place: str) -> bool:
    """Whether the document at a place is a record, which undo skips."""
    return place[0] in (ROUND, JOURNAL, POLICY)


def owner(place: str) -> dict[str, str]:
    """What an event at a place belongs to, by field: `{"task": "TASK-010"}`. Rounds belong to their actor."""
    if place == POLICY:
        return {}
    if place[0] == ROUND:
        named = of_id(place[1:])
        return {} if named is None else owner(named)
    belongs = {_fields[place[0]]: root_id(place) if in_tree(place) else name_of(place)}
    selector = section_of(place)
    return belongs if selector is None else {**belongs, "selector": selector}


def shown(place: str) -> str:
    """A place as people name it: `TASK-010 s:0.s:2`, `session main`, `taskdoc auth goals`, or `focus`."""
    if place in _alone:
        return _alone[place]
    if place.startswith(ROUND + _AGENT):
        return f"{_kinds[ROUND]} {re.sub(_escaped, _unescaped, place[2:])}"
    if not in_tree(place):
        words = (_kinds[place[0]], name_of(place), section_of(place))
        return " ".join(word for word in words if word)
    path = path_of(place)
    return f"{root_id(place)} {path}" if path else root_id(place)


def is_place(text: str) -> bool:
    """Whether a text can be a place. For readers of damaged stores."""
    if text in _alone:
        return True
    if text[:1] in _kinds:
        return re.match(_named, text) is not None
    head, *members = text.split(".")
    return (
        head[:1] in _words
        and len(members) <= MAX_DEPTH
        and all(part[:1] in _MEMBERS for part in members)
        and all(_is_numbered(part) for part in (head, *members))
    )


def root_of(place: str) -> str:
    """The place of the plan or task that contains this one."""
    return place.partition(".")[0]


def is_task(place: str) -> bool:
    """Whether a root's place is a task's."""
    return place.startswith(TASK)


def child(place: str, kind: str, ordinal: int) -> str:
    """The place of a member of the tree, by its kind and ordinal below `place`."""
    return f"{place}.{kind}{_ordinal(ordinal)}"


def at_path(root_place: str, path: str) -> str | None:
    """The place of a path such as `s:0.t:1`, or none if the path is too deep."""
    segments = path.split(".")
    if len(segments) > MAX_DEPTH:
        return None
    above = NODE
    for segment in segments:
        if above == NODE and segment[0] == NODE:
            return None
        above = segment[0]
    return ".".join([root_place, *(segment[0] + _ordinal(int(segment[2:])) for segment in segments)])


def path_of(place: str) -> str:
    """`s:0.s:2` for a place inside a task."""
    return ".".join(f"{segment[0]}:{segment[2:]}" for segment in place.split(".")[1:])


def apart(place: str) -> tuple[str, str, int]:
    """A member's parent, its kind and its ordinal."""
    parent, _, segment = place.rpartition(".")
    return parent, segment[0], int(segment[2:])


def depth(place: str) -> int:
    """The depth of a place; a plan or task is at 0."""
    return place.count(".")


def above(place: str) -> tuple[str, ...]:
    """The places above this one, nearest first, the task last."""
    found = []
    end = place.rfind(".")
    while end > 0:
        place = place[:end]
        found.append(place)
        end = place.rfind(".")
    return tuple(found)


def after(parent: str, kind: str) -> str:
    """The key that sorts after everything of a kind below a place."""
    return f"{parent}.{chr(ord(kind) + 1)}"


def moved(place: str, old: str, new: str) -> str:
    """The new place of something at or below `old` when `old` is moved to `new`."""
    return new + place[len(old) :]


def is_within(path: str, top: str) -> bool:
    """Whether a path or place is a step's own or is below it."""
    return path == top or path.startswith(f"{top}.")


def below(place: str) -> tuple[str, str]:
    """The range of everything below a place: its first key, and the key after the last."""
    return place + ".", place + "/"


def _unescaped(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("~", "")).decode("utf-8", "replace")


def _is_numbered(segment: str) -> bool:
    digits = segment[2:]
    return digits.isascii() and digits.isdigit() and segment[1:] == _ordinal(int(digits))


def _ordinal(number: int) -> str:
    digits = str(number)
    return chr(96 + len(digits)) + digits
