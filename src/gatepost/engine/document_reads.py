"""The call that shows a document, for refusals that lead to it."""

from gatepost.domain import places
from gatepost.domain.refusals import Suggestion


def look_at_place(place: str) -> Suggestion:
    """The call that shows what is at a place."""
    if place == places.FOCUS:
        return Suggestion("tasks_focus_get", {})
    if places.in_tree(place):
        return Suggestion("tasks_radar", {"task": places.root_id(place)})
    tools = {
        places.SESSION: "todo_read",
        places.DIGEST: "workspace_digest_get",
        places.TASKDOC: "recall_mind",
        places.ROUND: "tasks_resume",
        places.JOURNAL: "session_history",
        places.POLICY: "tasks_policy",
    }
    return Suggestion(tools[place[0]], places.owner(place))
