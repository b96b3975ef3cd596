"""Workspace digests: a summary of a repository, kept in the session so that it is explored only once."""

import logging
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from gatepost.runtime import Dispatcher, Session, select_where, upsert_by
from gatepost.tools import texts
from gatepost.tools.overrides import PromptOverridesStore
from gatepost.tools.tool import Tool

KEY: Final = "workspace-digest"
PLACEHOLDER: Final = (
    "Nothing is known about this workspace yet: look at its layout, its commands and its caveats"
    " before you rely on them."
)

TOOL: Final = "workspace_digest_get"
DESCRIPTION: Final = "What is known about the repository: layout, commands, caveats. Read it before you explore."
POINTER: Final = f"`{TOOL}` gives the whole digest: layout, commands and caveats."

_LONGEST_RENDERED: Final = 1_000

_log = logging.getLogger("gatepost.tools")


@dataclass(frozen=True, slots=True)
class WorkspaceDigest:
    """A summary and a full description of a workspace. With a blank body it counts as absent."""

    section_key: str
    summary: str
    body: str

    def __post_init__(self) -> None:
        texts.key("section_key", self.section_key)
        texts.text("summary", self.summary)
        texts.text("body", self.body)


class WorkspaceDigestSection:
    """Puts the summary of the session's digest into a prompt, and offers `workspace_digest_get` for all of it.

    Without a digest of its key it uses the override of its key, without that a placeholder. Every path to the text
    resolves in this order each time, and each use of the placeholder is a warning in the log.
    """

    def __init__(
        self,
        *,
        session: Session,
        key: str = KEY,
        placeholder: str = PLACEHOLDER,
        overrides: PromptOverridesStore | None = None,
        dispatcher: Dispatcher | None = None,
    ) -> None:
        _register(session)
        self.key: Final = texts.key("key", key)
        self.session: Final = session
        self.dispatcher: Final = session.dispatcher if dispatcher is None else dispatcher
        self.placeholder: Final = texts.text("placeholder", placeholder)
        self.overrides: Final = overrides
        tool = Tool(name=TOOL, description=DESCRIPTION, handler=self._read)
        self.tools: Final = (tool.bound(session, self.dispatcher),)

    def digest(self) -> WorkspaceDigest:
        """The current digest. An override or the placeholder is a body without a summary."""
        known = latest_workspace_digest(self.session, self.key)
        if known is not None:
            return known
        override = None if self.overrides is None else self.overrides.get(self.key)
        # Another implementation of the store may return blank texts, though ours do not.
        if override is None or texts.blank(override):
            _log.warning(
                "Session %s has neither digest nor override for %s: the placeholder is used.",
                self.session.id,
                self.key,
            )
            override = self.placeholder
        return WorkspaceDigest(self.key, "", override)

    def render(self) -> str:
        """The summary and where to get the body; the body alone where there is no summary and it is short.

        An override is rendered whole: people wrote it to be the prompt.
        """
        known = latest_workspace_digest(self.session, self.key)
        if known is None:
            return self.digest().body
        text = known.summary.strip() or _beginning(known.body)
        return text if text == known.body.strip() else f"{text}\n\n{POINTER}"

    def summary(self) -> str:
        """The summary alone, or the body's first line if there is no summary."""
        known = self.digest()
        return known.summary.strip() or known.body.strip().partition("\n")[0]

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "WorkspaceDigestSection":
        """The same section on another session. Digests stay with this session; overrides are shared."""
        return WorkspaceDigestSection(
            session=session,
            key=self.key,
            placeholder=self.placeholder,
            overrides=self.overrides,
            dispatcher=dispatcher,
        )

    def _read(self) -> str:
        known = self.digest()
        return known.body if texts.blank(known.summary) else f"{known.summary.strip()}\n\n{known.body}"


def set_workspace_digest(session: Session, *, section_key: str, body: str, summary: str = "") -> WorkspaceDigest:
    """Store a digest in the session, replacing an earlier one with its key. A blank body removes it."""
    digest = WorkspaceDigest(section_key, summary, body)
    _register(session)
    session.dispatch(digest)
    return digest


def latest_workspace_digest(session: Session, section_key: str) -> WorkspaceDigest | None:
    """The newest digest of a key, or `None`. A blank one counts as `None`."""
    known = select_where(session, WorkspaceDigest, lambda digest: digest.section_key == section_key)
    return known[-1] if known and not texts.blank(known[-1].body) else None


def _register(session: Session) -> None:
    session[WorkspaceDigest].register(WorkspaceDigest, _by_section_key)


def _beginning(body: str) -> str:
    """A body for a prompt: whole if it is short, otherwise its first lines."""
    text = body.strip()
    if len(text) <= _LONGEST_RENDERED:
        return text
    lines = text[:_LONGEST_RENDERED].rpartition("\n")[0]
    return (lines or text[:_LONGEST_RENDERED]).rstrip() + "…"


_by_section_key: Final = upsert_by(attrgetter("section_key"))
