"""Calls of either client: the same replies, the same refusals, the same words."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

import gatepost
from gatepost import commands
from gatepost.client.protocol import Client
from gatepost.client.remote import server_address
from gatepost.domain.refusals import ToolValidationError, UnknownId, WorkspaceMismatch
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from gatepost.todo.event_stream import reason_of
from tests.client.givens import ACTOR, remote
from tests.givens import WORKSPACE, World
from tests.http.givens import site

TOKEN = "t" * 32


def test_a_call_is_answered_and_logged_under_the_actor(world: World, client: Client) -> None:
    task = world.task("One")

    reply = client.call(
        "tasks_note", workspace=WORKSPACE, task=task, path="s:0", note="by hand", expected_revision=1
    )

    assert reply["revision"] == 2
    assert world.ok("tasks_delta", task=task)["events"][-1]["actor"] == ACTOR


def test_a_reply_is_sent_byte_for_byte(world: World, client: Client) -> None:
    world.task("Größe 日本語 \U0001f44b", title="</script>")

    said = client.text("tasks_radar", {"workspace": WORKSPACE})

    assert said == world.ask("tasks_radar").text


def test_a_typed_command_has_a_typed_reply(client: Client) -> None:
    made = client.do(commands.Create(workspace=WORKSPACE, kind="task", title="Typed"))

    assert isinstance(made, commands.Created)
    assert made.id == "TASK-001"


def test_a_refusal_has_its_class_code_words_suggestion_and_details(world: World, client: Client) -> None:
    task = world.task("One")

    with pytest.raises(gatepost.Refusal) as stale:
        client.call("tasks_note", workspace=WORKSPACE, task=task, note="x", expected_revision=7)
    with pytest.raises(UnknownId):
        client.call("tasks_resume", workspace=WORKSPACE, task="TASK-099")
    with pytest.raises(ToolValidationError) as invalid:
        client.call("tasks_note", workspace=WORKSPACE, task=task)
    with pytest.raises(gatepost.Refusal) as unknown:
        client.call("tasks_nothing")

    no = stale.value
    assert (no.code, no.family) == ("REVISION_MISMATCH", "conflict")
    assert no.message == "TASK-001 is at revision 1, not 7."
    assert "expected_revision 1" in no.recovery
    assert no.suggestion is not None
    assert no.suggestion.arguments["workspace"] == WORKSPACE
    assert no.details["current_revision"] == 1
    assert isinstance(invalid.value, ValueError)
    assert invalid.value.details["problems"] == [{"field": "note", "problem": "is required"}]
    assert (unknown.value.code, unknown.value.family) == ("UNKNOWN_TOOL", "unknown")


def test_a_rehearsal_answers_and_stores_nothing(world: World, client: Client) -> None:
    task = world.task("One")
    before = world.everything()

    said = client.rehearse("tasks_note", {"workspace": WORKSPACE, "task": task, "note": "would be"})

    assert '"revision":2' in said
    assert world.everything() == before


def test_a_rehearsal_that_a_server_does_not_understand_is_not_a_write(world: World) -> None:
    before = world.everything()

    with site(world) as here:
        answered = here.client.post("/v1/operations/tasks_create?rehearse=yes", json={"workspace": WORKSPACE})

    assert (answered.status_code, answered.json()["code"]) == (400, "INVALID_INPUT")
    assert world.everything() == before


def test_the_workspaces_are_listed(world: World, client: Client) -> None:
    world.task("One")
    world.ok("tasks_create", workspace="other/one", kind="task", title="x")

    assert client.workspaces() == [WORKSPACE, "other/one"]


def test_a_server_for_one_workspace_names_it(world: World) -> None:
    world.ok("tasks_create", workspace="other/one", kind="task", title="x")
    server = Server(world.engine, ServerSettings(bound=WORKSPACE), 0)
    try:
        with gatepost.connect(f"http://127.0.0.1:{server.port}") as gp:
            assert gp.client.workspaces() == [WORKSPACE]
    finally:
        server.stop()


def test_a_bound_client_stays_in_its_workspace_on_a_server_too(world: World) -> None:
    with site(world) as here, gatepost.connect(here.url, workspace=WORKSPACE) as gp:
        gp.call("tasks_create", kind="task", title="Here")
        with pytest.raises(WorkspaceMismatch):
            gp.call("tasks_radar", workspace="other/repo")


def test_a_session_s_list_is_its_own_and_its_calls_carry_its_name(world: World, client: Client) -> None:
    client.for_session("builder").call("todo_write", workspace=WORKSPACE, items=["one"])

    assert client.call("todo_read", workspace=WORKSPACE)["items"] == []
    assert client.call("todo_read", workspace=WORKSPACE, session="builder")["items"] == ["one"]
    assert world.ok("tasks_delta")["events"][-1]["actor"] == f"{ACTOR}/builder"


def test_one_connection_serves_many_calls_and_a_new_one_follows_a_restart(world: World) -> None:
    with site(world) as here:
        client, port = remote(here.url), here.server.port
        for _ in range(3):
            client.call("tasks_radar", workspace=WORKSPACE)
        assert len(client._connections._idle) == 1
    again = Server(world.engine, ServerSettings(), port)
    try:
        assert client.call("tasks_radar", workspace=WORKSPACE)["now"] is None
    finally:
        client.close()
        again.stop()


def test_a_server_that_is_not_there_is_store_unreachable_with_the_next_step() -> None:
    client = remote("http://127.0.0.1:9")

    with pytest.raises(gatepost.Refusal) as no:
        client.call("tasks_radar", workspace=WORKSPACE)

    assert (no.value.code, no.value.family) == ("STORE_UNREACHABLE", "store")
    assert no.value.message == "http://127.0.0.1:9 does not answer: Connection refused."
    assert "gatepost up" in no.value.recovery


def test_a_server_that_needs_a_token_says_how_to_give_it(world: World) -> None:
    with site(world, token=TOKEN) as here:
        refusals = []
        for token in (None, "x" * 32):
            with pytest.raises(gatepost.Refusal) as no:
                remote(here.url, token).call("tasks_radar", workspace=WORKSPACE)
            refusals.append(no.value)
        assert remote(here.url, TOKEN).call("tasks_radar", workspace=WORKSPACE)["now"] is None

    assert [no.message for no in refusals] == [
        f"{here.url} needs a token.",
        f"{here.url} does not accept this token.",
    ]
    assert all((no.code, no.family) == ("UNAUTHORIZED", "forbidden") for no in refusals)
    assert "--token-file" in refusals[0].recovery


class _Elsewhere(BaseHTTPRequestHandler):
    """Sends every caller to another address."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(307)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name for it
        pass


