"""Secrets: refused on the way in by every write, redacted where settings say so, never altered on the way out."""

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

import gatepost
from gatepost.operations.catalog import OPERATIONS
from gatepost.surfaces import faults
from tests.givens import CONFIRMED, World, memory_store
from tests.operations.calls import GOOD, ready
from tests.wire.credentials import EVERY

TOKEN = EVERY["ghp"]
JUDGED = [operation for operation in OPERATIONS if operation.writes and not operation.files]
KINDS = ["ghp", "aws", "pem RSA PRIVATE KEY", "jwt", "postgres", "env", "bearer", "stripe sk_live", "anthropic"]


@pytest.mark.requirement("secrets.refused.field-and-kind")
@pytest.mark.parametrize("kind", KINDS)
def test_a_note_with_a_credential_is_refused_and_names_field_and_kind_but_not_the_value(
    kind: str, world: World
) -> None:
    task = world.task("step")

    error = world.no("SECRET_FOUND", "tasks_note", task=task, note=f"Try {EVERY[kind]} now")

    assert [found["field"] for found in error["found"]] == ["note"]
    assert "`note` contains a credential" in error["message"]
    assert "environment variable" in error["recovery"]
    assert "GATEPOST_SECRETS" in error["recovery"]
    hidden = max(EVERY[kind].replace("\n", " ").split(), key=len)
    assert hidden[-16:] not in json.dumps(error)


def text_fields(kind: inspect.Type, at: str = "") -> Iterator[str]:
    """The fields of a command that take free text, as paths without indexes; `*` is any key."""
    if isinstance(kind, inspect.Metadata):
        yield from text_fields(kind.type, at)
    elif isinstance(kind, inspect.UnionType):
        for member in kind.types:
            yield from text_fields(member, at)
    elif isinstance(kind, inspect.StructType):
        for field in kind.fields:
            if at.split(".").count(field.encode_name) <= 1:
                yield from text_fields(field.type, f"{at}.{field.encode_name}".lstrip("."))
    elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
        yield from text_fields(kind.item_type, at)
    elif isinstance(kind, inspect.DictType):
        yield from text_fields(kind.value_type, f"{at}.*".lstrip("."))
    elif isinstance(kind, inspect.StrType | inspect.AnyType):
        yield at


def filled(given: Any, kind: inspect.Type, path: list[str], text: str) -> Any:
    """The arguments with a text at a path, and whatever else is needed on the way there."""
    if isinstance(kind, inspect.Metadata):
        return filled(given, kind.type, path, text)
    if isinstance(kind, inspect.UnionType):
        fitting = [member for member in kind.types if ".".join(path) in text_fields(member)]
        return filled(given, fitting[0], path, text)
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return [filled(None, kind.item_type, path, text)]
    if isinstance(kind, inspect.DictType):
        return {"name": filled(None, kind.value_type, path[1:], text)}
    if isinstance(kind, inspect.StructType):
        made = dict(given or {})
        for field in kind.fields:
            if field.encode_name == path[0]:
                made[field.encode_name] = filled(made.get(field.encode_name), field.type, path[1:], text)
            elif field.required and field.encode_name not in made:
                made[field.encode_name] = example(field.type)
        return made
    return text


def example(kind: inspect.Type) -> Any:
    if isinstance(kind, inspect.Metadata):
        return example(kind.type)
    if isinstance(kind, inspect.UnionType):
        return example(kind.types[0])
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    return True if isinstance(kind, inspect.BoolType) else 1 if isinstance(kind, inspect.IntType) else "tasks_note"


WAYS = {
    f"{operation.name} {path}": (operation, path)
    for operation in JUDGED
    for path in text_fields(inspect.type_info(operation.command))
}


@pytest.mark.requirement("secrets.refused.every-write")
@pytest.mark.parametrize("way", WAYS)
def test_every_text_of_every_write_is_judged(way: str, one_world: World) -> None:
    """A new operation or field is judged too: nothing here is a list that somebody must remember."""
    operation, path = WAYS[way]
    world = ready(one_world)
    given = filled(
        GOOD.get(operation.name, {}), inspect.type_info(operation.command), path.split("."), f"use {TOKEN} there"
    )
    before = world.everything()

    answered = world.ask(operation.name, **{"workspace": world.workspace, **given})

    assert TOKEN not in answered.text
    assert TOKEN not in str(world.everything())
    if path.removesuffix(".*") in operation.judged_later:
        assert operation.name in ("tasks_evidence_capture", "tasks_batch")
    else:
        assert answered.refusal is not None, answered.text
        assert answered.refusal.code in ("SECRET_FOUND", "INVALID_INPUT")
        assert world.everything() == before


