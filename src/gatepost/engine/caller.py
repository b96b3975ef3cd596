"""The caller of an operation."""

from typing import Final

from msgspec import Struct

from gatepost.domain.claims import Holder, holder_name
from gatepost.domain.offers import EVERYTHING, Offer
from gatepost.domain.questions import Via

AGENT: Final = "agent"
"""The kind of everyone who calls over MCP."""

DEFAULT_SESSION: Final = "main"
_LONGEST_CLIENT: Final = 60
_OF_SESSION: Final = 4


def agent_name(client: str | None, session: str | None) -> str:
    """The actor of an MCP client: its name and four characters of its session, `agent:claude-code/3f2a`."""
    name = f"{AGENT}:{client[:_LONGEST_CLIENT]}" if client else AGENT
    return name if session is None else f"{name}/{session[-_OF_SESSION:]}"


class Caller(Struct, frozen=True):
    """The caller and its context.

    `bound` is the only workspace it may use, if set; `default` is that of a call that names none. `session`
    is the default session of its calls; `process` is the process whose end closes that session. Without a process,
    the session's lists stay. `files` are the file operations it may use; none set means all. `tools` are the tools
    that its surface listed; none set means all. `via` is set by a surface whose client asked its user: then the
    answer in the call is that user's. `connection` is how it holds claims, if not as its session.
    """

    actor: str
    bound: str | None = None
    session: str = DEFAULT_SESSION
    process: str | None = None
    files: frozenset[str] | None = None
    tools: frozenset[str] | None = None
    default: str | None = None
    via: Via | None = None
    connection: Holder | None = None

    @property
    def holder(self) -> Holder:
        """The session that holds this caller's claims, and its process."""
        return self.connection or Holder(self.session, self.process)

    @property
    def holder_name(self) -> str:
        """The name of the caller as a holder."""
        return holder_name(self.actor, self.holder.session)

    @property
    def agent(self) -> str:
        """The actor without its session: a later session of the same agent goes on from its rounds."""
        return self.actor.removesuffix(f"/{self.session[-_OF_SESSION:]}")

    @property
    def workspace(self) -> str | None:
        """The workspace of a call that names none."""
        return self.bound or self.default

    @property
    def offer(self) -> Offer:
        """What can be named to this caller."""
        return EVERYTHING if self.tools is None else Offer(self.tools, self.workspace)
