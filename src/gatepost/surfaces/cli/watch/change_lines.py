"""Changes of lists, a line each: for pipes, and terminals that cannot rewrite a line."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from gatepost.surfaces.cli.watch.panel import Why, progress, sign
from gatepost.surfaces.terminal import Terminal, columns, pad
from gatepost.todo import Status, TodoItem
from gatepost.todo.scopes import counted

_MOST: Final = 50
"""At most this many changes of one update are printed one by one; a list of thousands may be replaced at once."""
_KEY: Final = 10
_WORD: Final = 13
_WORDS: Final = {Status.IN_PROGRESS: "in progress"}


def first_sight(terminal: Terminal, key: str, label: str, items: Sequence[TodoItem]) -> str:
    """A list that was not known before."""
    done, total = progress(counted(items))
    said = f"{done}/{total} done"
    return line(terminal, key, terminal.glyphs.dot, said, "" if label == key else label)


def changes(
    terminal: Terminal, key: str, before: Sequence[TodoItem], after: Sequence[TodoItem], why: Why
) -> list[str]:
    """What leads from one list to the next; nothing where they look alike."""
    if before and not after:
        return [line(terminal, key, "-", "cleared", "")]
    found = _differences(terminal, key, before, after, why)
    listed = list(islice(found, _MOST))
    more = sum(1 for _ in found)
    return [*listed, line(terminal, key, terminal.glyphs.more, f"{more} more", "")] if more else listed


def _differences(
    terminal: Terminal, key: str, before: Sequence[TodoItem], after: Sequence[TodoItem], why: Why
) -> Iterator[str]:
    old, new = {item.id: item for item in before}, {item.id: item for item in after}
    for item in before:
        if item.id not in new:
            yield line(terminal, key, "-", "removed", item.title)
    for item in after:
        was = old.get(item.id)
        if was is None:
            yield line(terminal, key, "+", "added", item.title)
        elif was.title != item.title:
            yield line(terminal, key, "~", "renamed", item.title)
        if (was is None and item.status is not Status.TODO) or (was is not None and was.status != item.status):
            reason = why(key, item.id) if item.status is Status.BLOCKED else ""
            word = _WORDS.get(item.status, item.status)
            yield line(terminal, key, sign(terminal, item.status), word, item.title + reason)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield line(terminal, key, "~", "reordered", "")


def line(terminal: Terminal, key: str, mark: str, word: str, title: str) -> str:
    """One change. The widths are fixed, for the next line may come in an hour."""
    head = f"{pad(terminal.clean(key), _KEY)}  {pad(f'{mark} {word}', _WORD)}  "
    text = terminal.clean(title)
    return (
        head + (text if terminal.width is None else terminal.clip(text, terminal.width - columns(head)))
    ).rstrip()
