"""Print the core's line coverage by folder, from slipcover's JSON, and fail if the total is below the floor."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

FLOOR = 93.5
"""Percent of lines. Raise it when coverage rises."""


def by_folder(report: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """The executed lines and all lines of each folder below `gatepost`."""
    executed: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for name, file in report["files"].items():
        folder = name.partition("gatepost/")[2].partition("/")[0]
        executed[folder] += len(file["executed_lines"])
        every[folder] += len(file["executed_lines"]) + len(file["missing_lines"])
    return {folder: (executed[folder], every[folder]) for folder in sorted(every)}


def main(path: str) -> int:
    """Print the table."""
    folders = by_folder(json.loads(Path(path).read_text(encoding="utf-8")))
    for folder, (executed, every) in folders.items():
        print(f"  {folder:12} {100 * executed / every:5.1f} % of {every:,} lines")
    total = 100 * sum(executed for executed, _ in folders.values()) / sum(every for _, every in folders.values())
    if total < FLOOR:
        print(f"Coverage of the core is {total:.1f} %, and the floor is {FLOOR} %. Add tests.", file=sys.stderr)
        return 1
    print(f"Coverage of the core: {total:.1f} %. The floor is {FLOOR} %.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