def test_the_walk_meets_the_texts_that_people_know_of() -> None:
    assert set(WAYS) >= {
        *("tasks_create title", "tasks_create steps.criteria", "tasks_create steps.steps.title", "tasks_note note"),
        *("tasks_contract current", "tasks_contract contract_data.*", "todo_write items", "tasks_block reason"),
        *("change_mind content", "clear_mind reminder_content", "workspace_digest_set body", "tasks_edit tags"),
        *(
            "tasks_close_step checkpoints.criteria.note",
            "tasks_patch ops.value",
            "tasks_evidence_capture items.title",
        ),
    }


@pytest.mark.requirement("call.checks.shape-first", "secrets.refused.every-write")
def test_the_shape_is_judged_before_the_texts(world: World) -> None:
    error = world.no("INVALID_INPUT", "tasks_note", task="TASK-001", note=f"use {TOKEN}", noet=1)

    assert TOKEN not in json.dumps(error)


@pytest.mark.requirement("secrets.setting.three")
def test_redacting_stores_a_marker_and_answers_how_often() -> None:
    world = World(memory_store(), secrets="redact")
    task = world.ok(
        "tasks_create", kind="task", title=f"Use {TOKEN}", steps=[{"title": "s", "criteria": [f"a {TOKEN}"]}]
    )
    note = world.ok("tasks_note", task=task["id"], note="nothing to hide, token = next()")
    plan = world.ok("tasks_create", kind="plan", title="p", contract_data={TOKEN: 1, "password": EVERY["env"][12:]})
    batch = world.ok(
        "tasks_batch",
        operations=[{"tool": "tasks_note", "arguments": {"task": task["id"], "note": f"{TOKEN} and {TOKEN}"}}],
    )
    capture = world.ok(
        "tasks_evidence_capture",
        task=task["id"],
        items=[{"kind": "cmd_output", "title": f"with {TOKEN}", "content": TOKEN}],
    )

    assert [reply.get("redacted") for reply in (task, note, plan, batch, capture)] == [2, None, 2, 2, 2]
    assert batch["results"][0]["redacted"] == 2
    assert TOKEN not in str(world.everything())
    assert "Use [redacted: GitHub token]" in str(world.everything())
    assert "nothing to hide, token = next()" in str(world.everything())


@pytest.mark.requirement("secrets.setting.three", "texts.out.unaltered")
def test_allowing_stores_and_shows_everything_as_it_was_written() -> None:
    world = World(memory_store(), secrets="allow")
    texts = [f"a {credential} b" for credential in EVERY.values()]

    task = world.task(*(text for text in texts if "\n" not in text and len(text) <= 300))
    for text in texts:
        world.ok("tasks_note", task=task, note=text)
    world.ok("tasks_evidence_capture", task=task, items=[{"kind": "cmd_output", "content": "\n".join(texts)}])
    events = world.ok("tasks_delta", limit=200, max_chars=1_000_000)
    while events["has_more"]:
        more = world.ok("tasks_delta", limit=200, since=events["next"], max_chars=1_000_000)
        events = {**more, "events": events["events"] + more["events"]}

    assert [event["note"] for event in events["events"] if "note" in event] == texts
    assert json.loads(world.everything()["artifacts"][0][3])["content"] == "\n".join(texts)


@pytest.mark.requirement("secrets.setting.three")
def test_the_setting_comes_from_the_environment_for_python_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}
    for policy in ("refuse", "redact", "ALLOW"):
        monkeypatch.setenv("GATEPOST_SECRETS", policy)
        with gatepost.connect(str(tmp_path / f"{policy}.db")) as gp:
            with contextlib.suppress(gatepost.Refusal):
                gp.call("tasks_create", workspace="w", kind="task", title=f"use {TOKEN}")
            made[policy] = [item["title"] for item in gp.call("tasks_context", workspace="w")["items"]]

    assert made == {"refuse": [], "redact": ["use [redacted: GitHub token]"], "ALLOW": [f"use {TOKEN}"]}


