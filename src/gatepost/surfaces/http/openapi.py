"""The OpenAPI 3.1 document, made from the registry."""

from typing import Any, Final

from gatepost import __version__
from gatepost.domain.names import REQUEST_ID, SESSION
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.operations.session_list import Summary
from gatepost.surfaces.http import problems
from gatepost.surfaces.http.markdown import MOST_BYTES, MOST_TEXTS
from gatepost.surfaces.http.operation_calls import KEY_HEADER
from gatepost.surfaces.http.session_directory import MOST, USUAL
from gatepost.surfaces.http.todo import FORMATS, MOST_REPLAYED, SCHEMAS
from gatepost.wire.reply_schemas import Definitions, reference
from gatepost.wire.schemas import input_schema

_STATUSES: Final = {
    400: "The call does not match its schema.",
    401: "The server requires a token.",
    403: "Not allowed: another workspace, a closed path, another site's page.",
    404: "What was named does not exist.",
    408: "The body did not arrive in time.",
    409: "A conflict with the current state: revision, gate, undo.",
    413: "The call is too large.",
    415: "The body is not declared as JSON.",
    429: "Too many calls.",
    500: "An internal error. Find the id in the server's log.",
    503: "Busy. Nothing was changed; try again.",
}
_SEQ: Final = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
_COMPONENTS: Final = "#/components/schemas/"
_PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "What is wrong, as a code for programs."},
        "message": {"type": "string", "description": "What is wrong, naming the values."},
        "recovery": {"type": "string", "description": "What to do next."},
        "suggestion": {
            "type": "object",
            "description": "A call that is accepted unchanged.",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool", "arguments"],
        },
    },
    "required": ["type", "title", "status", "detail", "code", "message", "recovery"],
}


