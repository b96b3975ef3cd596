"""The page of all errors, by code: what each means, the messages it comes with, and what to do.

Messages and recoveries are read from the source, where each is written once; `…` is a value. What a person
needs to know beyond them is in `errors.toml`.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from gatepost.domain import refusals
from gatepost.domain.refusals import Refusal
from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY
from gatepost.surfaces.http.problems import status_of

_SOURCE: Final = Path(__file__).parent.parent / "src"
_ADVICE: Final = Path(__file__).with_name("errors.toml")
_CLASS: Final = re.compile(r"^class (\w+)\(([^)]*)\)", re.MULTILINE)
_MESSAGES: Final = ("message", "what")
_LEAST: Final = 4
"""Letters that a message must have of its own to be worth searching for."""

_INTRODUCTION: Final = """\
# Errors by code

Every error has a code, a message with your own values, and the next step. Search this page for the code or for a
part of the message. `…` is a value. Agents get these words; in your terminal, `gatepost`
shows the command for the next step below them. [Troubleshooting](troubleshooting.md) begins with what you see
instead. This page is generated from the source by `make generate`.

On the command line, errors go to stderr, or to stdout as JSON with `--json`, and the exit code follows from the
kind. A refused call has changed nothing; only the run of a failed check is recorded.
"""
_FAMILIES: Final = {
    refusals.CONFLICT: "The state of the work does not allow it",
    refusals.FORBIDDEN: "You may not do it",
    refusals.UNKNOWN: "It does not exist",
    refusals.INVALID: "The call is not valid",
    refusals.BUSY: "Others are faster",
    refusals.STORE: "The store or the disk does not allow it",
}


ELSEWHERE: Final = (
    ("ADDRESS_TAKEN", "", "The address for `gatepost up` is already in use."),
    ("FORBIDDEN_HOST", "403", "The request names a host that is not this server's."),
    ("FORBIDDEN_ORIGIN", "403", "The request comes from a page of another site."),
    ("INTERNAL_ERROR", "500", "An internal error; find the id in the server's log."),
    ("PAGE_SESSION_ENDED", "403", "The page's cookie is missing or from an earlier run of the server. Reload."),
    ("RATE_LIMITED", "429", "Too many calls. Reserved: Gatepost answers `BUSY` today."),
    ("UNAUTHORIZED", "401", "The server requires a token."),
    ("resume_window_exceeded", "409", "The stream cannot resume from there. Reconnect without a position."),
)
"""Errors that occur before an operation runs: code, HTTP status, and when."""


class Said(NamedTuple):
    """A message, and what to do, if the source says both."""

    message: str
    recovery: str | None


def page() -> str:
    """The whole page."""
    with _ADVICE.open("rb") as file:
        advice: dict[str, str] = tomllib.load(file)
    classes = kinds()
    said = _messages()
    unknown = advice.keys() - classes.keys()
    if unknown:
        raise ValueError(f"docs/errors.toml: there is no {', '.join(sorted(unknown))}")
    parts = [_INTRODUCTION]
    for family, title in _FAMILIES.items():
        parts += [f"## {title}", ""]
        parts += [
            _entry(code, kind, said.get(code, ()), advice.get(code))
            for code, kind in sorted(classes.items())
            if kind.family == family
        ]
    parts += ["## Before a call is made", "", "A server or `gatepost up` says these.", "", "| code | HTTP | when |"]
    parts += ["|---|---|---|", *(f"| `{code}` | {status} | {when} |" for code, status, when in ELSEWHERE), ""]
    return "\n".join(parts)


def kinds() -> dict[str, type[Refusal]]:
    """The refusals of each code."""
    return {Refusal.code: refusals.InvalidInput} | _below(Refusal)


def _below(kind: type[Refusal]) -> dict[str, type[Refusal]]:
    """By the most special one of a code that names the code itself."""
    known = _classes().values()
    children = [child for child in kind.__subclasses__() if child in known]
    below = {code: one for child in children for code, one in _below(child).items()}
    if "code" in vars(kind):
        below = {code: one for code, one in below.items() if code != kind.code or "code" in vars(one)}
    return below if kind is Refusal else {kind.code: kind, **below}


def _entry(code: str, kind: type[Refusal], said: tuple[Said, ...], advice: str | None) -> str:
    if advice is None and not any(one.recovery for one in said):
        raise ValueError(f"docs/errors.toml: say what to do about {code}")
    meaning = (kind.__doc__ or "").partition("\n")[0]
    lines = [
        f"### `{code}`",
        "",
        f"{meaning} *HTTP {status_of(kind)}, exit code {EXIT_OF_FAMILY[kind.family]}*",
        "",
    ]
    if advice is not None:
        lines += [advice.strip(), ""]
    if said:
        lines += ["| message | what to do |", "|---|---|"]
        lines += [f"| {_cell(one.message)} | {_cell(one.recovery or '')} |" for one in said]
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """A cell of a table. Code is shown as it is, but a bar would end the cell even there."""
    plain = re.sub(r"(`[^`]*`)|([<>*])", lambda found: found[1] or f"\\{found[2]}", re.sub(r"\s+", " ", text))
    return plain.replace("|", r"\|")


@cache
def _texts() -> dict[str, str]:
    """The source of each module."""
    return {
        ".".join(path.relative_to(_SOURCE).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted((_SOURCE / "gatepost").rglob("*.py"))
    }


@cache
def _classes() -> dict[str, type[Refusal]]:
    """Every kind of refusal in the source, by its name. The modules that define them are imported here."""
    defined = [(module, *found) for module, text in _texts().items() for found in _CLASS.findall(text)]
    names, before = {"Refusal"}, 0
    while len(names) > before:
        before = len(names)
        names |= {name for _, name, bases in defined if names & set(re.findall(r"\w+", bases))}
    found = {}
    for module, name, _ in defined:
        kind = getattr(import_module(module), name, None) if name in names else None
        if isinstance(kind, type) and issubclass(kind, Refusal) and kind is not Refusal:
            found[name] = kind
    return found


def _messages() -> dict[str, tuple[Said, ...]]:
    """What each code says, from where it is raised and from its class."""
    classes = _classes()
    named = re.compile("|".join(rf"\b{name}\b" for name in classes))
    found: dict[str, set[Said]] = {}
    for text in _texts().values():
        for node in ast.walk(ast.parse(text)) if named.search(text) else ():
            for name, call in _raised(node, classes):
                found.setdefault(classes[name].code, set()).update(call)
    return {
        code: tuple(sorted(said, key=lambda one: (one.message, one.recovery or ""))) for code, said in found.items()
    }


def _raised(node: ast.AST, classes: dict[str, type[Refusal]]) -> Iterator[tuple[str, list[Said]]]:
    """The words of a class, if the node is one, or of a call that makes one."""
    if isinstance(node, ast.ClassDef) and node.name in classes:
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
                own = [one for one in call.args if not (isinstance(one, ast.Name) and one.id == "self")]
                yield node.name, _said(own[:1], own[1:2])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes:
        names = list(inspect.signature(classes[node.func.id]).parameters)
        at = next((names.index(name) for name in _MESSAGES if name in names), None)
        if at is not None:
            then = node.args[at + 1 : at + 2] if names[at + 1 : at + 2] == ["recovery"] else []
            yield node.func.id, _said(node.args[at : at + 1], then)


def _said(messages: list[ast.expr], recoveries: list[ast.expr]) -> list[Said]:
    spoken = [text for one in messages for text in _forms(one)]
    then = [text for one in recoveries for text in _forms(one)]
    pairs = zip_longest(spoken, then, fillvalue=then[-1] if then else None) if spoken else ()
    return [
        Said(message, recovery)
        for message, recovery in pairs
        if message is not None and len(re.findall(r"[A-Za-z]", message)) >= _LEAST
    ]


def _forms(node: ast.expr) -> list[str]:
    """The text that an expression stands for, in each of its forms; none where the source does not show it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        parts = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values]
        return [re.sub("…+", "…", "".join(parts))]
    if isinstance(node, ast.IfExp):
        return [*_forms(node.body), *_forms(node.orelse)]
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in _forms(value)]
    return []
