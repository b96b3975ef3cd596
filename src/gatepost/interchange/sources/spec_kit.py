"""spec-kit: the `tasks.md` of a feature."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from gatepost.interchange.items import Criterion, Item, Loss, PlanItem, Reading, state_of
from gatepost.interchange.markdown_lists import MarkdownSection, items_of, sections
from gatepost.interchange.source_files import SourceFile, SourceUnreadable

LABEL = "spec-kit"
PLACES = ("specs/*/tasks.md", "tasks.md")

_TASK: Final = re.compile(r"^(T\d+)\b")
_LINE: Final = re.compile(r"^[ \t]*[-*] \[[ xX]\] \**T\d{3,}\b", re.MULTILINE)
_NEEDS: Final = re.compile(r"\(depends on ([^()]*)\)", re.IGNORECASE)
_TEST: Final = re.compile(r"^\*\*Independent Test\*\*:?\s*(.+)$", re.MULTILINE)
_PHASE: Final = 2


def is_mine(file: SourceFile) -> bool:
    """Whether it has boxes with spec-kit's numbers."""
    return Path(file.name).name == "tasks.md" and _LINE.search(file.text) is not None


def read(files: Sequence[SourceFile]) -> Reading:
    """A plan for each feature, a task for each phase, a step for each numbered task."""
    plans: list[PlanItem] = []
    items: list[Item] = []
    losses: list[Loss] = []
    for file in files:
        phases, prose = _phases(sections(file.text))
        if not phases:
            raise SourceUnreadable(f"{file.name} has no tasks.", "Name the tasks.md of a feature of spec-kit.")
        feature = Path(file.folder).name
        title = next((part.title for part, _ in phases if part.level == 1), "") or _title(file.text) or feature
        plans.append(PlanItem(key=feature, title=title, context="\n\n".join(prose)))
        items += [_task(feature, phase, below) for phase, below in phases]
    return Reading(plans=tuple(plans), items=tuple(items), losses=tuple(losses))


def _title(text: str) -> str:
    return next((part.title.removeprefix("Tasks: ") for part in sections(text) if part.level == 1), "")


def _phases(parts: Sequence[MarkdownSection]) -> tuple[list[tuple[MarkdownSection, tuple[Item, ...]]], list[str]]:
    """The sections with tasks, each with those of the sections below it; and the text of all others."""
    phases: list[tuple[MarkdownSection, tuple[Item, ...]]] = []
    prose: list[str] = []
    for part in parts:
        below = items_of(part.checklist)
        inside = part.level > _PHASE and bool(phases) and phases[-1][0].level < part.level
        if below and inside:
            phase, before = phases[-1]
            phases[-1] = (phase, (*before, *map(_named, below)))
        elif below:
            phases.append((part, tuple(map(_named, below))))
        elif part.level == _PHASE and part.title.startswith("Phase"):
            phases.append((part, ()))
        if part.prose and not (below and not inside) and not part.title.startswith("Phase"):
            prose.append(f"## {part.title}\n\n{part.prose}" if part.title else part.prose)
    return [phase for phase in phases if phase[1]], prose


def _named(item: Item) -> Item:
    """A task by its number. Its title keeps the number, the marks and the paths, as people know it."""
    number, needed = _TASK.match(item.title), _NEEDS.search(item.title)
    return replace(
        item,
        key=number[1] if number else "",
        title=item.title[number.end() :].strip() if number else item.title,
        blockers=tuple(f"{name.strip()} is done" for name in needed[1].split(",") if name.strip())
        if needed
        else (),
        items=tuple(map(_named, item.items)),
    )


def _task(feature: str, phase: MarkdownSection, below: tuple[Item, ...]) -> Item:
    test = _TEST.search(phase.prose)
    return Item(
        key=f"{feature}/{phase.title}",
        title=phase.title or feature,
        state=state_of(below),
        description=phase.prose,
        tests=(Criterion(test[1].strip()),) if test else (),
        plan=feature,
        items=below,
    )