def document() -> dict[str, Any]:
    """The whole document."""
    shared: Definitions = {}
    paths = {f"/v1/operations/{found.name}": _operation(found, shared) for found in OPERATIONS if not found.files}
    others = _others(shared)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gatepost",
            "version": __version__,
            "description": "The task state of AI agents: gated, durable, observable.",
        },
        "paths": paths | others,
        "components": {
            "schemas": {"Problem": _PROBLEM, **shared},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(operation: Operation, shared: Definitions) -> dict[str, Any]:
    reply = reference(operation.reply, _COMPONENTS, shared)
    return {
        "post": {
            "operationId": operation.name,
            "summary": operation.about.partition(". ")[0].rstrip("."),
            "description": operation.about,
            "tags": [operation.toolsets[0] if operation.toolsets else "programs"],
            "parameters": _call_parameters(operation),
            "requestBody": {
                "required": True,
                "content": _json(_portable(input_schema(operation.command, terse=False))),
            },
            "responses": {
                "200": {
                    "description": "The reply.",
                    "content": _json(reply),
                },
                **_refusals(*_STATUSES),
            },
        }
    }


def _call_parameters(operation: Operation) -> list[dict[str, Any]]:
    session = _portable({"type": "string", "pattern": SESSION})
    key = _portable({"type": "string", "pattern": REQUEST_ID})
    keyed = [
        _parameter("header", KEY_HEADER, key, "The call's `request_id`, for clients that send it as a header.")
    ]
    return [
        *(keyed if "request_id" in operation.command.__struct_fields__ else ()),
        _parameter(
            "header",
            "X-Gatepost-Actor",
            {"type": "string"},
            "The caller's name for the log, in UTF-8. Only the server's own page can name a person (human:…).",
        ),
        _parameter("header", "X-Gatepost-Holder", session, "The name of the client as the holder of its claims."),
        _parameter("header", "X-Gatepost-Session", session, "The session whose todo list the call uses (main)."),
        _parameter("query", "rehearse", {"enum": ["0", "1"]}, "1: answer as if applied, and store nothing."),
    ]


def _others(shared: Definitions) -> dict[str, Any]:
    plain = {
        "/v1/openapi.json": ("openapi", "This document", "application/json"),
        "/health": ("health", "That the server runs, and its protocol versions", "application/json"),
        "/healthz": ("healthz", "Whether the process runs", "application/json"),
        "/readyz": ("readyz", "Whether the store answers", "application/json"),
        "/metrics": ("metrics", "Metrics for Prometheus", "text/plain"),
        "/": ("page", "The page, for people", "text/html"),
    }
    found = {path: {"get": _plain(name, about, kind)} for path, (name, about, kind) in plain.items()}
    return _streams() | _sessions(shared) | {"/v1/markdown": {"post": _markdown()}} | found


def _markdown() -> dict[str, Any]:
    html = {"type": "array", "items": {"type": "string"}}
    asked = {
        "type": "object",
        "properties": {"texts": {**html, "maxItems": MOST_TEXTS}},
        "required": ["texts"],
        "additionalProperties": False,
    }
    answered = {"type": "object", "properties": {"html": html}, "required": ["html"]}
    return {
        "operationId": "markdown",
        "summary": "Markdown as HTML that can neither run nor load anything",
        "description": f"At most {MOST_BYTES:,} bytes in all. HTML is escaped, images become their alt text.",
        "requestBody": {"required": True, "content": _json(asked)},
        "responses": {
            "200": {"description": "One piece of HTML for each text.", "content": _json(answered)},
            **_refusals(400, 401, 403, 408, 413, 415, 500, 503),
        },
    }


def _streams() -> dict[str, Any]:
    workspace = _parameter("query", "workspace", {"type": "string"}, "Such as acme/repo.", required=True)
    resumed = _parameter("header", "Last-Event-ID", _SEQ, "The `seq` to resume from, as browsers send it.")
    flag = {"enum": ["0", "1", "true", "false"]}
    events = [
        workspace,
        _parameter("query", "after", _SEQ, "The `seq` to resume from; the start if omitted."),
        resumed,
    ]
    todo = [
        workspace,
        _parameter("query", "scope", {"type": "string"}, "One list only: TASK-001, or a session's name."),
        _parameter("query", "snapshot", flag, "1: all current lists, once, as JSON."),
        _parameter("query", "format", {"enum": list(FORMATS)}, "Session events, or ACP plan updates."),
        resumed,
    ]
    session = [
        _parameter("path", "id", {"type": "string"}, "A session, a task or a workspace.", required=True),
        {**workspace, "required": False},
        _parameter("query", "schema", {"enum": list(SCHEMAS)}, "The event format; there is only one."),
        _parameter("query", "replay", flag, "Whether to replay earlier calls."),
        _parameter("query", "from_id", _SEQ, "The `seq` to resume from."),
        _parameter("query", "limit", _SEQ, f"How many calls to replay, at most {MOST_REPLAYED}."),
        resumed,
    ]
    return {
        "/v1/events": {
            "get": _stream("events", "The log as server-sent events: past events, then new ones", events)
        },
        "/v1/todo": {"get": _stream("todo", "Todo lists, live: a snapshot of each, then what changes", todo)},
        "/v1/sessions/{id}/events": {
            "get": _stream("session_events", "The same for one session, in Breadboard's format", session)
        },
    }


def _sessions(shared: Definitions) -> dict[str, Any]:
    workspace = _parameter("query", "workspace", {"type": "string"}, "Such as acme/repo. Looked up if omitted.")
    limit = _parameter("query", "limit", _SEQ, f"How many to return: {USUAL} by default, at most {MOST}.")
    name = _parameter("path", "id", {"type": "string"}, "A session, a task or a workspace.", required=True)
    summary = reference(Summary, _COMPONENTS, shared)
    several = {"type": "array", "items": summary}
    return {
        "/v1/sessions": {
            "get": _found("sessions", "What can be followed: the lists of a workspace, or workspaces", several)
            | {"parameters": [workspace, limit]}
        },
        "/v1/sessions/{id}": {
            "get": _found("session", "One of them", summary) | {"parameters": [name, workspace]},
        },
    }


def _found(name: str, about: str, schema: dict[str, Any]) -> dict[str, Any]:
    answered = {"description": about, "content": _json(schema)}
    return {
        "operationId": name,
        "summary": about,
        "responses": {"200": answered, **_refusals(400, 401, 403, 404, 500, 503)},
    }


def _stream(name: str, about: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}
    if name == "todo":
        content |= _json({"type": "object", "required": ["workspace", "seq"]})
    return {
        "operationId": name,
        "summary": about,
        "parameters": parameters,
        "responses": {
            "200": {"description": "On server-sent events, an event's id is its `seq`.", "content": content},
            **_refusals(400, 401, 403, 404, 409, 500, 503),
        },
    }


def _plain(name: str, about: str, kind: str) -> dict[str, Any]:
    answered = {"description": about, "content": {kind: {"schema": {}}}}
    return {"operationId": name, "summary": about, "responses": {"200": answered, **_refusals(401, 403, 500, 503)}}


def _refusals(*statuses: int) -> dict[str, Any]:
    shape = {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(status): {"description": _STATUSES[status], "content": shape} for status in statuses}


def _parameter(
    where: str, name: str, schema: dict[str, Any], about: str, *, required: bool = False
) -> dict[str, Any]:
    return {"in": where, "name": name, "required": required, "schema": schema, "description": about}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _portable(schema: Any) -> Any:
    """A schema whose patterns are understood everywhere."""
    if isinstance(schema, dict):
        return {
            name: _pattern(value) if name == "pattern" and isinstance(value, str) else _portable(value)
            for name, value in schema.items()
        }
    return [_portable(item) for item in schema] if isinstance(schema, list) else schema


def _pattern(python: str) -> str:
    r"""A pattern as others write it: to them `\Z` is the letter Z, and half a surrogate pair is no character."""
    return python.replace(r"\Z", "$").replace(r"\ud800-\udfff", "")
