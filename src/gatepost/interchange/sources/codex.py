"""Codex: the last `update_plan` of a session's file, or of `codex exec --json`, or its arguments alone."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from gatepost.interchange.items import Item, Reading, State, state_of
from gatepost.interchange.json_input import Json, lines, needs, objects, peeked, text, word
from gatepost.interchange.source_files import SourceFile

LABEL = "Codex"
PLACES = ("rollout-*.jsonl",)

_STATES: dict[str, State] = {"in_progress": "started", "completed": "done"}


def is_mine(file: SourceFile) -> bool:
    """Whether it is a session of Codex, or the arguments of its tool."""
    first = peeked(file.text)
    if not isinstance(first, dict):
        return False
    named = first.get("type") in ("session_meta", "thread.started") or file.stem.startswith("rollout-")
    return named or _plan(first) is not None


def read(files: Sequence[SourceFile]) -> Reading:
    """A task for each session that has a plan, with a step for each of the plan's."""
    items = []
    for file in files:
        found = _last(file)
        needs(file, "no update_plan of Codex", found=found is not None)
        session, about, steps = found or ("", "", ())
        below = tuple(steps)
        items.append(
            Item(
                key=session or file.stem,
                title=f"Codex plan {(session or file.stem)[-12:]}",
                state=state_of(below),
                description=about,
                items=below,
            )
        )
    return Reading(items=tuple(items))


def _last(file: SourceFile) -> tuple[str, str, list[Item]] | None:
    """The session, the explanation and the steps of the plan as it was last."""
    session, last = "", None
    value = peeked(file.text)
    for line in [value] if _plan(value) is not None else lines(file):
        payload = line.get("payload")
        if line.get("type") == "session_meta" and isinstance(payload, dict):
            session = session or word(payload.get("id")) or word(payload.get("session_id"))
        session = session or (word(line.get("thread_id")) if line.get("type") == "thread.started" else "")
        for call in _calls(line):
            found = _plan(call)
            last = (text(call, "explanation"), found) if found is not None else last
    return None if last is None else (session, *last)


def _calls(line: Json) -> Iterator[Json]:
    """What a line says of a plan: the tool's arguments, or the list that `codex exec --json` prints."""
    yield line
    for held in (line.get("payload"), line.get("item")):
        if not isinstance(held, dict):
            continue
        if held.get("name") == "update_plan" and isinstance(held.get("arguments"), str):
            try:
                call = msgspec.json.decode(held["arguments"])
            except msgspec.DecodeError:
                continue
            if isinstance(call, dict):
                yield call
        elif held.get("type") == "todo_list":
            done = [
                {"step": item.get("text"), "status": "completed" if item.get("completed") else ""}
                for item in objects(held.get("items"))
            ]
            yield {"plan": done}


def _plan(call: Any) -> list[Item] | None:
    if not isinstance(call, dict) or not isinstance(call.get("plan"), list):
        return None
    steps = objects(call["plan"])
    if any("step" not in step for step in steps):
        return None
    return [
        Item(
            title=text(step, "step") or "Step",
            state=_STATES.get(word(step.get("status")), "open"),
            said=word(step.get("status")),
        )
        for step in steps
    ]
