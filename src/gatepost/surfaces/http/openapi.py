"""The OpenAPI 3.1 document, made from the registry."""

from typing import Any, Final

from gatepost import __version__
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.surfaces.http import problems
from gatepost.wire.schemas import input_schema, output_schema

_STATUSES: Final = {
    400: "The call is not as its schema says.",
    401: "The server wants a token.",
    403: "Not allowed: another workspace, a closed path, another site's page.",
    404: "What was named does not exist.",
    408: "The body did not come in time.",
    409: "It conflicts with how things are: revision, gate, undo.",
    413: "More than one call may carry.",
    415: "The body does not say that it is JSON.",
    429: "Too many calls.",
    500: "A fault. The id leads to the server's log.",
    503: "Busy. Nothing was changed; try again.",
}
_PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "What is wrong, in one word for programs."},
        "message": {"type": "string", "description": "What is wrong, naming the values."},
        "recovery": {"type": "string", "description": "What to do next."},
        "suggestion": {
            "type": "object",
            "description": "A call that is accepted as it stands.",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool", "arguments"],
        },
    },
    "required": ["type", "title", "status", "detail", "code", "message", "recovery"],
}


def document() -> dict[str, Any]:
    """All that this server answers to programs."""
    paths = {f"/v1/operations/{found.name}": _operation(found) for found in OPERATIONS if not found.files}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gatepost",
            "version": __version__,
            "description": "The task state of AI agents: gated, durable, observable.",
        },
        "paths": paths | _others(),
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(operation: Operation) -> dict[str, Any]:
    return {
        "post": {
            "operationId": operation.name,
            "summary": operation.about.partition(". ")[0].rstrip("."),
            "description": operation.about,
            "tags": [operation.toolsets[0] if operation.toolsets else "programs"],
            "parameters": [_parameter("header", "X-Gatepost-Actor", {"type": "string"}, "Who asks, for the log.")],
            "requestBody": {
                "required": True,
                "content": _json(_portable(input_schema(operation.command, terse=False))),
            },
            "responses": {
                "200": {"description": "The reply.", "content": _json(_portable(output_schema(operation.reply)))},
                **_refusals(*_STATUSES),
            },
        }
    }


def _others() -> dict[str, Any]:
    words = {"schema": {"type": "string"}}
    number = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
    follow = {
        "operationId": "events",
        "summary": "The log of a workspace as server-sent events: what was, then what comes",
        "parameters": [
            _parameter("query", "workspace", {"type": "string"}, "Such as acme/repo.", required=True),
            _parameter("query", "after", number, "The `seq` to go on from; without it, from the start."),
            _parameter("header", "Last-Event-ID", number, "The same, as browsers say it when they come back."),
        ],
        "responses": {
            "200": {"description": "Each event's id is its `seq`.", "content": {"text/event-stream": words}},
            **_refusals(400, 401, 403, 404, 409, 500, 503),
        },
    }
    plain = {
        "/v1/openapi.json": ("openapi", "This document", "application/json"),
        "/healthz": ("healthz", "Whether the process runs", "application/json"),
        "/readyz": ("readyz", "Whether the store answers", "application/json"),
        "/metrics": ("metrics", "Numbers for Prometheus", "text/plain"),
    }
    return {"/v1/events": {"get": follow}} | {
        path: {"get": _plain(name, about, kind)} for path, (name, about, kind) in plain.items()
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
