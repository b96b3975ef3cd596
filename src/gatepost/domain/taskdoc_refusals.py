"""Refusals of taskdoc changes."""

from typing import Final

from gatepost.domain.refusals import CONFLICT, Refusal, Suggestion


class PackageIsTampered(Refusal):
    """Somebody changed a taskdoc's package, and the change is not resolved yet."""

    code = "PACKAGE_TAMPERED"
    family = CONFLICT

    def __init__(self, taskdoc: str, selector: str | None, kind: str, says: str) -> None:
        section = {} if selector is None else {"selector": selector}
        what = f"The taskdoc {taskdoc}" if selector is None else f"{selector} of {taskdoc}"
        super().__init__(
            f"{says} {what} is unchanged in the log.",
            settled_by(kind),
            Suggestion("recall_mind", {"taskdoc": taskdoc, **section}),
        )


def settled_by(kind: str) -> str:
    """What resolves a kind of finding about a package."""
    return _SETTLED_BY.get(kind, _BY_CHOICE)


_BY_CHOICE: Final = (
    "Read the section to see the difference. Then adopt the text on disk, or restore the log's text."
)
_BY_RESTORING: Final = "Restore the log's text."
_BY_RESTORING_ALL: Final = "Restore every file of the package, naming no section."
_BY_HAND: Final = "Fix this by hand, then send the call again."
_SETTLED_BY: Final = {
    "missing_section": _BY_RESTORING,
    "missing_package": _BY_RESTORING,
    "link": _BY_RESTORING,
    "meta_missing": _BY_RESTORING_ALL,
    "meta_changed": _BY_RESTORING_ALL,
    "strange_file": "Move it out of the package by hand, then send the call again.",
    "foreign": _BY_HAND,
    "unreadable": _BY_HAND,
    "moved": "Move it away by hand, then restore the package.",
    "checkout": (
        "Read the section to see the difference. Then adopt the text on disk to follow the checkout, or restore the"
        " log's text."
    ),
    "conflict": ("Resolve the conflict in the file and adopt the result, or restore the log's text."),
}


class TaskdocIsArchived(Refusal):
    """An archived taskdoc can be read but not changed."""

    code = "ARCHIVED"
    family = CONFLICT

    def __init__(self, taskdoc: str) -> None:
        super().__init__(
            f"The taskdoc {taskdoc} is archived.",
            "It can be read. To change it, take it out of the archive first.",
            Suggestion("recall_mind", {"taskdoc": taskdoc}),
        )
