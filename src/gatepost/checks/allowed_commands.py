"""Which commands an allow-list permits: words are compared, never text.

An entry permits every command that begins with its words. A path is another word than a name: `./pytest` and
`/tmp/pytest` are not `pytest`.
"""

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final

Words = tuple[str, ...]

MOST: Final = 100
_LONGEST: Final = 1_000
_LONGEST_PROPOSAL: Final = 120
_SHELL: Final = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>&1"})
_PLAIN: Final = re.compile(r"[a-z][a-z0-9:_-]*")
_FOR_OTHERS: Final = re.compile(
    r"(?:ba|da|z|k|c|tc|fi)?sh|python[0-9.]*|pypy[0-9.]*|node|deno|bun|ruby|perl|php|lua|env|sudo|doas|su|xargs|nice"
    r"|nohup|timeout|time|npx|pnpx|bunx|uvx|pipx|watch|ssh|docker|podman|eval|exec|command"
)
"""Programs that run what their arguments name."""
_RUNS: Final = ("run", "exec", "x", "dlx")


def split(line: str) -> Words:
    """The words of an entry. Raises ValueError with what is wrong."""
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ValueError(f"{line!a} has an open quote: {error}") from None
    if not words or not words[0]:
        raise ValueError("a command needs at least one word")
    if len(line) > _LONGEST or not line.isprintable():
        raise ValueError(f"{line[:40]!a} is not a command of at most {_LONGEST:,} printable characters")
    if _SHELL.intersection(words):
        raise ValueError(f"{line!a} needs a shell, and Gatepost runs no shell; allow each command by itself")
    return words


def permits(entries: Iterable[Words], argv: Sequence[str]) -> bool:
    """Whether a command begins with the words of an entry."""
    return any(entry and entry == tuple(argv[: len(entry)]) for entry in entries)


def permits_anything(words: Words) -> bool:
    """Whether an entry permits any program: it ends before a program is named."""
    return _runs_others(words) and all(word.startswith("-") or word in _RUNS for word in words[1:])


def entry_for(argv: Sequence[str]) -> str | None:
    """An entry that permits a command and not much more, or None if it would be too long to read."""
    words = tuple(argv)
    if not _runs_others(words):
        words = words[: 2 if len(words) > 1 and _PLAIN.fullmatch(words[1]) else 1]
    line = shlex.join(words)
    return line if len(line) <= _LONGEST_PROPOSAL and line.isprintable() else None


def _runs_others(words: Words) -> bool:
    return bool(_FOR_OTHERS.fullmatch(os.path.basename(words[0]))) or not set(_RUNS).isdisjoint(words[1:2])
