"""The page's own client of the todo stream: it keeps to the rules that `TodoStore` keeps to."""

from random import Random
from typing import Any

import pytest
from playwright.sync_api import expect

from gatepost.operations import todo_stream
from gatepost.todo import TodoStore
from tests.givens import World
from tests.http.givens import site
from tests.page.browser.profiles import Profiles
from tests.page.browser.reader import Reader

TOKEN = "a-token-" * 3

FOLD = """async (streams) => {
  const { TodoLists } = await import("/page/js/components/todo_lists.js");
  return streams.map((stream) => {
    const lists = new TodoLists();
    const outcomes = stream.map((told) => lists.apply(told));
    const rows = ({ items }) => [...items.values()].map(({ id, title, status }) => [id, title, status]);
    const kept = lists.all.map((list) => [list.key, [list.revision, list.label, rows(list)]]);
    return { outcomes, ignored: lists.ignored, lists: Object.fromEntries(kept) };
  });
}"""
WORDS = {"TAKEN": "taken", "OLD": "old", "GAP": "gap", "IGNORED": "unknown", "NOTHING": "unknown"}
IDS = "abcdefgh"
JUNK: list[Any] = [None, 7.5, {}, [], {"id": " "}]
KEYS = [
    *("main", "TASK-001", "x" * 64, "mcp:s.1_-"),
    *("__proto__", "constructor", "prototype", "toString", "valueOf", "__x__", "toJSON"),
    *("feature/login", "lane a", "x" * 65, "", "a\n", True),
]


def item(chance: Random) -> dict[str, Any]:
    name = chance.choice(IDS)
    return {"id": name, "title": name * 2, "status": chance.choice(["todo", "done", "blocked"])}


def envelope(chance: Random, revision: int) -> dict[str, Any]:
    """One envelope, right or wrong."""
    op = chance.choice(["replace", "clear", "upsert", "upsert", "add", "patch", "delete", "move"])
    listed = list(chance.sample(IDS, 4))
    rest: dict[str, dict[str, Any]] = {
        "replace": {"items": [{"id": each, "title": each, "status": "todo"} for each in listed] + JUNK},
        "upsert": {"item": item(chance), "position": chance.randrange(-1, 9)},
        "patch": {"patches": [*chance.sample(JUNK, 2), item(chance)]},
        "delete": {"ids": [*listed[:2], *chance.sample(JUNK, 1)]},
    }
    if op == "add":
        placed = [item(chance) | {"position": chance.randrange(9)} for _ in range(2)]
        op, rest["upsert"] = "upsert", {"items": [*placed, *chance.sample(JUNK, 1), item(chance)]}
    scope = chance.choice([*["main"] * 12, *KEYS])
    return {
        "op": op,
        "revision": revision,
        "scopeKey": scope,
        "scopeLabel": f"as of {revision}",
        **rest.get(op, {}),
    }


def stream(seed: int) -> list[dict[str, Any]]:
    chance = Random(seed)
    revision, found = 0, []
    for _ in range(20):
        revision += chance.choice([0, 1, 1, 1, 1, 2])
        found.append(envelope(chance, revision))
    return found


def folded(envelopes: list[dict[str, Any]]) -> dict[str, Any]:
    store = TodoStore()
    outcomes = [WORDS[store.apply({"todo": one}).name] for one in envelopes]
    lists = {
        key: [scope.revision, scope.label, [[one.id, one.title, one.status.value] for one in store.items(key)]]
        for key, scope in store.scopes.items()
        if scope.revision is not None
    }
    return {"outcomes": outcomes, "ignored": store.ignored, "lists": lists}


@pytest.mark.requirement("stream.scope.unusable", "stream.client.junk", "stream.client.position")
def test_the_page_and_the_reference_client_make_the_same_of_any_stream(reader: Reader) -> None:
    streams = [stream(seed) for seed in range(100)]

    found = reader.open("todos").evaluate(FOLD, streams)

    expected = [folded(one) for one in streams]
    assert {word for one in expected for word in one["outcomes"]} == {"taken", "old", "gap", "unknown"}
    for at, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert mine == theirs, f"stream {at}"


def test_a_list_that_ended_long_ago_is_read_by_name_with_the_readers_token(
    world: World, profiles: Profiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = world.task("Long done", title="Old work")
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    monkeypatch.setattr(todo_stream, "RECENT", 0)

    with site(world, token=TOKEN) as here:
        reader = Reader(profiles, here)
        reader.forgive("status of 401")
        page = reader.open("todos", task)
        page.get_by_label("The token").fill(TOKEN)
        page.get_by_role("button", name="Continue").click()

        expect(page.get_by_role("tabpanel", name="Old work")).to_contain_text("1 item done")
        reader.leave()
        reader.check()
