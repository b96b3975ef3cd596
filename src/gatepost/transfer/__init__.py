"""Carry workspaces from one store to another, whole, through a file.

It uses nothing but the storage port, so it works between any two kinds of stores.
"""

from gatepost.transfer.exporter import EXPORT_FORMATS, Exported, export_workspaces
from gatepost.transfer.importer import IMPORT_FORMATS, Imported, import_workspaces
from gatepost.transfer.line_reader import DATABASE

__all__ = [
    "DATABASE",
    "EXPORT_FORMATS",
    "IMPORT_FORMATS",
    "Exported",
    "Imported",
    "export_workspaces",
    "import_workspaces",
]
