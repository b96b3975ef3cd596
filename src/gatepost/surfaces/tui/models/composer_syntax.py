"""What a typed line means: a command, an operation, or a note; and how it could go on."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import NODEFAULT
from msgspec.structs import fields

from gatepost.operations.catalog import BY_NAME
from gatepost.operations.registry import Write

COMMANDS: Final = {
    "open": "TASK: show its step tree",
    "use": "LIST: show this list first; without a name, the one in progress",
    "new": "TITLE: create a task",
    "step": "TITLE: add a step to the leading task",
    "block": "REASON: block the current step",
    "unblock": "unblock the current step",
    "undo": "undo the last change of the leading task",
    "redo": "redo what was undone",
    "lists": "all todo lists",
    "docs": "taskdocs: goals, constraints, progress",
    "radar": "what to do now, why, and how to verify it",
    "log": "the event log, live",
    "inbox": "questions, sign-offs and plans that wait for you",
    "help": "keys and commands",
    "quit": "quit",
}
TAKING_IDS: Final = frozenset({"open", "use"})

_OPERATION: Final = re.compile(r"([a-z]+(?:_[a-z]+)+)\s*(\{.*)?\Z", re.DOTALL)
_FIRST: Final = re.compile(r"[a-z_]+\b")
_BREAKS: Final = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")
_SOME: Final = {"task": "TASK-001"}
_LEAST: Final = 3
_ID: Final = re.compile(r"(?:TASK|PLAN)-[0-9]*\Z")


class ComposerNote(NamedTuple):
    """Something to keep with the current step."""

    text: str


class ComposerCommand(NamedTuple):
    """A command, and the text after it."""

    name: str
    rest: str


class ComposerCall(NamedTuple):
    """An operation and its arguments."""

    operation: str
    arguments: dict[str, Any]


class ComposerError(NamedTuple):
    """What is wrong with a line, and how to correct it."""

    problem: str
    recovery: str


ComposerLine: TypeAlias = ComposerNote | ComposerCommand | ComposerCall | ComposerError


def parse(line: str, known: Mapping[str, str] = _SOME) -> ComposerLine:
    """What a line asks for. If it is wrong, the error's example is filled in from `known`."""
    text = line.strip()
    if text.startswith(":"):
        return _order(text[1:].strip())
    found = _OPERATION.match(text)
    if found:
        return _call(found[1], found[2], known)
    begun = _FIRST.match(text)
    if begun and begun[0] in BY_NAME:
        recovery = f"Example: {example(begun[0], known)}. A note starts with another word."
        return ComposerError(f"{begun[0]} takes a JSON object.", recovery)
    return ComposerNote(text)


def mark_of(line: str) -> str:
    """The mark that a line's kind begins with: a colon for a command, empty for a note or an operation."""
    return ":" if line.lstrip().startswith(":") else ""


def one_line(text: str) -> str:
    """A text of several lines as one: each line break with its indentation becomes a single space."""
    first, *more = _BREAKS.split(text)
    return " ".join(filter(None, (line.strip() for line in (first, *more)))) if more else text


def _order(text: str) -> ComposerCommand | ComposerError:
    word, _, rest = text.partition(" ")
    known = [name for name in COMMANDS if name == word] or [name for name in COMMANDS if name.startswith(word)]
    if not word or len(known) != 1:
        said = f":{word} is ambiguous" if word and known else f":{word} is not a command"
        return ComposerError(f"{said}.", f"Commands: {', '.join(f':{name}' for name in known or COMMANDS)}.")
    return ComposerCommand(known[0], rest.strip())


def _call(name: str, text: str | None, known: Mapping[str, str]) -> ComposerCall | ComposerError:
    if name not in BY_NAME:
        from difflib import get_close_matches

        close = get_close_matches(name, BY_NAME, n=1)
        hint = f"Did you mean {close[0]}?" if close else "Type its beginning and press Tab for a list."
        return ComposerError(f"Unknown operation {name}.", f"{hint} A note needs more than one word.")
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        return ComposerError(f"The arguments are not valid JSON: {error}.", f"Example: {example(name, known)}")
    return (
        ComposerCall(name, arguments)
        if isinstance(arguments, dict)
        else ComposerError("The arguments must be a JSON object.", "")
    )


def takes_revision(operation: str) -> bool:
    """Whether an operation can refuse to change a task that has changed since it was seen."""
    # The focus names a task, but has a revision of its own.
    return operation in BY_NAME and issubclass(BY_NAME[operation].command, Write) and operation != "tasks_focus_set"


def example(operation: str, known: Mapping[str, str]) -> str:
    """A call of an operation with its required arguments, filled in as far as they are known."""
    needed = [
        field.encode_name
        for field in fields(BY_NAME[operation].command)
        if field.default is NODEFAULT and field.default_factory is NODEFAULT and field.name != "workspace"
    ]
    names = [*needed, *("step_id" for _ in (1,) if "step_id" in known and operation == "tasks_note")]
    said = {name: known.get(name, "") for name in names}
    return f"{operation} {json.dumps(said, ensure_ascii=False)}"


def completions(line: str, ids: Iterable[str], past: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """Completions of a line, the likeliest first, as whole lines."""
    if not line:
        return []
    found: list[str] = []
    if line.startswith(":"):
        word, space, rest = line[1:].partition(" ")
        if not space:
            found += [f":{name}" for name in COMMANDS if name.startswith(word)]
        elif word in TAKING_IDS:
            found += [f":{word} {each}" for each in ids if each.casefold().startswith(rest.casefold())]
    elif len(line) >= _LEAST and " " not in line:
        found += [name for name in BY_NAME if name.startswith(line)]
    elif line.endswith(" ") and line.strip() in BY_NAME:
        found.append(example(line.strip(), known))
    else:
        found += _with_ids(line, ids)
    found += [each for each in reversed(past) if each.startswith(line)]
    return [each for each in dict.fromkeys(found) if each != line]


def _with_ids(line: str, ids: Iterable[str]) -> list[str]:
    begun = _ID.search(line)
    if begun is None:
        return []
    return [line[: begun.start()] + each for each in ids if each.startswith(begun[0])]
