"""What can be wrong with an export, and what can prevent an import."""

from gatepost.domain.refusals import CONFLICT, Refusal, StoreFault


class NotAnExport(Refusal):
    """The file is not an export that this version can read."""

    code = "NOT_AN_EXPORT"


class ExportDamaged(StoreFault):
    """The file is not as it was written: cut off, edited, or out of order. What differs is not imported."""

    code = "EXPORT_DAMAGED"

    def __init__(self, file: str, number: int, says: str) -> None:
        super().__init__(
            f"{file}, line {number:,}: {says}",
            "Export the workspace again, or copy the file again. What was imported before this line is correct, and"
            " the next import continues from there.",
            line=number,
        )


class ImportConflict(Refusal):
    """The store has a workspace of the same name whose log is not the beginning of the file's."""

    code = "IMPORT_CONFLICT"
    family = CONFLICT


class ImportMismatch(StoreFault):
    """What arrived in the store is not what the file says."""

    code = "IMPORT_MISMATCH"


class NothingExported(StoreFault):
    """The hash chain of a workspace is broken, so no import would accept an export of it."""

    code = "NOT_EXPORTED"
