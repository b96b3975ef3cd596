"""The file operations of the server: paged to the character, unaltered, in no transaction, never rehearsed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.files.host import HostFilesystem
from gatepost.operations.answer import answer
from gatepost.surfaces.cli.main import run
from tests.givens import WORKSPACE, World, memory_store
from tests.wire.credentials import EVERY

DEEP = "/".join(["d" * 80] * 15 + ["f" * 80])
LINES = st.lists(
    st.text(st.sampled_from('ab "\\\té日\x01'), max_size=60).flatmap(
        lambda line: st.sampled_from([line, line * 12])
    ),
    min_size=1,
    max_size=80,
)
BUDGETS = [512, 513, 600, 1_000, 4_000]
MOST_PAGES = 1_000


@pytest.fixture
def files(one_world: World) -> World:
    """A world whose files hold a few lines."""
    one_world.files.write("a.txt", "One line.\n")
    return one_world


def plain_world(files: dict[str, str]) -> World:
    """A world in memory with these files."""
    world = World(memory_store())
    for path, content in files.items():
        world.files.write(path, content)
    return world


def within(world: World, budget: int | None, tool: str, **arguments: Any) -> dict[str, Any]:
    """A reply, once it is clear that it keeps to its budget and counts itself rightly."""
    given = {} if budget is None else {"max_chars": budget}
    text = world.ask(tool, **arguments, **given).text
    reply: dict[str, Any] = json.loads(text)
    assert len(text) <= (budget or 16_000), f"{len(text)} characters instead of {budget}"
    if "budget" in reply:
        assert reply["budget"]["used_chars"] == len(text)
        assert reply["budget"]["truncated"] is ("omitted" in reply["budget"])
    return reply


def all_pages(world: World, budget: int | None, tool: str, **arguments: Any) -> list[Any]:
    """Everything that a list has, page by page."""
    found: list[Any] = []
    cursor: dict[str, Any] = {}
    for _ in range(MOST_PAGES):
        page = within(world, budget, tool, **arguments, **cursor)
        assert page["items"] or not page["has_more"], "a page without items does not lead on"
        found += page["items"]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["cursor"]}
    raise AssertionError(f"{tool} does not come to an end")


def whole_file(world: World, budget: int | None, path: str, **arguments: Any) -> str:
    """A file's text, window by window."""
    parts: list[str] = []
    at = (0, 0)
    while True:
        page = within(world, budget, "file_read", path=path, offset=at[0], column=at[1], **arguments)
        assert (page["offset"], page.get("column", 0)) == at
        parts.append(page["content"])
        if not page["truncated"]:
            return "".join(parts)
        onwards = (page["next_offset"], page.get("next_column", 0))
        assert onwards > at, "a window that does not lead on"
        at = onwards


@pytest.mark.requirement("budget.count.hard-cap", "budget.count.exact-text", "budget.cursor.continues")
@pytest.mark.parametrize("budget", [None, *BUDGETS])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_long_file_is_read_in_windows_that_join_to_the_whole(budget: int | None, end: str) -> None:
    text = "\n".join(f'{number}: "é日" {"x" * (number % 90)}' for number in range(700)) + end
    world = plain_world({"long.txt": text})

    assert whole_file(world, budget, "long.txt") == text
    assert whole_file(world, budget, "long.txt", limit=7) == text


@given(lines=LINES, budget=st.sampled_from(BUDGETS))
def test_any_file_is_read_in_windows_that_join_to_the_whole(lines: list[str], budget: int) -> None:
    world = plain_world({"a.txt": "\n".join(lines)})

    assert whole_file(world, budget, "a.txt") == "\n".join(lines)


@pytest.mark.requirement("budget.count.hard-cap", "budget.cursor.continues")
@pytest.mark.parametrize("budget", [None, *BUDGETS])
def test_lists_paths_and_matches_are_paged_to_the_last(budget: int | None) -> None:
    paths = [f"src/{number:03} {'x' * (number % 40)}.txt" for number in range(250)]
    world = plain_world(dict.fromkeys(paths, 'a "line"\nanother line\n'))

    listed = all_pages(world, budget, "file_list", path="src")
    globbed = all_pages(world, budget, "file_glob", pattern="**/*.txt")
    matched = all_pages(world, budget, "file_grep", pattern="line")

    assert [entry["path"] for entry in listed] == paths
    assert globbed == paths
    assert [(match["path"], match["line"]) for match in matched] == [(path, n) for path in paths for n in (1, 2)]


@pytest.mark.requirement("paging.list.limit-and-cursor")
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_limit_pages_without_losing_or_doubling(limit: int) -> None:
    paths = [f"{name}.txt" for name in "abcdefg"]
    world = plain_world(dict.fromkeys(paths, "line\nline\n"))

    assert [entry["path"] for entry in all_pages(world, None, "file_list", limit=limit)] == paths
    assert all_pages(world, None, "file_glob", pattern="*", limit=limit) == paths
    matched = all_pages(world, None, "file_grep", pattern="line", limit=limit)
    assert [(match["path"], match["line"]) for match in matched] == [(path, n) for path in paths for n in (1, 2)]


