"""Reading ahead: few round trips where a network is between, and no handler needs to know.

A question is first put to a scout, a reader that finds only what was read before. What it wanted is then read in
one round trip, and the scout goes again: each time it gets as far as the answers lead. So a view takes as many
round trips as its longest chain of reads, however many reads it has. Nothing of this happens on a store in a file.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from gatepost.engine.caller import Caller
from gatepost.engine.port import Ask, Store, WorkspaceSnapshot
from gatepost.engine.reader import Reader

Question = Callable[[Reader], object]
"""Reads, changes nothing, and can be asked several times."""

_MOST: Final = 8
"""After this many round trips, the rest is read as it is needed."""


def read_ahead(reader: Reader, *questions: Question) -> bool:
    """Read what these questions need next. Whether anything was left to read."""

    def ask(snapshot: WorkspaceSnapshot) -> None:
        scout = reader.scout(snapshot)
        for question in questions:
            _explore(scout, question)

    return reader.ahead(ask)


def read_all_ahead(reader: Reader, *questions: Question) -> None:
    """Read everything that these questions need."""
    for _ in range(_MOST):
        if not read_ahead(reader, *questions):
            return


def asked_first(workspace: str, store: Store, caller: Caller, *questions: Question) -> Ask | None:
    """Questions that a transaction can read ahead while it begins."""
    if not questions:
        return None

    def ask(snapshot: WorkspaceSnapshot) -> None:
        reader = Reader(workspace, snapshot, store, caller)
        for question in questions:
            _explore(reader, question)

    return ask


def _explore(scout: Reader, question: Question) -> None:
    """Ask a question of a reader that finds too little."""
    # Half of an answer can confuse code in any way. The real reader gets whole ones, and raises what is wrong.
    with suppress(Exception):
        question(scout)
