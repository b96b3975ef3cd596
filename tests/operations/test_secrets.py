"""Secrets: what looks like a credential is shown by no reply, refusal, event or log line; prose is left alone."""

import contextlib
import io
import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gatepost
from gatepost.operations.catalog import OPERATIONS
from gatepost.surfaces import faults
from gatepost.wire import rendering
from gatepost.wire.secrets import MASK, mask_text, masked, suspect
from tests.givens import CONFIRMED, World

BODY = "MIIEowIBAAKCAQEA7hunter2"
HIDDEN = "hunter2-Zq9"
KEYS = [
    *("token", "password", "api_key", "apiKey", "x-api-key", "DATABASE_PASSWORD", "client_secret", "passwd"),
    *("secret", "access_token", "refreshToken", "private_key", "Authorization", "credentials"),
    *("dbPassword", "githubToken"),
]
PREFIXED = [
    "sk-proj-abcdefghijklmnop1234",
    "sk_live_abcdefghijklmnop1234",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_abcdefghijklmnopqrstuvwxyz",
    "glpat-abcdefghijklmnopqrst",
    "xoxb-1234567890-abcdefghij",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "hf_abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
]
LABELS = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"]
PROSE = [
    "Rate limiting by a token bucket",
    "The secret of success is patience",
    "key: see docs",
    "Let users reset their password by mail",
    "The bearer of good news arrives at noon",
    "Use sk-learn for the first version",
    "max_tokens: 4096 and token_count=12",
    "secretary: Bob; keyboard: qwerty; tokenizer = fast",
    "Write to bob@example.com or git@github.com:acme/repo.git",
    "Open http://localhost:8080/@me and https://example.com:443/a@b",
    "-----BEGIN CERTIFICATE-----",
    "TASK-001 passes the gate",
]


@pytest.mark.requirement("secrets.keys.masked")
@pytest.mark.parametrize("key", KEYS)
def test_the_value_of_a_telling_key_is_masked(key: str) -> None:
    assert masked({key: HIDDEN}) == {key: MASK}
    for text in (f"{key}={HIDDEN}", f"{key}: {HIDDEN}", f'{{"{key}": "{HIDDEN}"}}', f"export {key}='{HIDDEN}'"):
        assert HIDDEN not in mask_text(f"Try {text} then go on")
        assert mask_text(f"Try {text} then go on").endswith("then go on")


@pytest.mark.requirement("secrets.keys.masked")
@pytest.mark.parametrize(
    "value", [[HIDDEN, HIDDEN], {"current": HIDDEN}, 48151623], ids=["list", "object", "number"]
)
def test_whatever_stands_under_a_telling_key_is_masked(value: Any) -> None:
    shown = json.dumps(masked({"db": {"password": value}}))

    assert HIDDEN not in shown
    assert "48151623" not in shown


@pytest.mark.requirement("secrets.keys.masked")
def test_a_json_text_inside_a_text_is_masked_as_well() -> None:
    command = r"curl -d \"{\\\"password\\\": \\\"hunter2-Zq9\\\"}\" and \"{\"password\": \"hunter2-Zq9\"}\""
    once = "curl -d " + json.dumps(json.dumps({"password": HIDDEN}))

    assert HIDDEN not in mask_text(once)
    assert HIDDEN not in mask_text(command)


@pytest.mark.requirement("secrets.prefixes.masked")
@pytest.mark.parametrize("token", PREFIXED, ids=[token[:6] for token in PREFIXED])
def test_a_value_with_a_well_known_prefix_is_masked_wherever_it_stands(token: str) -> None:
    assert mask_text(f"Call it with {token}, then wait.") == f"Call it with {MASK}, then wait."
    assert masked({"deep": [{"note": f"({token})"}]}) == {"deep": [{"note": f"({MASK})"}]}
    assert token not in json.dumps(masked({token: 1}))


