"""How changes to taskdocs are refused: what somebody did to a package comes first, and an archived one rests."""

from typing import Final

from gatepost.domain.refusals import CONFLICT, Refusal, Suggestion


class PackageIsTampered(Refusal):
    """Somebody did something to a taskdoc's package, and nobody has said yet what becomes of that."""

    code = "PACKAGE_TAMPERED"
    family = CONFLICT

    def __init__(self, taskdoc: str, selector: str | None, kind: str, says: str) -> None:
        section = {} if selector is None else {"selector": selector}
        what = f"The taskdoc {taskdoc}" if selector is None else f"{selector} of {taskdoc}"
        super().__init__(
            f"{says} {what} stays as the log has it.",
            _SETTLED_BY.get(kind, _BY_CHOICE),
            Suggestion("recall_mind", {"taskdoc": taskdoc, **section}),
        )


_BY_CHOICE: Final = (
    "Look at the difference with recall_mind; then take it with taskdoc_adopt, or write the log's text back with"
    " taskdoc_restore."
)
_BY_RESTORING: Final = "Write the log's text back with taskdoc_restore."
_BY_RESTORING_ALL: Final = "Write every file of the package again with taskdoc_restore, without a selector."
_BY_HAND: Final = "Settle that by hand; then repeat the call."
_SETTLED_BY: Final = {
    "missing_section": _BY_RESTORING,
    "missing_package": _BY_RESTORING,
    "link": _BY_RESTORING,
    "meta_missing": _BY_RESTORING_ALL,
    "meta_changed": _BY_RESTORING_ALL,
    "strange_file": "Move it out of the package by hand; then repeat the call.",
    "foreign": _BY_HAND,
    "unreadable": _BY_HAND,
    "moved": "Move it away by hand; then write the package again with taskdoc_restore.",
    "checkout": (
        "Look at the difference with recall_mind; then follow the checkout with taskdoc_adopt, or keep the log's"
        " text with taskdoc_restore."
    ),
    "conflict": (
        "Resolve the conflict in the file and take the result with taskdoc_adopt, or write the log's text back with"
        " taskdoc_restore."
    ),
}


class TaskdocIsArchived(Refusal):
    """An archived taskdoc is read, and not changed."""

    code = "ARCHIVED"
    family = CONFLICT

    def __init__(self, taskdoc: str) -> None:
        super().__init__(
            f"The taskdoc {taskdoc} is archived.",
            "Read it with recall_mind; to change it, bring it back with taskdoc_archive and archived false.",
            Suggestion("recall_mind", {"taskdoc": taskdoc}),
        )
