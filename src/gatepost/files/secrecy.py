"""Private keys in files: a window or a line may begin inside of one, so the file is asked where they stand."""

from collections.abc import Callable, Sequence
from typing import Final

from gatepost.files.protocol import Filesystem, Match
from gatepost.wire.rendering import plain
from gatepost.wire.secrets import MASK

_BORDER: Final = r"-----(BEGIN|END) [A-Z ]*PRIVATE KEY( BLOCK)?-----"
_MOST: Final = 10_000


def shown(files: Filesystem, path: str, content: str, offset: int) -> str:
    """A window of a file's lines without secrets, line for line."""
    hidden = _hidden(files, path)
    *ended, rest = content.split("\n")
    lines = [MASK if hidden(offset + at + 1) else line for at, line in enumerate((*ended, rest))]
    if not rest:
        lines[-1] = ""
    masked: str = plain("\n".join(lines))
    return masked


def shown_matches(files: Filesystem, found: Sequence[Match]) -> list[Match]:
    """Found lines without those of private keys."""
    hidden = {path: _hidden(files, path) for path in {match.path for match in found}}
    return [match._replace(text=MASK) if hidden[match.path](match.line) else match for match in found]


def _hidden(files: Filesystem, path: str) -> Callable[[int], bool]:
    """Whether a line is one of a private key; one that does not end goes on to the end of the file."""
    borders = files.grep(_BORDER, path, limit=_MOST)
    spans: list[tuple[int, float]] = []
    for border in borders:
        if spans and spans[-1][1] == float("inf") and "-----END" in border.text:
            spans[-1] = (spans[-1][0], border.line)
        if "-----BEGIN" in border.text and not (spans and spans[-1][1] == float("inf")):
            ends_there = border.text.rfind("-----END") > border.text.rfind("-----BEGIN")
            spans.append((border.line, border.line if ends_there else float("inf")))
    return lambda line: any(first <= line <= last for first, last in spans)
