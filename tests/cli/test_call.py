"""`gatepost call`: any operation, from the registry, with helpful words for what is wrong."""

import json
from pathlib import Path

import pytest

from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from tests.cli.givens import WORKSPACE, Desk
from tests.wire.credentials import EVERY

SPOKEN_FOR = json.dumps({"workspace": WORKSPACE})


@pytest.mark.requirement("call.registry.one-description")
def test_every_operation_of_the_registry_is_listed_in_its_own_words(desk: Desk) -> None:
    shown = desk.here("call")

    assert shown.code == 0
    for operation in OPERATIONS:
        assert f"{operation.name} " in shown.out
        assert operation.about in shown.out


@pytest.mark.requirement("call.registry.one-description")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_what_an_operation_takes_is_told_from_its_command(desk: Desk, operation: Operation) -> None:
    told = desk.here("call", operation.name, "--about")
    listed = json.loads(desk.here("call", operation.name, "--about", "--json").out)

    assert told.code == 0
    for field in operation.command.__struct_encode_fields__:
        assert f"\n{field} " in told.out
        assert field in listed["inputSchema"]["properties"]


@pytest.mark.requirement("call.reply.compact")
def test_a_reply_is_printed_to_the_letter(desk: Desk) -> None:
    task = desk.passkeys()

    ran = desk.apart("call", "tasks_radar", json.dumps({"workspace": WORKSPACE, "task": task}))

    assert ran == (0, desk.world.ask("tasks_radar", task=task).text + "\n", "")


@pytest.mark.requirement("call.actor.recorded")
def test_the_log_names_the_cli_or_the_actor_that_was_given(desk: Desk) -> None:
    title = json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "x"})

    desk.here("call", "tasks_create", title)
    desk.here("call", "tasks_create", title, "--actor", "human:ann")

    actors = [event["actor"] for event in desk.world.ok("tasks_delta")["events"]]
    assert actors == ["cli", "human:ann"]


@pytest.mark.parametrize("way", ["flag", "variable", "toml"])
def test_a_workspace_that_is_set_is_filled_in(desk: Desk, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    words = ["call", "tasks_create", '{"kind": "task", "title": "x"}']
    if way == "flag":
        words += ["--workspace", WORKSPACE]
    elif way == "variable":
        monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)
    else:
        Path("gatepost.toml").write_text(f'workspace = "{WORKSPACE}"\n', encoding="utf-8")

    made = desk.here(*words)

    assert made.code == 0
    assert desk.world.ok("tasks_context")["items"][0]["title"] == "x"


def test_a_workspace_in_the_arguments_is_left_as_it_is(desk: Desk) -> None:
    words = ("call", "tasks_create", '{"workspace": "a/b", "kind": "task", "title": "x"}', "--workspace", WORKSPACE)

    desk.here(*words)

    assert desk.world.ok("tasks_context")["items"] == []


def test_a_call_without_any_workspace_is_refused(desk: Desk) -> None:
    ran = desk.here("call", "tasks_create", '{"kind": "task", "title": "x"}')

    assert ran.code == 2
    assert json.loads(ran.out)["error"]["problems"] == [{"field": "workspace", "problem": "is required"}]


def test_arguments_can_come_from_stdin_or_a_file(desk: Desk) -> None:
    text = json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "Ünïcode 日本"}, ensure_ascii=False)
    Path("new.json").write_text(text, encoding="utf-8")

    piped = desk.apart("call", "tasks_create", "-", stdin=text)
    filed = desk.here("call", "tasks_create", "@new.json")

    assert (piped.code, filed.code) == (0, 0)
    titles = [item["title"] for item in desk.world.ok("tasks_context")["items"]]
    assert titles == ["Ünïcode 日本"] * 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a": "b" "c"}', "line 1, column 11"),
        ("{\n  'a': 1}", "line 2, column 3"),
        ("{a: 1}", "single quotes around the whole object"),
        ("", "is empty"),
        ("[1]", "must be a JSON object, not a list"),
        ("null", "must be a JSON object, not null"),
        ('{"a": NaN}', "NaN"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "is not JSON"),
        ("@nowhere.json", "nowhere.json cannot be read: No such file"),
        ("@.", "cannot be read"),
    ],
)
def test_bad_json_is_refused_in_words_that_help(desk: Desk, given: str, expected: str) -> None:
    ran = desk.here("call", "tasks_radar", given)

    error = json.loads(ran.out)["error"]
    assert ran.code == 2
    assert error["code"] == "INVALID_INPUT"
    assert expected in error["message"] + error["recovery"]


