"""The reply that lists plans and tasks."""

from msgspec import field

from gatepost.replies.reply import Part, TargetReply
from gatepost.replies.roots import RootRow


class Hit(Part, frozen=True, kw_only=True):
    """Where the words were found: the field, the step or event, and an excerpt."""

    found_in: str | None = field(name="in", default=None)
    path: str | None = None
    step_id: str | None = None
    seq: int | None = None
    snippet: str | None = None


class ContextRow(RootRow, frozen=True, kw_only=True):
    """A plan or task, and in a search its best hits."""

    hits: tuple[Hit, ...] | None = None


class TaskdocHits(Part, frozen=True, kw_only=True):
    """A taskdoc that contains the words."""

    taskdoc: str
    plan: str | None = None
    archived: bool = False
    hits: tuple[Hit, ...]


class ContextReply(TargetReply, frozen=True, kw_only=True):
    """Plans, then tasks, each in the order they were created.

    With `text`: those that contain the words, hits in titles first, then the newest first; and the `taskdocs` that
    contain them. `more_hits` says that only the newest texts were searched; `cursor` continues with older ones,
    also from a page without items.
    """

    items: tuple[ContextRow, ...]
    has_more: bool
    cursor: str | None = None
    taskdocs: tuple[TaskdocHits, ...] | None = None
    more_hits: bool = False
