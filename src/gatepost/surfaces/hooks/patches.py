"""Finds the files that a patch names. The lines in its body are text."""

from __future__ import annotations

from gatepost.surfaces.hooks.written_paths import unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

_ENVELOPE: Final = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "*** Rename to:")
_MOST_CUTS: Final = 64
_GIT: Final = ("rename from ", "rename to ", "copy from ", "copy to ", "Index: ")


def named_files(patch: str) -> Iterator[str]:
    """The files that a patch reads, writes, moves or deletes, with and without git's `a/` and `b/`."""
    lines = patch.splitlines()
    if any(line.lstrip().startswith(_ENVELOPE) for line in lines):
        yield from _in_envelope(lines)
    else:
        yield from _in_diff(lines)


def _in_envelope(lines: list[str]) -> Iterator[str]:
    for line in lines:
        plain = line.strip()
        if plain.startswith(_ENVELOPE):
            yield plain.partition(":")[2].strip()


def _in_diff(lines: list[str]) -> Iterator[str]:
    """A removed line may look like a header (`--- x`), so a header counts only together with its second line."""
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if line.startswith("diff --git "):
            yield from _both(line[len("diff --git ") :])
        elif line.startswith(_GIT):
            yield from _spellings(line.split(" ", 2)[-1])
        elif line.startswith(("--- ", "*** ")) and following.startswith(("+++ ", "--- ")):
            yield from _spellings(line[4:])
            yield from _spellings(following[4:])


def _both(names: str) -> Iterator[str]:
    """Names with spaces make `a/x b/y` ambiguous: every split is checked."""
    words = names.split(" ")
    if len(words) > _MOST_CUTS:
        yield from words
        return
    for index in range(1, len(words)):
        yield from _spellings(" ".join(words[:index]))
        yield from _spellings(" ".join(words[index:]))


def _spellings(name: str) -> Iterator[str]:
    plain = name.partition("\t")[0].strip()
    if plain.startswith('"') and plain.endswith('"'):
        plain = unescaped(plain[1:-1])
    yield plain
    if "/" in plain:
        yield plain.split("/", 1)[1]