@pytest.mark.requirement("secrets.pem.masked")
@pytest.mark.parametrize("label", LABELS)
def test_a_private_key_block_is_masked_whole_even_if_it_was_cut(label: str) -> None:
    block = f"-----BEGIN {label}-----\n{BODY}\n{BODY}\n-----END {label}-----"

    assert mask_text(f"before\n{block}\nafter") == f"before\n{MASK}\nafter"
    assert BODY not in mask_text(block[:-40])


@pytest.mark.requirement("secrets.views.masked")
@pytest.mark.parametrize(
    "text",
    [
        f"postgres://bob:{HIDDEN}@db.example.com/x",
        f"redis://:{HIDDEN}@localhost:6379/0",
        f"https://bob:p@{HIDDEN}@example.com/",
        f"Authorization: Bearer {HIDDEN}",
        f"curl -H 'authorization: bearer {HIDDEN}'",
        f"BEARER {HIDDEN}",
        f"Authorization: Basic {HIDDEN}",
    ],
)
def test_credentials_in_addresses_and_headers_are_masked(text: str) -> None:
    assert HIDDEN not in mask_text(text)


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_left_as_it_is(text: str) -> None:
    assert mask_text(text) == text


pieces = st.sampled_from(
    [
        *("token", "PassWord", "api_key", "secret", "Bearer ", "authorization", "\u017fecret", "passphrase", "Key"),
        *("=", ": ", '"', "'", "\\", "\n", " ", "://bob:", "@host", "-----BEGIN PRIVATE KEY-----", "\u2028", "é"),
        *("sk-", "ghp_", "sk_live_", "eyJhbGciOiJI.eyJzdWIiOiIxMjM0.", "AKIA", "xoxb-", "npm_", "hf_", "pypi-"),
        *("abcdefghijklmnopqrstuvwxyz0123456789", "ABCDEFGHIJKLMNOP", "hunter2", "[masked]"),
    ]
)
glued = st.lists(pieces | st.text(max_size=2), max_size=8).map("".join).filter(lambda text: text.isprintable())
values: st.SearchStrategy[Any] = st.recursive(
    glued | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(glued, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.requirement("secrets.rule.one-place", "secrets.views.masked")
@settings(deadline=None, max_examples=500)
@given(value=values)
@example(value={"\u017fecret": "a long s is an s to a pattern that ignores case"})
def test_the_quick_look_never_misses_what_masking_would_change(value: Any) -> None:
    if masked(value) != value:
        assert suspect(rendering.compact(value))
    assert json.loads(rendering.text(value)) == json.loads(rendering.compact(masked(value)))


@settings(deadline=None, max_examples=500)
@given(value=values)
def test_masking_twice_is_masking_once(value: Any) -> None:
    assert masked(masked(value)) == masked(value)


def filled(world: World) -> str:
    """A plan, a task and a step that hold a secret wherever a text can stand."""
    token = PREFIXED[2]
    plan = world.plan(
        title=f"Use {token}", contract=f"password={HIDDEN}", contract_data={"deep": {"token": HIDDEN}}
    )
    step = {"title": f"Send {token}", "criteria": [f"token: {HIDDEN}"], "tests": [token], "blockers": [token]}
    task = world.task(plan=plan, title=f"api_key={HIDDEN}", description=token, context=token, steps=[step, step])
    world.ok("tasks_edit", task=plan, description=f"secret: {HIDDEN}", tags=[token], new_domain=token)
    world.ok("tasks_note", task=task, note=f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----")
    world.ok("tasks_block", task=task, path="s:1", reason=f"postgres://bob:{HIDDEN}@db")
    marks = {name: {**mark, "note": f"Bearer {HIDDEN}"} for name, mark in CONFIRMED.items()}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=marks)
    world.ok("tasks_progress", task=task, path="s:0", completed=True)
    world.ok("tasks_progress", task=task, path="s:0", completed=False, reason=token)
    world.ok("tasks_focus_set", task=task)
    return task


def clean(text: str) -> bool:
    return not any(secret in text for secret in (HIDDEN, PREFIXED[2], BODY))


@pytest.mark.requirement("secrets.views.masked", "secrets.events.masked", "secrets.rule.one-place")
def test_no_view_and_no_event_shows_a_secret(world: World) -> None:
    task = filled(world)
    reads: list[dict[str, Any]] = [
        {"tool": "tasks_resume", "task": task, "path": "s:0", "events_limit": 50},
        {"tool": "tasks_resume", "plan": "PLAN-001", "events_limit": 50},
        {"tool": "tasks_radar", "plan": "PLAN-001"},
        {"tool": "tasks_radar", "task": task, "max_chars": 600},
        *({"tool": operation.name} for operation in OPERATIONS if not operation.writes),
    ]

    for read in reads:
        arguments = {name: value for name, value in read.items() if name != "tool"}
        text = world.ask(read["tool"], **arguments).text
        assert clean(text), f"{read} shows a secret"
    assert MASK in world.ask("tasks_delta").text
    assert not clean(str(world.everything())), "the texts themselves are kept"


@pytest.mark.requirement("secrets.events.masked")
def test_the_events_of_a_write_and_of_a_follower_show_no_secret(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "a.db")) as gp:
        made = gp.call("tasks_create", workspace="w", kind="task", title=f"password={HIDDEN}")
        gp.call("tasks_note", workspace="w", task=made["id"], note=PREFIXED[2])
        followed = list(islice(gp.follow("w"), 2))

    assert made["events"][0]["title"] == followed[0]["title"] == f"password={MASK}"
    assert followed[1]["note"] == MASK


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("tasks_create", {"kind": PREFIXED[2], "title": "x"}),
    ("tasks_create", {"kind": "task", "title": 7, f"token={HIDDEN}": 1}),
    ("tasks_radar", {"task": f"password={HIDDEN}"}),
    ("tasks_note", {"task": "TASK-001", "path": f"https://bob:{HIDDEN}@host", "note": "x"}),
    ("tasks_note", {"task": "TASK-001", "path": "https://bob:" + HIDDEN * 9 + "@host", "note": "x"}),
    ("tasks_note", {"task": "TASK-001", "path": "x" * 55 + " " + PREFIXED[2], "note": "x"}),
    ("tasks_delta", {"types": [PREFIXED[2]]}),
    (PREFIXED[2], {}),
]


