"""The edits of one file: made, taken back, and told."""

import os
import re
from collections.abc import Iterable
from typing import Any, Final

from gatepost.surfaces.setup import json_edits, marked_blocks, toml_edits
from gatepost.surfaces.setup.clients import SERVER, AddItem, AddKey, AddTable, Edit, SetMember
from gatepost.surfaces.setup.install_record import WrittenFile
from gatepost.surfaces.setup.splices import EditedText, searched_out, undone

_OWN_HOOK: Final = r"gatepost\S*\s+hook\s+{hook}\b"
_NOTHING: Final = ("", "{}")


class EditedFile:
    """A file's text with our edits in it. `kept` says what was there already and stays as it is."""

    def __init__(self, text: str) -> None:
        self.edited = EditedText(text)
        self.members: list[tuple[tuple[str, ...], Any]] = []
        self.items: list[tuple[tuple[str, ...], Any]] = []
        self.kept: list[str] = []

    def make(self, edits: Iterable[Edit]) -> None:
        """Make the edits. Raises `CannotMerge`."""
        for edit in edits:
            if isinstance(edit, SetMember):
                self._set_member(edit)
            elif isinstance(edit, AddItem):
                self._add_item(edit)
            elif isinstance(edit, AddKey):
                toml_edits.add_key(self.edited, edit.key, edit.line)
            elif isinstance(edit, AddTable):
                if not toml_edits.add_table(self.edited, edit.path, list(edit.lines)):
                    self.kept.append(".".join(edit.path))
            else:
                marked_blocks.put_block(self.edited, edit.markers, list(edit.lines))

    def _set_member(self, edit: SetMember) -> None:
        made = self._missing(edit.path[:-1])
        if json_edits.set_member(self.edited, edit.path, edit.value):
            self.members += [*((path, {}) for path in made), (edit.path, edit.value)]
            return
        known = json_edits.value_at(self.edited, edit.path)
        if edit.path[-1] == SERVER and known != edit.value:
            if _is_stale(known):
                json_edits.replace_member(self.edited, edit.path, edit.value)
                self.members.append((edit.path, edit.value))
            else:
                self.kept.append(".".join(edit.path))

    def _add_item(self, edit: AddItem) -> None:
        made = self._missing(edit.path[:-1])
        empty = self._missing(edit.path)[len(made) :]
        pattern = None if edit.hook is None else re.compile(_OWN_HOOK.format(hook=re.escape(edit.hook)))

        def is_own(item: Any) -> bool:
            return pattern is not None and pattern.search(str(item).replace("'", "")) is not None

        if json_edits.add_item(self.edited, edit.path, edit.item, is_own):
            self.members += [*((path, {}) for path in made), *((path, []) for path in empty)]
            self.items.append((edit.path, edit.item))

    def _missing(self, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The beginnings of a path that are not in the file yet."""
        json_edits.start(self.edited)
        lengths = range(1, len(path) + 1)
        return [path[:length] for length in lengths if not json_edits.has(self.edited, path[:length])]


def restored(text: str, written: WrittenFile) -> tuple[str | None, bool]:
    """A text without what init wrote into it, and whether all of that was found. None: init made the file, and
    nothing else is in it.

    As long as nobody changed the file, it gets back its bytes. Later changes of others stay. Raises `CannotMerge`.
    """
    before = undone(text, written.splices)
    whole = True
    if before is None:
        before, whole = _taken_out(text, written)
    if written.created and "".join(before.split()) in _NOTHING:
        return None, whole
    return before, whole


def _taken_out(text: str, written: WrittenFile) -> tuple[str, bool]:
    if not (written.members or written.items):
        return searched_out(text, written.splices)
    edited, whole = EditedText(text), True
    for path, item in reversed(written.items):
        whole &= json_edits.remove_item(edited, path, item)
    for path, value in reversed(written.members):
        is_container = value in ({}, [])
        if len(path) == 1 and not isinstance(value, dict | list) and len(json_edits.value_at(edited, ())) > 1:
            continue  # a version belongs to what others wrote, too
        whole &= json_edits.remove_member(edited, path, value) or is_container
    return edited.text, whole


def _is_stale(server: Any) -> bool:
    """Whether an entry starts a program that is not there: somebody else's, or one that was moved."""
    command = server.get("command") if isinstance(server, dict) else None
    return isinstance(command, str) and os.path.isabs(command) and not os.path.exists(command)
