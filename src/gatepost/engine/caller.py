"""The caller of an operation."""

from typing import NamedTuple

from gatepost.domain.offers import EVERYTHING, Offer


class Caller(NamedTuple):
    """The caller and its context.

    `bound` is the only workspace it may use, if set; `default` is that of a call that names none. `session`
    is the default session of its calls; `process` is the process whose end closes that session. Without a process,
    the session's lists stay. `files` are the file operations it may use; none set means all. `tools` are the tools
    that its surface listed; none set means all.
    """

    actor: str
    bound: str | None = None
    session: str = "main"
    process: str | None = None
    files: frozenset[str] | None = None
    tools: frozenset[str] | None = None
    default: str | None = None

    @property
    def workspace(self) -> str | None:
        """The workspace of a call that names none."""
        return self.bound or self.default

    @property
    def offer(self) -> Offer:
        """What can be named to this caller."""
        return EVERYTHING if self.tools is None else Offer(self.tools, self.workspace)
