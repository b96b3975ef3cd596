"""File tools for agents whose harness has none: the file verbs, over any filesystem."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import Filesystem
from gatepost.files.verbs import VERBS, Verb
from gatepost.runtime import Dispatcher, Session
from gatepost.tools.tool import Tool
from gatepost.views.budget import View, fitted

GUIDANCE: Final[tuple[tuple[str, str], ...]] = (
    ("", "Use the `file_*` tools for the workspace's text files."),
    ("", "- Paths are relative to the workspace's root, with `/` between segments: `src/app.py`."),
    ("file_glob file_grep", "- Find files with `file_glob` and `file_grep` before you read."),
    ("file_read", "- `file_read` reads long files in windows (`offset`, `limit`)."),
    ("file_edit", "- Change part of a file with `file_edit`: each `old_string` must occur exactly once."),
    ("file_write", "- `file_write` replaces the whole file unless `mode` is `create` or `append`."),
)
"""Guidance for the model. A line is left out if its tools are not offered."""


class FileToolsSection:
    """Offers a model the file tools over a filesystem. None of them runs a command.

    `only` names the tools to offer, such as `["file_read", "file_edit"]`. Over a read-only filesystem there are
    none that write.
    """

    def __init__(
        self,
        *,
        session: Session,
        filesystem: Filesystem,
        dispatcher: Dispatcher | None = None,
        key: str = "file-tools",
        only: Iterable[str] | None = None,
    ) -> None:
        self.key: Final = key
        self.session: Final = session
        self.filesystem: Final = filesystem
        self.dispatcher: Final = session.dispatcher if dispatcher is None else dispatcher
        verbs = _chosen(filesystem, None if only is None else tuple(only))
        self._only: Final = frozenset(verb.name for verb in verbs)
        self.tools: Final = tuple(self._tool(verb).bound(session, self.dispatcher) for verb in verbs)

    def render(self) -> str:
        """The guidance."""
        return "\n".join(line for needed, line in GUIDANCE if self._only.issuperset(needed.split()))

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "FileToolsSection":
        """The same section on another session. Files in memory are copied; files on disk are shared."""
        files = self.filesystem
        own = files.clone(session=session) if isinstance(files, InMemoryFilesystem) else files
        return FileToolsSection(
            session=session, filesystem=own, dispatcher=dispatcher, key=self.key, only=self._only
        )

    def _tool(self, verb: Verb) -> Tool:
        return Tool(
            name=verb.name, description=verb.about, params=verb.params, handler=partial(self._reply, verb.run)
        )

    def _reply(self, run: Callable[[Filesystem, Any], Any], asked: Any) -> Any:
        try:
            reply = run(self.filesystem, asked)
        except Refusal as refusal:
            if refusal.suggestion is not None and refusal.suggestion.tool not in self._only:
                refusal.suggestion = None
            raise
        return msgspec.json.decode(fitted(reply)) if isinstance(reply, View) else reply


def _chosen(filesystem: Filesystem, only: tuple[str, ...] | None) -> tuple[Verb, ...]:
    """The verbs to offer, in their own order."""
    offered = tuple(verb for verb in VERBS if not (verb.writes and filesystem.read_only))
    if only is None:
        return offered
    names = [verb.name for verb in offered]
    unknown = [name for name in only if name not in names]
    if unknown or not only:
        raise ValueError(f"`only` must name tools from {', '.join(names)}; got {', '.join(unknown) or 'none'}.")
    return tuple(verb for verb in offered if verb.name in only)
