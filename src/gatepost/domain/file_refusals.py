"""How changes of files are refused, beyond what the path itself is refused for."""

from gatepost.domain.refusals import CONFLICT, FORBIDDEN, Refusal


class EditMismatch(Refusal):
    """A text that an edit is to replace does not occur exactly once in the file."""

    code = "EDIT_MISMATCH"
    family = CONFLICT


class FileChanged(Refusal, OSError):
    """Somebody else changed the file between the reading and the writing of one call."""

    code = "FILE_CHANGED"
    family = CONFLICT


class ReadOnlyFiles(Refusal, PermissionError):
    """These files were opened to be read, and nothing else."""

    code = "READ_ONLY_FILES"
    family = FORBIDDEN

    def __init__(self) -> None:
        super().__init__("These files are read-only.", "Read, list and search them; leave changes to the user.")
