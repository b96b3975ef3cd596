"""Figures: what was measured, against what, what it should be, and whether it is."""

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import apsw

from gatepost import __version__

Unit = Literal["µs", "ms", "s", "MiB", "calls/s", "calls", "round trips", "characters", "%"]

TIMES: Final = "\N{MULTIPLICATION SIGN}"
_PLACES: Final[dict[Unit, int]] = {
    "µs": 0,
    "ms": 2,
    "s": 2,
    "MiB": 1,
    "calls/s": 0,
    "calls": 0,
    "round trips": 0,
    "characters": 0,
    "%": 0,
}
_HEADINGS: Final = ("what", "figure", "ratio", "aim", "holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A bound that a figure should keep."""

    sign: Literal["≤", "≥", "<"]
    bound: float
    unit: str = TIMES

    def holds(self, value: float) -> bool:
        """Whether a value keeps the bound."""
        if self.sign == "≥":
            return value >= self.bound
        return value < self.bound if self.sign == "<" else value <= self.bound

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}{self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: Unit
    ratio: float | None = None
    aim: str | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The figures of one benchmark, and what else there is to say about them."""

    name: str
    figures: Sequence[Figure]
    notes: Sequence[str] = ()


def compared(what: str, value: float, unit: Unit, base: float, aim: Aim | None = None) -> Figure:
    """A figure that is judged by its ratio to another one of the same run."""
    ratio = value / base if base else float("inf")
    return _figure(what, value, unit, ratio, aim, ratio)


def alone(what: str, value: float, unit: Unit, aim: Aim | None = None) -> Figure:
    """A figure that is judged by itself."""
    return _figure(what, value, unit, None, aim, value)


def median(seconds: Sequence[float], unit: Literal["µs", "ms"]) -> float:
    """The middle one of many timings."""
    return statistics.median(seconds) * (1e6 if unit == "µs" else 1e3)


def table(sections: Sequence[Section]) -> str:
    """Everything in aligned columns, and then plainly what did not hold."""
    lines = [_HEADINGS, *(_cells(figure) for section in sections for figure in section.figures)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    shown = [_aligned(line, widths) for line in lines]
    shown.insert(1, "  ".join("─" * width for width in widths))
    notes = [f"{section.name}: {note}" for section in sections for note in section.notes]
    return "\n".join([*shown, "", *notes, *_verdict(sections)])


def report(sections: Sequence[Section], form: str) -> dict[str, Any]:
    """Everything as data, with the machine it was measured on."""
    return {"form": form, "machine": machine(), "sections": [asdict(section) for section in sections]}


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "gatepost": __version__,
    }


def _figure(what: str, value: float, unit: Unit, ratio: float | None, aim: Aim | None, judged: float) -> Figure:
    if aim is None:
        return Figure(what=what, value=value, unit=unit, ratio=ratio)
    return Figure(what=what, value=value, unit=unit, ratio=ratio, aim=str(aim), holds=aim.holds(judged))


def _cells(figure: Figure) -> tuple[str, ...]:
    return (
        figure.what,
        f"{figure.value:,.{_PLACES[figure.unit]}f} {figure.unit}",
        "" if figure.ratio is None else f"{figure.ratio:.2f}{TIMES}",
        figure.aim or "",
        "" if figure.holds is None else "yes" if figure.holds else "NO",
    )


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    what, *numbers, holds = (
        cell.rjust(width) if column in (1, 2) else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([what, *numbers, holds]).rstrip()


def _verdict(sections: Sequence[Section]) -> list[str]:
    judged = [figure for section in sections for figure in section.figures if figure.holds is not None]
    failed = [figure for figure in judged if not figure.holds]
    if not failed:
        return [f"All {len(judged)} aims hold."] if judged else []
    words = [f"{len(failed)} of {len(judged)} aims do NOT hold:"]
    for figure in failed:
        what, value, ratio, aim, _ = _cells(figure)
        words.append(f"  {what}: {ratio or value}, should be {aim}")
    return words