@pytest.mark.requirement("paging.cursor.survives-writes")
def test_a_cursor_leads_on_although_what_it_stands_on_is_gone() -> None:
    world = plain_world(dict.fromkeys(["a", "b", "c"], "line\n"))
    page = world.ok("file_list", limit=2)

    world.files.delete("b")

    assert [entry["path"] for entry in world.ok("file_list", cursor=page["cursor"])["items"]] == ["c"]


@pytest.mark.requirement("budget.count.hard-cap")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("file_read", {"path": DEEP}),
        ("file_list", {"path": DEEP.rpartition("/")[0]}),
        ("file_glob", {"pattern": "**/f*"}),
        ("file_grep", {"pattern": "line"}),
    ],
)
def test_the_longest_path_there_can_be_does_not_break_the_budget(tool: str, arguments: dict[str, Any]) -> None:
    world = plain_world({DEEP: "line\n" * 20, DEEP[:-1] + "g": "line\n"})

    within(world, 512, tool, **arguments)


@pytest.mark.requirement("budget.count.hard-cap", "budget.cursor.continues")
@pytest.mark.parametrize("budget", [None, 512])
def test_a_line_that_is_longer_than_the_budget_says_that_it_was_cut(budget: int | None) -> None:
    world = plain_world({"long.txt": f"{'x' * 20_000}\nsecond\n"})

    page = within(world, budget, "file_read", path="long.txt")

    assert page["content"] == "x" * len(page["content"])
    assert page["truncated"] is True
    assert page["budget"]["omitted"]["characters"] == 20_000 + 1 - len(page["content"])
    assert (page["next_offset"], page["next_column"]) == (0, len(page["content"]))
    assert whole_file(world, budget, "long.txt") == f"{'x' * 20_000}\nsecond\n"


@pytest.mark.requirement("budget.cursor.continues")
def test_the_rest_of_a_line_that_was_cut_can_be_had_with_a_larger_budget() -> None:
    world = plain_world({"long.txt": f"{'x' * 20_000}\nsecond\n"})

    page = within(world, 1_000_000, "file_read", path="long.txt")

    assert (page["content"], page["truncated"]) == (f"{'x' * 20_000}\nsecond\n", False)


@pytest.mark.requirement("budget.minimum.refused")
@pytest.mark.parametrize("tool", ["file_read", "file_list", "file_glob", "file_grep"])
def test_a_budget_below_the_minimum_is_refused(files: World, tool: str) -> None:
    given = {"file_read": {"path": "a.txt"}, "file_list": {}}.get(tool, {"pattern": "x"})

    error = files.no("INVALID_INPUT", tool, max_chars=511, **given)

    assert error["problems"][0]["field"] == "max_chars"


@pytest.mark.parametrize("cursor", ["", "a.txt", "a.txt:", "a.txt:x", ":1", f"a.txt:{'9' * 13}"])
def test_a_cursor_that_grep_never_gave_is_refused(files: World, cursor: str) -> None:
    error = files.no("INVALID_INPUT", "file_grep", pattern="x", cursor=cursor)

    assert error["problems"][0]["field"] == "cursor"


@pytest.mark.requirement("secrets.files.never-judged", "texts.out.unaltered")
def test_files_are_shown_and_written_as_they_are_whatever_is_in_them() -> None:
    content = "\n".join([*EVERY.values(), "token = next()", ""])
    world = plain_world({".env": content})

    read = world.ok("file_read", path=".env", max_chars=1_000_000)
    world.ok("file_write", path="copy", content=read["content"])
    world.ok("tasks_batch", atomic=False, operations=batch(("file_write", {"path": "other", "content": content})))
    lines = world.ok("file_grep", pattern="ghp_", max_chars=1_000_000)["items"]

    assert read["content"] == content
    assert "masked" not in read
    assert [world.files.read(name).content for name in ("copy", "other")] == [content, content]
    assert EVERY["ghp"] in [line["text"] for line in lines]


@pytest.mark.requirement("texts.out.unaltered", "budget.cursor.continues")
@pytest.mark.parametrize("budget", [512, 600, 800])
def test_a_file_with_a_private_key_in_it_is_read_to_its_end_in_windows(budget: int) -> None:
    content = f"before\n{EVERY['pem RSA PRIVATE KEY']}\nafter\n" * 5
    world = plain_world({"key.pem": content})

    assert whole_file(world, budget, "key.pem") == content