@pytest.mark.requirement("secrets.views.masked")
@pytest.mark.parametrize(("tool", "arguments"), REFUSED, ids=range(len(REFUSED)))
def test_a_refusal_does_not_echo_a_secret_back(tool: str, arguments: dict[str, Any], one_world: World) -> None:
    text = one_world.ask(tool, **arguments).text

    assert "error" in json.loads(text)
    assert clean(text)
    assert HIDDEN not in text
    assert PREFIXED[2][:16] not in text, "not even its beginning"


@pytest.mark.requirement("secrets.views.masked")
def test_a_refusal_raised_in_python_shows_no_secret_either(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "a.db")) as gp:
        with pytest.raises(gatepost.Refusal) as raised:
            gp.call("tasks_radar", workspace="w", task=f"password={HIDDEN}")

        gp.call("tasks_create", workspace="w", kind="task", title="x", steps=[{"title": "s"}])
        gp.call("tasks_block", workspace="w", task="TASK-001", path="s:0", reason=f"token={HIDDEN}")
        with pytest.raises(gatepost.Refusal) as blocked:
            gp.call("tasks_done", workspace="w", task="TASK-001", path="s:0")

    for refusal in (raised.value, blocked.value):
        assert HIDDEN not in f"{refusal} {refusal.message} {refusal.details}"


@pytest.mark.requirement("secrets.logs.masked")
def test_the_log_line_of_a_fault_shows_no_secret() -> None:
    said = io.StringIO()
    secret = f"password={HIDDEN} {PREFIXED[2]}"

    with contextlib.redirect_stderr(said):
        faults.report("tasks_note", ValueError(secret))

    assert MASK in said.getvalue()
    assert clean(said.getvalue())
