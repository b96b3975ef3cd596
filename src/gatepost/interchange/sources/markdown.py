"""Markdown of any kind: the checklists in it."""

from collections.abc import Sequence

from gatepost.interchange.items import Item, Loss, PlanItem, Reading, state_of
from gatepost.interchange.markdown_lists import MarkdownSection, items_of, sections
from gatepost.interchange.source_files import SourceFile, SourceUnreadable

LABEL = "Markdown"
PLACES = ("*.md",)

_BELOW_TITLE = 2


def is_mine(file: SourceFile) -> bool:
    """Whether it has a box."""
    return file.name.lower().endswith((".md", ".markdown")) and any(
        section.checklist for section in sections(file.text)
    )


def read(files: Sequence[SourceFile]) -> Reading:
    """A task for each heading with a checklist, a plan for each file with several of them."""
    plans: list[PlanItem] = []
    items: list[Item] = []
    losses: list[Loss] = []
    for file in files:
        parts = sections(file.text)
        lists = [part for part in parts if part.checklist]
        if not lists:
            raise SourceUnreadable(f"{file.name} has no checklist.", "A checklist has lines such as `- [ ] Task`.")
        top = next((part.title for part in parts if part.title), "") or file.stem
        plan = file.name if len(lists) > 1 else None
        if plan is not None:
            plans.append(
                PlanItem(key=plan, title=top, description="\n\n".join(part.prose for part in _opening(parts)))
            )
        used: dict[str, int] = {}
        for part in lists:
            used[part.title] = used.get(part.title, 0) + 1
            again = f" ({used[part.title]})" if used[part.title] > 1 else ""
            below = items_of(part.checklist)
            items.append(
                Item(
                    key=f"{file.name}#{part.title}{again}",
                    title=(part.title or top) + again,
                    state=state_of(below),
                    description=part.prose,
                    plan=plan,
                    items=below,
                )
            )
        losses += [
            Loss("text without a checklist", f"{file.name}: {part.title or 'at the top'}")
            for part in parts
            if part.prose and not part.checklist and not (plan is not None and part in _opening(parts))
        ]
    return Reading(plans=tuple(plans), items=tuple(items), losses=tuple(losses))


def _opening(parts: Sequence[MarkdownSection]) -> list[MarkdownSection]:
    """The text before the first checklist that is about the whole file: at its top, and below its title."""
    return [part for part in parts[:2] if part.prose and not part.checklist and part.level < _BELOW_TITLE]
