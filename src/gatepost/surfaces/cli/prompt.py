"""Asking before something is taken away: what would happen, and whether it should."""

import sys

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.terminal import stdout


def agreed(preview: list[str], *, yes: bool, what: str) -> bool:
    """Show what would happen and ask, on a terminal; elsewhere `--yes` must have said it already."""
    terminal = stdout()
    if yes:
        return True
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadUsage(
            f"Not confirmed. {'; '.join(preview)}",
            "Add --yes, or use --dry-run to only see what would happen.",
        )
    for line in preview:
        terminal.say(terminal.clean(line))
    return input(f"{what}? [y/N] ").strip().lower() in ("y", "yes")
