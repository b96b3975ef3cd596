"""Two texts, compared."""

from typing import Final

_MOST_COMPARED: Final = 200_000
"""Characters of two texts together: comparing grows with their product."""


def diff(name: str, selector: str, old: str, new: str, before: str, after: str) -> str:
    """Two texts of a section as a unified diff, unless they are too long."""
    if len(old) + len(new) > _MOST_COMPARED:
        return f"{len(old):,} characters ({before}) and {len(new):,} ({after}): too long to compare here\n"
    return unified(old, new, f"{name}/{selector} ({before})", f"{name}/{selector} ({after})")


def unified(old: str, new: str, before: str, after: str) -> str:
    """Two texts under their titles, as a unified diff; a last line without a line feed is marked."""
    from difflib import unified_diff

    lines = unified_diff(_lines(old), _lines(new), before, after)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Lines end with a line feed and nothing else."""
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])
