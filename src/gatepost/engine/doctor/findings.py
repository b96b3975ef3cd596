"""What the doctor reports."""

from collections.abc import Sequence
from typing import NamedTuple


class DoctorFinding(NamedTuple):
    """Something wrong. Derived data can be repaired."""

    code: str
    where: str
    says: str
    mendable: bool = False


class DoctorReport(NamedTuple):
    """What was checked in a workspace, what was found, and where its log ends. Notes do not make it unsound."""

    workspace: str
    checked: dict[str, int]
    findings: list[DoctorFinding]
    log: dict[str, int | str]
    notes: Sequence[DoctorFinding] = ()


class Checkup(NamedTuple):
    """A whole store: what is wrong with its file, and a report for each workspace."""

    store: list[DoctorFinding]
    workspaces: list[DoctorReport]

    @property
    def findings(self) -> list[DoctorFinding]:
        """All findings."""
        return [*self.store, *(finding for report in self.workspaces for finding in report.findings)]
