"""The taskdoc of a session tree: bound at the root, read and changed by every session below it."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from gatepost.domain.refusals import ToolValidationError
from gatepost.domain.taskdocs import Selector
from gatepost.runtime import Dispatcher, Session, SessionEnded, replace_latest, select_latest
from gatepost.runtime.publication import Publisher
from gatepost.tools.tool import Tool
from gatepost.views.taskdoc import GUIDANCE, RE_ENTRY, RESTRICTION, SHARED

UNBOUND: Final = (
    "No taskdoc is bound to this dialog. Bind one for all its sessions with"
    " bind_taskdoc(session, gp, workspace, taskdoc)."
)

OneSection = Annotated[Selector, Meta(description="One section, exactly as stored. Omit it to read everything.")]
MaxChars = Annotated[int, Meta(ge=512, le=1_000_000, description="Clip progress beyond this many characters.")]
Revision = Annotated[int, Meta(ge=0, le=2**53, description="Refuse if another change came first.")]

_log = logging.getLogger("gatepost.tools")


@dataclass(frozen=True, slots=True)
class TaskdocBinding:
    """The taskdoc of a session tree, and its store."""

    gp: Publisher
    workspace: str
    taskdoc: str


class TaskdocSection:
    """Shows the taskdoc of the session's tree, and offers `recall_mind`, `change_mind` and `clear_mind` for it.

    Nothing is kept here: each rendering and each call asks the store, in the session's name, through the binding
    that the root has at that moment. So all sessions of a tree see the same, and a change at once.
    """

    def __init__(self, *, session: Session, dispatcher: Dispatcher | None = None, key: str = "taskdoc") -> None:
        _register(session.root)
        self.key: Final = key
        self.session: Final = session
        self.dispatcher: Final = session.dispatcher if dispatcher is None else dispatcher
        self.tools: Final = tuple(tool.bound(session, self.dispatcher) for tool in _tools(session))

    def render(self) -> str:
        """What is closed to file tools, an empty line, and the effective taskdoc.

        If none is bound, it says how to bind one and logs a warning. A refusal of the store is raised unchanged.
        """
        binding = _binding(self.session)
        if binding is None:
            _log.warning("Session %s renders a taskdoc, but none is bound at its root.", self.session.id)
            return f"{RESTRICTION}\n\n{UNBOUND}"
        recalled = _ask(self.session, binding, "recall_mind", taskdoc=binding.taskdoc)
        return f"{RESTRICTION}\n\n{recalled['content']}"

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "TaskdocSection":
        """The same section on another session. It shows the taskdoc of that session's tree."""
        return TaskdocSection(session=session, dispatcher=dispatcher, key=self.key)


def bind_taskdoc(session: Session, gp: Publisher, workspace: str, taskdoc: str) -> TaskdocBinding:
    """Bind a taskdoc to the whole tree of a session, replacing the one before.

    `gp` is the result of `gatepost.connect`. A taskdoc that the store does not have is refused.
    """
    root = session.root
    binding = TaskdocBinding(gp, workspace, taskdoc)
    _ask(root, binding, "recall_mind", taskdoc=taskdoc)
    _register(root)
    root.dispatch(binding)
    return binding


class RecallArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `recall_mind`."""

    selector: OneSection | UnsetType = UNSET
    max_chars: MaxChars | UnsetType = UNSET


class ChangeArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `change_mind`."""

    selector: Annotated[
        Selector, Meta(description=" ".join(f"{name}: {words}" for name, words in GUIDANCE.items()))
    ]
    content: Annotated[str, Meta(description="The section's whole new text; not blank.")] | UnsetType = UNSET
    clear: Annotated[bool, Meta(description="Empty the section, instead of content.")] | UnsetType = UNSET
    expected_revision: Revision | UnsetType = UNSET


class ClearArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `clear_mind`."""

    reminder_content: Annotated[str, Meta(description=RE_ENTRY)]
    task: Annotated[str, Meta(description=SHARED)] | UnsetType = UNSET
    expected_revision: Revision | UnsetType = UNSET


def _tools(session: Session) -> tuple[Tool, ...]:
    return (
        Tool(
            name="recall_mind",
            description="Read the taskdoc: everything, or one section exactly as stored.",
            params=RecallArguments,
            handler=partial(_on_taskdoc, session, "recall_mind"),
        ),
        Tool(
            name="change_mind",
            description="Replace one whole section of the taskdoc, for everyone in this dialog.",
            params=ChangeArguments,
            handler=partial(_on_taskdoc, session, "change_mind"),
        ),
        Tool(
            name="clear_mind",
            description="End your round, and leave a short re-entry package for the next. The taskdoc stays.",
            params=ClearArguments,
            handler=partial(_in_workspace, session, "clear_mind"),
        ),
    )


def _on_taskdoc(session: Session, tool: str, given: Struct) -> dict[str, Any]:
    binding = _bound(session)
    return _ask(session, binding, tool, taskdoc=binding.taskdoc, **_sent(given))


def _in_workspace(session: Session, tool: str, given: Struct) -> dict[str, Any]:
    return _ask(session, _bound(session), tool, **_sent(given))


def _bound(session: Session) -> TaskdocBinding:
    if session.ended:
        raise SessionEnded(session.id)
    binding = _binding(session)
    if binding is None:
        raise ToolValidationError(UNBOUND, "Continue without a taskdoc, and say that none is bound.")
    return binding


def _binding(session: Session) -> TaskdocBinding | None:
    return None if session.ended else select_latest(session.root, TaskdocBinding)


def _ask(session: Session, binding: TaskdocBinding, tool: str, **arguments: Any) -> dict[str, Any]:
    return binding.gp.for_session(session.id).call(tool, workspace=binding.workspace, **arguments)


def _sent(given: Struct) -> dict[str, Any]:
    """The given arguments, without those left out."""
    return {name: value for name, value in structs.asdict(given).items() if value is not UNSET}


def _register(root: Session) -> None:
    root[TaskdocBinding].register(TaskdocBinding, replace_latest)
