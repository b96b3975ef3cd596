"""`gatepost redo`: the other half of `gatepost undo`."""

from gatepost.surfaces.cli.commands.undo import declare, run

__all__ = ["declare", "run"]
