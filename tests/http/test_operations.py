"""The operations over HTTP."""

import json
from pathlib import Path

import httpx
import pytest

from gatepost import wiring
from gatepost.operations.catalog import OPERATIONS
from gatepost.storage.sqlite import connection_pool
from gatepost.surfaces.http import bodies
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.givens import WORKSPACE
from tests.http.givens import Site
from tests.storage.waiters import until
from tests.wire.credentials import EVERY

PROBLEM = "application/problem+json"


def problem(answered: httpx.Response, status: int, code: str) -> dict[str, object]:
    """The problem that an answer must be."""
    assert (answered.status_code, answered.headers["content-type"]) == (status, PROBLEM), answered.text
    read: dict[str, object] = answered.json()
    assert (read["status"], read["code"]) == (status, code)
    assert read["detail"] == read["message"]
    assert read["title"]
    assert read["recovery"]
    assert str(read["type"]).endswith(code)
    return read


def test_a_call_is_answered_with_the_operations_reply_to_the_letter(here: Site) -> None:
    here.world.task("Form")

    answered = here.call("tasks_resume", task="TASK-001")

    assert answered.status_code == 200
    assert answered.headers["content-type"] == "application/json"
    assert answered.text == here.world.ask("tasks_resume", task="TASK-001").text


@pytest.mark.requirement("call.registry.http")
def test_every_operation_that_works_on_no_files_is_served_under_its_name(here: Site) -> None:
    for operation in OPERATIONS:
        answered = here.client.post(f"/v1/operations/{operation.name}", json={"workspace": "not a name"})
        problem(answered, *((404, "UNKNOWN_TOOL") if operation.files else (400, "INVALID_INPUT")))


def test_refusals_are_problems_with_the_status_of_their_kind(here: Site) -> None:
    here.world.task("Form")

    invalid = problem(here.call("tasks_create", kind="task", titel="x"), 400, "INVALID_INPUT")
    unknown = problem(here.call("tasks_resume", task="TASK-009"), 404, "UNKNOWN_ID")
    stale = problem(
        here.call("tasks_note", task="TASK-001", note="x", expected_revision=7), 409, "REVISION_MISMATCH"
    )
    gate = here.call("tasks_close_step", task="TASK-001", path="s:0", checkpoints={"criteria": {"confirmed": True}})
    problem(gate, 409, "CHECKPOINTS_NOT_CONFIRMED")
    large = here.call(
        "tasks_evidence_capture",
        task="TASK-001",
        path="s:0",
        items=[{"kind": "note", "content": "x" * 300_000}],
    )
    problem(large, 413, "TOO_LARGE")

    assert invalid["problems"]
    assert stale["current_revision"] == 1
    suggestion = unknown["suggestion"]
    assert isinstance(suggestion, dict)
    assert here.client.post(f"/v1/operations/{suggestion['tool']}", json=suggestion["arguments"]).status_code == 200


def test_a_store_that_others_hold_for_too_long_is_busy(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    here.world.task("Form")
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)

    with here.world.store.writing(WORKSPACE):
        answered = here.call("tasks_note", task="TASK-001", note="x")

    problem(answered, 503, "BUSY")
    assert answered.headers["retry-after"] == "1"


def test_calls_beyond_those_that_may_wait_are_told_to_come_again(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(here.server.application.workers, "_most", 0)

    problem(here.call("tasks_radar"), 503, "BUSY")


def test_files_are_not_for_the_network_not_even_in_a_batch(here: Site) -> None:
    calls = [{"tool": "file_write", "arguments": {"path": "a.txt", "content": "x"}}]

    answered = here.call("tasks_batch", operations=calls)

    assert answered.status_code in (404, 409)
    assert list(here.world.files.glob("**")) == []


@pytest.mark.parametrize(
    "body", [b"{", b"", b"\xff", b'{"a": NaN}', b"[" * 100_000, b"[]", b"3", b'{"a":"\\ud800"}']
)
def test_what_is_no_json_object_is_refused_as_invalid(here: Site, body: bytes) -> None:
    answered = here.client.post(
        "/v1/operations/tasks_radar", content=body, headers={"content-type": "application/json"}
    )
    problem(answered, 400, "INVALID_INPUT")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_does_not_say_it_is_json_is_refused_and_does_nothing(here: Site, kind: str) -> None:
    body = json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "x"})

    answered = here.client.post("/v1/operations/tasks_create", content=body, headers={"content-type": kind})

    problem(answered, 415, "INVALID_INPUT")
    assert here.world.everything()["events"] == []


