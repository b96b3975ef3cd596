"""Schemathesis reads the OpenAPI document and sends what it can think of: all is answered as documented."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gatepost.operations.catalog import OPERATIONS
from gatepost.surfaces.http import openapi
from tests.givens import WORKSPACE
from tests.http.givens import Site

PATIENCE = 900
"""A guard against what hangs, not a measure."""
LONGEST, MOST = 200, 20
STREAMS = r"(/events|/v1/todo)$"
CONFORMANCE = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance"
# What names nothing that exists is refused, however well it is formed; and this server wants no token.
DOES_NOT_APPLY = "positive_data_acceptance,ignored_auth"

TASKS = [f"TASK-{number:03d}" for number in range(1, 9)]
AIMS: Mapping[str, list[Any]] = {
    "workspace": [WORKSPACE],
    "task": TASKS,
    "plan": ["PLAN-001"],
    "path": ["s:0", "s:0.s:0", "s:1", "s:2"],
    "parent_step": ["s:0", "s:1"],
    "depends_on": [[], ["TASK-001"]],
    "taskdoc": ["notes"],
    "session": ["main"],
    "section_key": ["workspace-digest"],
    "template": ["bugfix", "release"],
    "scope": ["TASK-001", "main"],
    "id": ["TASK-001", "main", WORKSPACE],
    "from": [1],
    "to": [1, 2],
    "revision": [1, 2],
    "since": [0, 1],
    "after": [0],
    "from_id": [0],
    "Last-Event-ID": [0],
}
"""Values that lead to something, by the names of those who take them."""
ELSEWHERE: Mapping[str, Mapping[str, list[Any]]] = {
    "tasks_delete": {"task": ["TASK-009", "TASK-010", "PLAN-002"]},
    "tasks_task_define": {"path": ["s:2.t:0"]},
    "tasks_task_delete": {"path": ["s:2.t:1"]},
    "tasks_plan": {"current": [0, 1]},
}
AIMLESS = ("expected_revision", "cursor", "step_id", "request_id", "Idempotency-Key")


@pytest.fixture
def furnished(here: Site) -> Site:
    """A server with something of everything."""
    world = here.world
    world.plan(contract="None.")
    world.plan(title="To be deleted")
    for _ in range(10):
        task = world.task("One", "Two", "Three", plan="PLAN-001")
        world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "Below"}])
        for title in ("A node", "Another"):
            world.ok("tasks_task_add", task=task, parent_step="s:2", title=title)
    world.ok("taskdoc_create", name="notes")
    for selector in ("goals", "constraints", "progress"):
        for content in ("- One.\n", "- Two.\n"):
            world.ok("change_mind", selector=selector, content=content)
    world.ok("tasks_plan", plan="PLAN-001", steps=["First", "Second"])
    world.ok("tasks_focus_set", task="TASK-001")
    world.ok("todo_write", items=["One", "Two"])
    return here


def test_nothing_that_can_be_sent_is_a_fault_or_answered_otherwise_than_documented(
    here: Site, tmp_path: Path
) -> None:
    sent = schemathesis(
        here,
        tmp_path,
        drawable(openapi.document()),
        *("--phases", "coverage,fuzzing", "--max-examples", "5", "--exclude-path-regex", STREAMS),
        *("--checks", "all", "--exclude-checks", DOES_NOT_APPLY),
    )

    assert sent > 1000
    assert [entry for entry in here.log if "fault" in entry] == []
    assert set(names()) <= {entry.get("operation") for entry in here.log}


def test_what_finds_its_target_is_answered_as_documented_too(furnished: Site, tmp_path: Path) -> None:
    schemathesis(
        furnished,
        tmp_path,
        aimed(drawable(openapi.document())),
        *("--phases", "fuzzing", "--mode", "positive", "--max-examples", "12", "--exclude-path-regex", STREAMS),
        *("--checks", f"{CONFORMANCE},response_schema_conformance"),
    )

    done = {entry.get("operation") for entry in furnished.log if entry.get("outcome") == "ok"}
    assert [entry for entry in furnished.log if "fault" in entry] == []
    assert len(done & set(names())) > 0.8 * len(names()), sorted(set(names()) - done)


def test_streams_begin_as_documented(furnished: Site, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text("max-stream-events = 1\n")

    schemathesis(
        furnished,
        tmp_path,
        aimed(openapi.document()),
        *("--phases", "coverage,fuzzing", "--mode", "positive", "--max-examples", "10"),
        *("--include-path-regex", STREAMS, "--checks", CONFORMANCE),
    )

    begun = {entry.get("operation") for entry in furnished.log if entry.get("outcome") == "ok"}
    assert {"events", "todo", "session_events"} <= begun


def schemathesis(here: Site, folder: Path, document: Mapping[str, Any], *words: str) -> int:
    """Let Schemathesis try a document on a server: how many requests it sent. It must find nothing."""
    (folder / "openapi.json").write_text(json.dumps(document))
    same = ["--generation-deterministic"] if os.environ.get("CI") else ["--generation-database", "none"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", "--url", here.url),
            *("--no-color", "--no-shrink", "--warnings", "off", "--workers", "1", "--continue-on-failure"),
            *("--suppress-health-check", "all"),
            *same,
            *words,
        ],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-4_000:]
    found = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert found is not None, done.stdout
    assert found[1] == found[2]
    return int(found[1])


def names() -> list[str]:
    """The operations that are served."""
    return [operation.name for operation in OPERATIONS if not operation.files]


def drawable(document: dict[str, Any]) -> dict[str, Any]:
    """A document without bounds at which drawing values takes minutes. They have tests of their own."""

    def without(schema: dict[str, Any]) -> dict[str, Any]:
        bounds = {"maxLength": LONGEST, "maxItems": MOST}
        return {
            name: value
            for name, value in schema.items()
            if not (name in bounds and isinstance(value, int) and value > bounds[name])
        }

    changed: dict[str, Any] = everywhere(document, without)
    return changed


def aimed(document: dict[str, Any]) -> dict[str, Any]:
    """A document that knows what exists: where something is named, that is allowed and nothing else."""
    paths = {
        path: {method: _aimed(operation, path.rpartition("/")[2]) for method, operation in methods.items()}
        for path, methods in document["paths"].items()
    }
    return {**document, "paths": paths}


def _aimed(operation: dict[str, Any], name: str) -> dict[str, Any]:
    aims = {**AIMS, **ELSEWHERE.get(name, {})}
    changed = {
        **operation,
        "parameters": [
            {**given, "schema": {"enum": aims[given["name"]]}} if given["name"] in aims else given
            for given in operation.get("parameters", [])
            if given["name"] not in AIMLESS
        ],
    }
    if "requestBody" not in operation:
        return changed
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    properties = {
        field: {"enum": aims[field]} if field in aims else value
        for field, value in schema.get("properties", {}).items()
        if field not in AIMLESS
    }
    named = [field for field in ("task", "path") if field in properties]
    body = {**schema, "properties": properties, "required": sorted({*schema.get("required", []), *named})}
    return {**changed, "requestBody": {"required": True, "content": {"application/json": {"schema": body}}}}


def everywhere(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A value with every object in it changed."""
    if isinstance(value, dict):
        return {name: everywhere(item, change) for name, item in change(value).items()}
    return [everywhere(item, change) for item in value] if isinstance(value, list) else value