def test_a_redirect_is_not_followed() -> None:
    with HTTPServer(("127.0.0.1", 0), _Elsewhere) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(gatepost.Refusal, match="does not answer as a Gatepost server does"):
            remote(f"http://127.0.0.1:{server.server_port}", TOKEN).call("tasks_radar", workspace=WORKSPACE)
        thread.join()


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://:4870",
        "ftp://host",
        "http://host:99999",
        "http://host:0",
        "http://[::1",
        "host",
        "http://a..b",
        "http://host/?x=1",
        "http://host/#part",
        "http://user:word@host",
    ],
)
def test_an_address_that_no_server_can_have_is_refused_at_once(url: str) -> None:
    with pytest.raises(gatepost.Refusal) as no:
        server_address(url)

    assert no.value.message == f"`store` {url} is not a server's address"
    assert no.value.recovery == "Write it as http://127.0.0.1:4870."


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(ConnectionRefusedError(111, "Connection refused")), "[Errno 111] Connection refused"),
        (TimeoutError("timed out"), "it took too long"),
        (ConnectionResetError(104, "Connection reset by peer."), "Connection reset by peer"),
        (OSError(), "OSError"),
    ],
)
def test_a_library_s_error_is_put_into_a_few_words(error: Exception, words: str) -> None:
    assert reason_of(error) == words
