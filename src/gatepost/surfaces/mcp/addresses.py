"""The addresses of resources.

    gatepost://radar/{workspace}             the radar, as tasks_radar gives it
    gatepost://inbox/{workspace}             what waits for a person, as tasks_inbox gives it
    gatepost://question/{workspace}/{step}   what a step waits for, and the answer once there is one
    gatepost://task/{workspace}/{id}         a plan or task with its steps, as tasks_resume gives it
    gatepost://taskdoc/{workspace}/{name}    the effective taskdoc, as recall_mind gives it
    gatepost://todo/{workspace}/{scope}      a todo list, as the stream gives it: a session's, or a task's steps

The workspace is one segment, percent-encoded (`acme%2Frepo`), as the templates expand. Its slashes may also stand
as they are: no other name has one, so the last segment is always the name. It does not take the place of a
host, because clients may lower-case a host, and some refuse `%2F` in it.
"""

import re
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from gatepost.surfaces.mcp.messages import UnknownName

RADAR: Final = "radar"
INBOX: Final = "inbox"
QUESTION: Final = "question"
TASK: Final = "task"
TASKDOC: Final = "taskdoc"
TODO: Final = "todo"
KINDS: Final = (RADAR, INBOX, TASK, TASKDOC, TODO, QUESTION)
"""In the order of the list."""

LONGEST: Final = 1024
"""No URI of ours is nearly as long. Subscribed URIs are kept in memory."""
MARKDOWN: Final = "text/markdown"
JSON: Final = "application/json"


class ResourceKind(NamedTuple):
    """One kind of resource: the end of its URIs, its title and its description."""

    ending: str
    title: str
    description: str
    media_type: str


RESOURCE_KINDS: Final = {
    RADAR: ResourceKind(
        "",
        "The radar of a workspace",
        "What to do now: the step, the reason, what proves it, what is next and what blocks it.",
        JSON,
    ),
    INBOX: ResourceKind(
        "",
        "What waits for a person",
        "Questions, sign-offs, approvals, edited files and commands to trust, each with what to do.",
        JSON,
    ),
    TASK: ResourceKind("/{id}", "A plan or task", "A plan or task and its steps, as they are now.", JSON),
    TASKDOC: ResourceKind(
        "/{name}", "A taskdoc", "Goals, constraints and progress of a task, as they are now.", MARKDOWN
    ),
    TODO: ResourceKind("/{scope}", "A todo list", "A session's todo list, or a task's steps as one.", JSON),
    QUESTION: ResourceKind(
        "/{step}", "A question", "What a step waits for, by the step's id, and the answer once there is one.", JSON
    ),
}

_uri = re.compile(
    r"gatepost://(?:(?P<whole>radar|inbox)/(?P<watched>[^?#]+)"
    r"|(?P<kind>task|taskdoc|todo|question)/(?P<workspace>[^?#]+)/(?P<name>[^/?#]+))"
)


class ResourceTarget(NamedTuple):
    """The target of a URI. The radar and the inbox have no name."""

    workspace: str
    kind: str = RADAR
    name: str = ""

    @property
    def uri(self) -> str:
        """The URI, as templates expand it."""
        name = f"/{quote(self.name, safe='')}" if self.name else ""
        return f"gatepost://{self.kind}/{quote(self.workspace, safe='')}{name}"

    @classmethod
    def at(cls, uri: str) -> "ResourceTarget":
        """The target of a URI. `UnknownName` means that it is not one of ours."""
        if len(uri) > LONGEST:
            raise UnknownName(f"a URI has at most {LONGEST} characters; this one has {len(uri)}")
        match = _uri.fullmatch(uri)
        if match is None:
            raise UnknownName(f"the URIs are {', '.join(map(template, KINDS))}")
        if match["kind"] is None:
            return cls(unquote(match["watched"]), match["whole"])
        return cls(unquote(match["workspace"]), match["kind"], unquote(match["name"]))


def template(kind: str) -> str:
    """The URI template of a kind."""
    return f"gatepost://{kind}/{{workspace}}{RESOURCE_KINDS[kind].ending}"


def argument(uri_template: str, name: str) -> bool:
    """Whether one of our templates has this argument. `UnknownName` means that it is not one of ours."""
    if uri_template not in map(template, KINDS):
        raise UnknownName(f"the templates are {', '.join(map(template, KINDS))}")
    return f"{{{name}}}" in uri_template
