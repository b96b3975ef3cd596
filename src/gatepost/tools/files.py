"""File tools for agents whose harness has none: the ten verbs, over any filesystem."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import Filesystem
from gatepost.files.verbs import VERBS, Verb
from gatepost.runtime import Dispatcher, Session
from gatepost.tools.tool import Tool
from gatepost.views.budget import View, fitted

GUIDANCE: Final = """\
Use the `file_*` tools for the workspace's text files.
- Paths are relative to the workspace's root, with `/` between segments: `src/app.py`.
- Find files with `file_glob` and `file_grep` before you read; read long files in windows (`offset`, `limit`).
- `file_write` replaces the whole file unless `mode` is `create` or `append`."""


class FileToolsSection:
    """Hands a model the ten file verbs over a filesystem; there is none that runs a command."""

    def __init__(
        self,
        *,
        session: Session,
        filesystem: Filesystem,
        dispatcher: Dispatcher | None = None,
        key: str = "file-tools",
    ) -> None:
        self.key: Final = key
        self.session: Final = session
        self.filesystem: Final = filesystem
        self.dispatcher: Final = session.dispatcher if dispatcher is None else dispatcher
        self.tools: Final = tuple(_tool(verb, filesystem).bound(session, self.dispatcher) for verb in VERBS)

    def render(self) -> str:
        """The guidance."""
        return GUIDANCE

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "FileToolsSection":
        """The same section on another session, with a copy of the files in memory; files on disk are shared."""
        files = self.filesystem
        own = files.clone(session=session) if isinstance(files, InMemoryFilesystem) else files
        return FileToolsSection(session=session, filesystem=own, dispatcher=dispatcher, key=self.key)


def _tool(verb: Verb, filesystem: Filesystem) -> Tool:
    return Tool(
        name=verb.name, description=verb.about, params=verb.params, handler=partial(_reply, verb.run, filesystem)
    )


def _reply(run: Callable[[Filesystem, Any], Any], filesystem: Filesystem, asked: Any) -> Any:
    reply = run(filesystem, asked)
    return fitted(reply) if isinstance(reply, View) else reply