def test_a_typed_command_is_judged_and_its_reply_tells_the_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gatepost.commands import Create

    monkeypatch.setenv("GATEPOST_SECRETS", "redact")
    with gatepost.connect(str(tmp_path / "a.db")) as gp:
        made = gp.do(Create(workspace="w", kind="task", title=f"use {TOKEN}"))
        plain = gp.do(Create(workspace="w", kind="task", title="use the vault"))

    assert (made.redacted, plain.redacted) == (1, None)


@pytest.mark.requirement("secrets.refused.every-write")
def test_a_template_s_own_text_is_judged_as_well(tmp_path: Path) -> None:
    home = tmp_path / ".gatepost"
    (home / "templates").mkdir(parents=True)
    (home / "templates" / "ops.toml").write_text(
        f'title = "Ops"\nabout = "Ops."\n[task]\ntitle = "{{title}}"\n[[task.steps]]\ntitle = "use {TOKEN}"\n',
        encoding="utf-8",
    )
    with gatepost.connect(str(tmp_path / "a.db")) as gp:
        gp.engine.home = str(home)
        with pytest.raises(gatepost.Refusal) as refused:
            gp.call("tasks_scaffold", workspace="w", template="ops", title="x")

    assert refused.value.code == "SECRET_FOUND"
    assert refused.value.details["found"] == [{"field": "template.steps[0].title", "kind": "GitHub token"}]


@pytest.mark.requirement("texts.out.unaltered")
def test_ordinary_words_come_back_from_every_view_as_they_were_written(world: World) -> None:
    words = "Fix password: reset mail; token = next(); api_key=settings.key"
    plan = world.plan(title=words, contract=words, contract_data={"password": "see the vault", "token": words})
    step = {"title": words, "criteria": [words], "tests": [words], "blockers": [words]}
    task = world.task(plan=plan, title=words, description=words, context=words, steps=[step, step])
    world.ok("tasks_note", task=task, path="s:0", note=words)
    world.ok("tasks_block", task=task, path="s:1", reason=words)
    marks = {name: {**mark, "note": words} for name, mark in CONFIRMED.items()}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=marks)

    shown = [
        world.ask(tool, max_chars=100_000, **target).text
        for tool, target in (
            *(("tasks_resume", {"task": task, "path": "s:0"}), ("tasks_resume", {"plan": plan})),
            *(("tasks_radar", {"task": task}), ("tasks_context", {}), ("tasks_delta", {})),
            *(("tasks_handoff", {"task": task}), ("tasks_mirror", {"task": task})),
        )
    ]

    assert all(words in text for text in shown)
    assert not any("[masked]" in text or "[redacted" in text for text in shown)


@pytest.mark.requirement("secrets.refused.field-and-kind")
def test_an_actor_s_name_carries_no_credential_into_the_log(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "a.db"), actor=f"agent:{TOKEN}") as gp:
        gp.call("tasks_create", workspace="w", kind="task", title="x")
        (event,) = gp.call("tasks_delta", workspace="w")["events"]

    assert event["actor"] == "agent:[redacted: GitHub token]"


REFUSED: list[tuple[str, dict[str, Any]]] = [
    (TOKEN, {}),
    ("tasks_create", {"kind": TOKEN, "title": "x"}),
    ("tasks_create", {"kind": "task", "title": 7, TOKEN: 1}),
    ("tasks_note", {"task": "TASK-001", "path": "x" * 40 + " " + TOKEN, "note": "x"}),
    ("tasks_contract", {"plan": "PLAN-001", "current": "x", "contract_data": {TOKEN: {"deep": TOKEN}}}),
]


@pytest.mark.requirement("secrets.refused.field-and-kind")
@pytest.mark.parametrize(("tool", "arguments"), REFUSED, ids=range(len(REFUSED)))
def test_a_refusal_does_not_echo_a_credential_back(tool: str, arguments: dict[str, Any], one_world: World) -> None:
    text = one_world.ask(tool, **arguments).text

    assert "error" in json.loads(text)
    assert TOKEN[:16] not in text, "not even its beginning"


@pytest.mark.requirement("secrets.logs.redacted")
def test_the_log_line_of_a_fault_shows_no_credential() -> None:
    said = io.StringIO()

    with contextlib.redirect_stderr(said):
        faults.report("tasks_note", ValueError(f"use {TOKEN}"))

    assert "[redacted: GitHub token]" in said.getvalue()
    assert TOKEN not in said.getvalue()
