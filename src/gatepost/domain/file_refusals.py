"""Refusals of file changes, other than those about the path."""

from gatepost.domain.refusals import CONFLICT, FORBIDDEN, Refusal


class EditMismatch(Refusal):
    """The text to replace does not occur exactly once in the file."""

    code = "EDIT_MISMATCH"
    family = CONFLICT


class FileChanged(Refusal, OSError):
    """Another program changed the file during this call."""

    code = "FILE_CHANGED"
    family = CONFLICT


class ReadOnlyFiles(Refusal, PermissionError):
    """These files were opened read-only."""

    code = "READ_ONLY_FILES"
    family = FORBIDDEN

    def __init__(self) -> None:
        super().__init__("These files are read-only.", "Read, list and search them; leave changes to the user.")
