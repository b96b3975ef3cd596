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
            _SETTLED_BY.get(kind, _BY_CHOICE),
            Suggestion("recall_mind", {"taskdoc": taskdoc, **section}),
        )


_BY_CHOICE: Final = (
    "See the difference with recall_mind. Then accept it with taskdoc_adopt, or restore the log's text with"
    " taskdoc_restore."
)
_BY_RESTORING: Final = "Restore the log's text with taskdoc_restore."
_BY_RESTORING_ALL: Final = "Restore every file of the package: call taskdoc_restore without a selector."
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
    "moved": "Move it away by hand, then restore the package with taskdoc_restore.",
    "checkout": (
        "See the difference with recall_mind. Then follow the checkout with taskdoc_adopt, or keep the log's text"
        " with taskdoc_restore."
    ),
    "conflict": (
        "Resolve the conflict in the file and accept the result with taskdoc_adopt, or restore the log's text with"
        " taskdoc_restore."
    ),
}


class TaskdocIsArchived(Refusal):
    """An archived taskdoc can be read but not changed."""

    code = "ARCHIVED"
    family = CONFLICT

    def __init__(self, taskdoc: str) -> None:
        super().__init__(
            f"The taskdoc {taskdoc} is archived.",
            "Read it with recall_mind. To change it, unarchive it first: call taskdoc_archive with archived false.",
            Suggestion("recall_mind", {"taskdoc": taskdoc}),
        )
