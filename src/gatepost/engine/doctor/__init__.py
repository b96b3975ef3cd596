"""The doctor: does the store match its history, and is all derived data right?

It never stops at damage: unreadable rows are findings, and the rest is still checked. It reads tables in order and
keeps only counts in memory, never the documents.
"""

from gatepost.engine.doctor.checkup import check_log, check_store, examine
from gatepost.engine.doctor.findings import Checkup, DoctorFinding, DoctorReport
from gatepost.engine.doctor.repair import Repair, repair

__all__ = ["Checkup", "DoctorFinding", "DoctorReport", "Repair", "check_log", "check_store", "examine", "repair"]
