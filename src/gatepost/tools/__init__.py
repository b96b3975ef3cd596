"""Tools and prompt sections for agents built in Python. No server is needed."""

from gatepost.domain.refusals import ToolValidationError
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import Filesystem, ReadResult, WriteResult
from gatepost.tools.digests import (
    WorkspaceDigest,
    WorkspaceDigestSection,
    latest_workspace_digest,
    set_workspace_digest,
)
from gatepost.tools.files import FileToolsSection
from gatepost.tools.overrides import FilePromptOverridesStore, InMemoryPromptOverridesStore, PromptOverridesStore
from gatepost.tools.sections import Section
from gatepost.tools.taskdocs import TaskdocSection, bind_taskdoc
from gatepost.tools.tasks import TaskToolsSection
from gatepost.tools.todo import TodoList, TodoToolsSection, todo_read, todo_write
from gatepost.tools.tool import Tool, ToolInvoked, ToolResult

__all__ = [
    "FilePromptOverridesStore",
    "FileToolsSection",
    "Filesystem",
    "HostFilesystem",
    "InMemoryFilesystem",
    "InMemoryPromptOverridesStore",
    "PromptOverridesStore",
    "ReadResult",
    "Section",
    "TaskToolsSection",
    "TaskdocSection",
    "TodoList",
    "TodoToolsSection",
    "Tool",
    "ToolInvoked",
    "ToolResult",
    "ToolValidationError",
    "WorkspaceDigest",
    "WorkspaceDigestSection",
    "WriteResult",
    "bind_taskdoc",
    "latest_workspace_digest",
    "set_workspace_digest",
    "todo_read",
    "todo_write",
]
