"""The caller of an operation."""

from typing import NamedTuple


class Caller(NamedTuple):
    """The caller and its context.

    `bound` is the only workspace it may use, if set. `session` is the default session of its calls; `process` is
    the process whose end closes that session. Without a process, the session's lists stay. `files` are the file
    operations it may use; none set means all.
    """

    actor: str
    bound: str | None = None
    session: str = "main"
    process: str | None = None
    files: frozenset[str] | None = None