def test_a_body_beyond_the_limit_is_refused_whether_or_not_it_says_its_length(here: Site) -> None:
    def endless() -> object:
        for _ in range(bodies.LIMIT // 65536 + 2):
            yield b" " * 65536

    headers = {"content-type": "application/json"}
    told = here.client.post("/v1/operations/tasks_radar", content=b" " * (bodies.LIMIT + 1), headers=headers)
    untold = here.client.post("/v1/operations/tasks_radar", content=endless(), headers=headers)  # type: ignore[arg-type]

    problem(told, 413, "TOO_LARGE")
    problem(untold, 413, "TOO_LARGE")


def test_unknown_paths_and_methods_are_problems_too(here: Site) -> None:
    problem(here.client.get("/nowhere"), 404, "NOT_FOUND")
    problem(here.client.get("/v1/events/"), 404, "NOT_FOUND")
    refused = here.client.get("/v1/operations/tasks_radar")
    problem(refused, 405, "INVALID_INPUT")
    assert refused.headers["allow"] == "POST"


@pytest.mark.requirement("secrets.refused.field-and-kind")
@pytest.mark.parametrize("path", ["/{}", "/v1/operations/{}", "/v1/sessions/{}", "/v1/sessions/{}/events"])
def test_a_path_with_a_credential_is_not_quoted_as_it_is(path: str, here: Site) -> None:
    for method in ("GET", "POST"):
        assert EVERY["ghp"] not in here.client.request(method, path.format(EVERY["ghp"])).text


def test_the_actor_is_who_the_header_says_and_http_without_one(here: Site) -> None:
    named = here.call("tasks_create", {"x-gatepost-actor": "agent:web"}, kind="task", title="A").json()
    unnamed = here.ok("tasks_create", kind="task", title="B")

    logged = here.ok("tasks_delta", types=["task_created"])["events"]
    assert [event["seq"] for event in logged] == [made["events"][0]["seq"] for made in (named, unnamed)]
    assert [event["actor"] for event in logged] == ["agent:web", "http"]


def test_a_fault_is_owned_up_to_with_an_id_and_without_details(
    here: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_name: str) -> None:
        raise RuntimeError("the disk is full of secrets")

    monkeypatch.setattr(here.world.store, "reading", broken)

    read = problem(here.call("tasks_radar"), 500, "INTERNAL_ERROR")

    assert "secrets" not in json.dumps(read)
    (entry,) = here.logged(1)
    fault = entry["fault"]
    assert fault in str(read["detail"])
    assert f"fault {fault}" in capsys.readouterr().err


def test_each_request_is_one_line_of_the_log_with_its_id_and_its_metrics(here: Site) -> None:
    made = here.call("tasks_create", {"x-request-id": "abc-1"}, kind="task", title="A")
    here.call("tasks_resume", task="TASK-009")
    here.client.post("/v1/operations/no-such-thing-" + "x" * 9, json={})

    first, second, third = here.logged(3)
    assert made.headers["x-request-id"] == first["request_id"] == "abc-1"
    assert (first["actor"], first["operation"], first["workspace"]) == ("http", "tasks_create", WORKSPACE)
    assert first["milliseconds"] > 0
    assert (second["status"], second["outcome"]) == (404, "UNKNOWN_ID")
    assert second["request_id"] not in ("", "abc-1")
    assert third["operation"] == "unknown"
    assert here.metric('gatepost_requests_total{operation="tasks_create",outcome="ok"}') == 1
    assert here.metric('gatepost_requests_total{operation="tasks_resume",outcome="UNKNOWN_ID"}') == 1
    assert here.metric('gatepost_request_seconds_bucket{operation="tasks_create",le="+Inf"}') == 1
    assert here.metric('gatepost_request_seconds_count{operation="tasks_create"}') == 1


@pytest.mark.requirement("secrets.refused.field-and-kind")
def test_a_credential_is_refused_as_an_invalid_request_that_does_not_repeat_it(here: Site) -> None:
    token = EVERY["ghp"]

    answered = here.client.post(
        "/v1/operations/tasks_create", json={"workspace": WORKSPACE, "kind": "task", "title": token}
    )

    assert (answered.status_code, answered.json()["code"]) == (400, "SECRET_FOUND")
    assert answered.json()["found"] == [{"field": "title", "kind": "GitHub token"}]
    assert token not in answered.text
    assert token not in json.dumps(here.logged(1))


def test_the_server_is_alive_and_ready_and_readiness_heals_with_the_store(tmp_path: Path) -> None:
    store = tmp_path / "gp.db"
    store.write_text("no database " * 500, encoding="utf-8")
    server = Server(wiring.engine(str(store)), ServerSettings(), 0, log=lambda _row: None)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as client:
            assert client.get("/healthz").json() == {"status": "alive"}
            unready = client.get("/readyz")
            assert (unready.status_code, unready.json()["code"]) == (503, "NOT_A_STORE")

            store.unlink()

            until(lambda: client.get("/readyz").json() == {"status": "ready"})
    finally:
        server.stop()


def test_the_openapi_document_has_every_operation_with_closed_inputs(here: Site) -> None:
    document = here.client.get("/v1/openapi.json").json()

    assert document["openapi"].startswith("3.1")
    for operation in OPERATIONS:
        path = document["paths"].get(f"/v1/operations/{operation.name}")
        if operation.files:
            assert path is None
            continue
        schema = path["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert schema["additionalProperties"] is False
        assert "workspace" in schema["required"]
        assert {"200", "400", "404", "409", "503"} <= set(path["post"]["responses"])
    assert r"\Z" not in json.dumps(document).replace(r"\\", "\\")
    assert "/v1/events" in document["paths"]
