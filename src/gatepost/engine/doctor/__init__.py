"""The doctor: does the store hold what its own history says, and is everything derived as it should be?

It never stops at damage: what cannot be read is a finding, and the rest is checked all the same. Tables are read in
order, and only what is counted is kept in memory, never the documents.
"""

from gatepost.engine.doctor.checkup import check_store, examine
from gatepost.engine.doctor.findings import Checkup, DoctorFinding, Report
from gatepost.engine.doctor.repair import Repair, repair

__all__ = ["Checkup", "DoctorFinding", "Repair", "Report", "check_store", "examine", "repair"]