def test_bad_json_is_shown_with_the_spot_marked(desk: Desk) -> None:
    ran = desk.here("call", "tasks_radar", '{"a": "b" "c"}')

    message = json.loads(ran.out)["error"]["message"].split("\n")
    assert message[1].index('"c"') == message[2].index("^")


def test_bytes_that_are_not_utf_8_are_refused(desk: Desk) -> None:
    Path("latin.json").write_bytes(b'{"title": "\xe9"}')

    ran = desk.here("call", "tasks_create", "@latin.json")

    assert ran.code == 2
    assert "not UTF-8" in ran.out


def test_an_unknown_tool_is_answered_with_the_nearest(desk: Desk) -> None:
    ran = desk.here("call", "tasks_crate", SPOKEN_FOR)
    about = desk.here("call", "tasks_crate", "--about")

    assert (ran.code, about.code) == (3, 3)
    for said in (ran, about):
        assert json.loads(said.out)["error"]["recovery"].startswith("The nearest are: tasks_create: Create a plan")


@pytest.mark.requirement("call.refusal.shape")
def test_a_refusal_is_the_operations_own_answer(desk: Desk) -> None:
    asked = {"workspace": WORKSPACE, "task": "TASK-042", "note": "x"}

    ran = desk.apart("call", "tasks_note", json.dumps(asked))

    assert ran == (3, desk.world.ask("tasks_note", task="TASK-042", note="x").text + "\n", "")


def test_a_reading_call_creates_no_store(bare: Path, desk: Desk) -> None:
    ran = desk.here("call", "tasks_radar", SPOKEN_FOR, "--store", "new/store.db")

    error = json.loads(ran.out)["error"]
    assert ran.code == 3
    assert error["code"] == "NOT_FOUND"
    assert error["suggestion"]["tool"] == "tasks_create"
    assert not (bare / "new").exists()


def test_a_writing_call_creates_the_store(bare: Path, desk: Desk) -> None:
    title = json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "x"})

    ran = desk.here("call", "tasks_create", title, "--store", "new/store.db")

    assert ran.code == 0
    assert (bare / "new" / "store.db").exists()


@pytest.mark.requirement("secrets.refused.field-and-kind", "secrets.setting.three")
def test_a_credential_is_invalid_input_unless_the_settings_say_otherwise(desk: Desk, bare: Path) -> None:
    secret = EVERY["ghp"]
    title = f'{{"workspace": "acme/repo", "kind": "task", "title": "use {secret}"}}'

    refused = desk.here("call", "tasks_create", title)
    (bare / "gatepost.toml").write_text('secrets = "redact"\n', encoding="utf-8")
    redacted = desk.here("call", "tasks_create", title, "--root", str(bare))
    (bare / "gatepost.toml").write_text('secrets = "perhaps"\n', encoding="utf-8")
    unknown = desk.here("call", "tasks_create", title, "--root", str(bare))

    assert (refused.code, redacted.code, unknown.code) == (2, 0, 2)
    assert "SECRET_FOUND" in refused.out + refused.err
    assert secret not in refused.out + refused.err + redacted.out
    assert '"redacted":1' in redacted.out
    assert "refuse, redact or allow" in unknown.out


def test_a_call_with_a_request_id_is_applied_once(desk: Desk) -> None:
    made = json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "Once", "request_id": "script-1"})

    first, again = (desk.here("call", "tasks_create", made) for _ in range(2))

    assert (first.code, again.code) == (0, 0)
    assert again.out == first.out
    assert len(desk.world.ok("tasks_context")["items"]) == 1