def batch(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"tool": tool, "arguments": arguments} for tool, arguments in calls]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("file_write", {"path": "b.txt", "content": "x"}),
        ("file_edit", {"path": "a.txt", "edits": [{"old_string": "One", "new_string": "1"}]}),
        ("file_mkdir", {"path": "b"}),
        ("file_move", {"source": "a.txt", "target": "b.txt"}),
        ("file_copy", {"source": "a.txt", "target": "b.txt"}),
        ("file_delete", {"path": "a.txt"}),
    ],
)
@pytest.mark.requirement("call.transaction.all-or-nothing")
def test_an_atomic_batch_refuses_to_change_files_and_says_why(
    files: World, tool: str, arguments: dict[str, Any]
) -> None:
    calls = batch(("tasks_create", {"kind": "task", "title": "T"}), (tool, arguments), ("tasks_radar", {}))

    error = files.no("BATCH_FAILED", "tasks_batch", operations=calls)

    assert error["operation_index"] == 1
    assert "files have no transactions" in error["error"]["message"]
    assert "atomic false" in error["error"]["recovery"]
    assert [entry.path for entry in files.files.list()] == ["a.txt"]


def test_an_atomic_batch_may_read_files(files: World) -> None:
    calls = batch(
        ("tasks_create", {"kind": "task", "title": "T"}), ("file_read", {"path": "a.txt"}), ("file_list", {})
    )

    done = files.ok("tasks_batch", operations=calls)

    assert done["results"][1]["content"] == "One line.\n"
    assert [entry["path"] for entry in done["results"][2]["items"]] == ["a.txt"]


def test_a_batch_that_is_not_atomic_changes_files_one_call_after_the_other(files: World) -> None:
    calls = batch(
        ("file_write", {"path": "b.txt", "content": "B\n"}),
        ("file_read", {"path": "nowhere"}),
        ("file_read", {"path": "b.txt"}),
    )

    done = files.ok("tasks_batch", operations=calls, atomic=False)

    assert [result.get("content", result.get("error", {}).get("code")) for result in done["results"]] == [
        None,
        "NOT_FOUND",
        "B\n",
    ]


def test_files_leave_no_trace_in_the_store(files: World) -> None:
    before = files.everything()

    files.ok("file_write", path="b.txt", content="x")
    files.ok("file_read", path="b.txt")
    files.ok("file_delete", path="b.txt")

    assert files.everything() == before


@pytest.mark.requirement("call.refused.leaves-no-file")
def test_a_refused_call_leaves_the_files_as_they_were(files: World) -> None:
    files.no("TOO_LARGE", "file_write", path="a.txt", content="x" * 48_001)
    files.no("TOO_LARGE", "file_write", path="a.txt", content="x" * 47_991, mode="append")
    files.no("ALREADY_EXISTS", "file_write", path="a.txt", content="x", mode="create")
    files.no("FORBIDDEN_PATH", "file_copy", source="a.txt", target="b.tsk")
    files.no("INVALID_INPUT", "file_move", source="a.txt", target="../b.txt")
    files.no("INVALID_INPUT", "file_read", path="a.txt", offset=-1)
    files.no("INVALID_INPUT", "file_write", path="a.txt", content="x", force=True)

    assert files.files.read("a.txt").content == "One line.\n"
    assert [entry.path for entry in files.files.list()] == ["a.txt"]


def test_a_server_without_a_project_folder_says_so(one_world: World) -> None:
    from gatepost.engine.engine import Engine
    from tests.givens import TickingClock

    homeless = Engine(one_world.store, TickingClock())

    answered = answer(homeless, "file_list", {"workspace": WORKSPACE}, one_world.caller)

    assert answered.refusal is not None
    assert "--root" in answered.refusal.message


def test_a_dry_run_writes_no_file_and_reads_as_ever(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("One line.\n", encoding="utf-8")
    place = ("--root", str(tmp_path), "--store", str(tmp_path / "gp.db"), "--workspace", WORKSPACE)
    code = run(["call", "tasks_create", '{"kind": "task", "title": "T"}', *place])
    capsys.readouterr()

    refused = run(["call", "file_write", '{"path": "b.txt", "content": "x"}', "--dry-run", *place])
    said = json.loads(capsys.readouterr().out)
    calls = json.dumps({"operations": batch(("file_delete", {"path": "a.txt"})), "atomic": False})
    batched = run(["call", "tasks_batch", calls, "--dry-run", *place])
    told = json.loads(capsys.readouterr().out)
    read = run(["call", "file_read", '{"path": "a.txt"}', "--dry-run", *place])
    shown = json.loads(capsys.readouterr().out)

    assert (code, refused, batched, read) == (0, 2, 0, 0)
    assert "cannot be rehearsed" in said["error"]["message"]
    assert "cannot be rehearsed" in told["results"][0]["error"]["message"]
    assert shown["content"] == "One line.\n"
    assert not (tmp_path / "b.txt").exists()
    assert (tmp_path / "a.txt").exists()


@pytest.mark.parametrize("limit", [1, 2])
def test_names_on_disk_that_no_path_can_have_do_not_break_the_paging(
    one_world: World, tmp_path: Path, limit: int
) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    for name in (b"a.txt", b"caf\xe9.txt", b"caf\xff.txt", "日本.txt".encode(), b"z.txt"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("line\n", encoding="utf-8")
    with HostFilesystem(folder) as host:
        one_world.engine.files = lambda: host

        whole = one_world.ok("file_list")["items"]

        assert len(whole) == 5
        assert all_pages(one_world, None, "file_list", limit=limit) == whole
