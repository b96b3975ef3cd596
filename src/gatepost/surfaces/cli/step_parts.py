"""New steps on a command line: each --step with the options behind it."""

from __future__ import annotations

from gatepost.surfaces.cli.errors import BadUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gatepost.operations.editable import NewStep
    from gatepost.surfaces.cli.parser import Parser

    Part = tuple[str, str]

_FIELDS = {"criteria": "criteria", "test": "tests", "check": "checks", "require": "required"}
_ABOUT = {
    "step": "a step; repeatable. What follows it belongs to it:",
    "criteria": "what must be true; repeatable",
    "test": "what shows that it is true; repeatable",
    "check": "a command that proves it, run by close --run; repeatable",
    "require": "also needs security, perf or docs; repeatable",
}


def declare(parser: Parser) -> None:
    """Declare the options that describe steps. They are kept in the order in which they were typed."""
    for name in ("step", *_FIELDS):
        metavar = {"step": "TITLE", "check": "CMD", "require": "NAME"}.get(name, "TEXT")
        parser.add_argument(
            f"--{name}", metavar=metavar, action="append", dest="parts", type=_part(name), help=_ABOUT[name]
        )


def new_steps(parts: Iterable[Part], title: str | None) -> tuple[NewStep, ...]:
    """The steps that the parts describe. What precedes the first --step belongs to a step with this title."""
    from gatepost.operations.check_fields import NewCheck
    from gatepost.operations.editable import NewStep

    found: list[tuple[str, dict[str, list[Any]]]] = []
    for name, text in parts:
        if name == "step":
            found.append((text, {}))
            continue
        if not found:
            if title is None:
                raise BadUsage(
                    f"--{name} precedes the first --step", f"Put it behind its step: --step … --{name} …"
                )
            found.append((title, {}))
        value = NewCheck(run=text) if name == "check" else text
        found[-1][1].setdefault(_FIELDS[name], []).append(value)
    return tuple(
        NewStep(title=step, **{field: tuple(values) for field, values in fields.items()}) for step, fields in found
    )


def _part(name: str) -> Callable[[str], Part]:
    def part(text: str) -> Part:
        return name, text

    return part
