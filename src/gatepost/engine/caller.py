"""Who asks."""

from typing import NamedTuple


class Caller(NamedTuple):
    """Who asks, and from where.

    `bound` is the one workspace they may ask in, if they are bound to one. `session` is theirs where a call names
    none, `process` the one whose end ends it; without a process a session's lists stay. `files` says which
    file operations they may use; none set means all.
    """

    actor: str
    bound: str | None = None
    session: str = "main"
    process: str | None = None
    files: frozenset[str] | None = None
