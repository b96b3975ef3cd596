"""`gatepost __complete SHELL WORD…`: what the last word may become, one a line; of bash, `LINE POINT BREAKS`.

A candidate is followed by a tab and by what it is, where the shell shows that. The line `*files` leaves the
word to the shell's own completion of file names. Whatever goes wrong, a shell is not written into: there are no
candidates then, and GATEPOST_DEBUG=1 shows why.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.cli.completion.candidates import Candidate

MOST = 200
_WIDEST = 60


def run(words: list[str]) -> int:
    """Print the candidates. Always 0; never an exception."""
    try:
        lines = _lines(words)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - the edge: somebody is typing, and whatever this says would stand in it
        if os.environ.get("GATEPOST_DEBUG", "") not in ("", "0"):
            from gatepost.surfaces.faults import report

            report("while completing", error)
    return 0


def _lines(words: list[str]) -> list[str]:
    from gatepost.surfaces.cli.completion.candidates import FILES, candidates

    shell, *rest = words or [""]
    if shell == "bash":
        from gatepost.surfaces.cli.completion.bash_words import split

        line, point, breaks = rest
        typed, kept = split(line, int(point), breaks)
    else:
        typed, kept = rest or [""], 0
    found = candidates(typed)
    if found is FILES:
        return ["*files"]
    # bash replaces only the text after its last word break, so the text before it is left out.
    return [word[kept:] for word, _ in found[:MOST]] if shell == "bash" else _described(found[:MOST])


def _described(found: list[Candidate]) -> list[str]:
    """Each candidate with what it is: in one short line that does nothing but show."""
    from gatepost.surfaces.terminal import stdout

    terminal = stdout()
    abouts = [terminal.clip(terminal.clean(" ".join(about.split())), _WIDEST) for _, about in found]
    return [f"{word}\t{about}" if about else word for (word, _), about in zip(found, abouts, strict=True)]
