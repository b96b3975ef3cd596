"""The parts of a watch: lines that are rewritten in place, a panel that keeps within its room, and what is told."""

import io
from os import terminal_size
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.surfaces.cli.watch.canvas import Canvas
from gatepost.surfaces.cli.watch.change_lines import changes
from gatepost.surfaces.cli.watch.panel import panel
from gatepost.surfaces.terminal import Terminal, columns
from gatepost.todo import TodoStore
from tests.cli.terminals import ANSI, Sheet

STATUSES = ("todo", "in_progress", "done", "blocked", "canceled")
titles = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
items = st.lists(st.tuples(titles, st.sampled_from(STATUSES)), max_size=12)
lists = st.dictionaries(st.from_regex(r"[A-Za-z0-9._:-]{1,40}", fullmatch=True), items, max_size=6)


def terminal() -> Terminal:
    """What nobody looks at, but signs and all."""
    return Terminal(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))


def no_reason(_scope: str, _item: str) -> str:
    """Nobody knows why anything is blocked."""
    return ""


def stored(found: dict[str, list[tuple[str, str]]], label: str = "") -> TodoStore:
    """Lists of titles and statuses."""
    todos = TodoStore()
    for key, listed in found.items():
        rows = [
            {"id": f"i{index}", "title": title, "status": status} for index, (title, status) in enumerate(listed)
        ]
        todos.apply({"op": "replace", "revision": 1, "scopeKey": key, "scopeLabel": label or key, "items": rows})
    return todos


def shown(todos: TodoStore, width: int = 60, lines: int = 12) -> list[str]:
    """A panel's lines, without colours."""
    made = panel(terminal(), todos, list(todos.scopes), terminal_size((width, lines)), "w", no_reason)
    return [ANSI.sub("", text) for text, _ in made]


@given(
    pages=st.lists(
        st.lists(st.text("ab 日é", max_size=25).map(str.rstrip), max_size=6).filter(lambda page: page != []),
        max_size=6,
    )
)
def test_whatever_was_drawn_before_only_the_last_picture_stands_below_what_was_there(
    pages: list[list[str]],
) -> None:
    written = io.StringIO()
    canvas = Canvas(written)

    for page in pages:
        canvas.draw([(text, columns(text)) for text in page])

    sheet = Sheet(80)
    sheet.write("$ gatepost watch\n" + written.getvalue())
    assert sheet.seen() == ["$ gatepost watch", *(pages[-1] if pages else []), ""]


def test_an_equal_picture_is_not_drawn_again() -> None:
    written = io.StringIO()
    canvas = Canvas(written)

    canvas.draw([("one", 3)])
    once = written.getvalue()
    canvas.draw([("one", 3)])

    assert written.getvalue() == once


def test_after_a_stop_the_picture_stands_below_what_others_wrote() -> None:
    written = io.StringIO()
    canvas = Canvas(written)
    canvas.draw([("one", 3)])
    written.write("[1]+  Stopped\n")

    canvas.restart_below()
    canvas.draw([("two", 3)])

    sheet = Sheet(80)
    sheet.write(written.getvalue())
    assert sheet.seen() == ["one", "[1]+  Stopped", "two", ""]


@given(found=lists, label=titles, width=st.integers(1, 120), lines=st.integers(2, 30))
def test_a_panel_keeps_within_its_room_and_says_nothing_that_acts(
    found: dict[str, list[tuple[str, str]]], label: str, width: int, lines: int
) -> None:
    todos = stored(found, label)

    made = panel(terminal(), todos, list(todos.scopes), terminal_size((width, lines)), "acme/repo", no_reason)

    assert len(made) <= lines
    for text, taken in made:
        plain = ANSI.sub("", text)
        assert columns(plain) == taken <= width
        assert terminal().clean(plain) == plain


def test_what_is_worked_on_comes_first_and_what_is_over_is_counted() -> None:
    todos = stored(
        {
            "TASK-001": [("waits", "todo"), ("stuck", "blocked"), ("at it", "in_progress"), ("old", "done")],
            "TASK-002": [("gone", "canceled"), ("left", "todo"), ("made", "done")],
            "TASK-003": [("all", "done")],
        }
    )

    assert shown(todos) == [
        "TASK-001  ██░░░░░░ 1/4  1 blocked",
        "  ● at it",
        "  ■ stuck",
        "  ○ waits",
        "  ✓ 1 done",
        "TASK-002  ████░░░░ 1/2",
        "  ○ left",
        "  ✓ 1 done  - 1 canceled",
        "w · 1 done",
    ]


def test_where_there_is_little_room_each_list_gets_a_little() -> None:
    many = [(f"step {number}", "todo") for number in range(9)]
    todos = stored({"a": many, "b": many, "c": many})

    assert shown(todos, lines=7) == [
        "a  ░░░░░░░░ 0/9",
        "  ○ step 0",
        "b  ░░░░░░░░ 0/9",
        "  ○ step 0",
        "c  ░░░░░░░░ 0/9",
        "  ○ step 0",
        "w",
    ]
    assert shown(todos, lines=5)[-1] == "w · 1 more"


def test_nothing_to_do_is_said_so() -> None:
    assert shown(TodoStore()) == ["w · nothing to do"]


def test_ten_thousand_items_in_a_thousand_lists_are_drawn_in_a_few_lines() -> None:
    many = [(f"step {number}", "todo") for number in range(10)]

    assert len(shown(stored({f"s{number}": many for number in range(1000)}))) == 12


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([("a", "todo")], [("a", "todo")], []),
        ([("a", "todo")], [("a", "blocked")], ["k ■ blocked a"]),
        ([("a", "todo")], [("b", "done")], ["k ~ renamed b", "k ✓ done b"]),
        ([("a", "todo")], [("a", "todo"), ("b", "in_progress")], ["k + added b", "k ● in progress b"]),
        ([("a", "todo"), ("b", "todo")], [("a", "todo")], ["k - removed b"]),
        ([("a", "todo"), ("b", "todo")], [], ["k - cleared"]),
    ],
)
def test_a_difference_is_told_in_a_line_for_each_change(
    before: list[tuple[str, str]], after: list[tuple[str, str]], told: list[str]
) -> None:
    first, then = stored({"k": before}).items("k"), stored({"k": after}).items("k")

    assert [" ".join(line.split()) for line in changes(terminal(), "k", first, then, no_reason)] == told


def test_another_order_is_told_and_thousands_of_changes_are_counted() -> None:
    many: list[dict[str, Any]] = [{"id": f"i{number}", "title": "x"} for number in range(1000)]
    todos = TodoStore()
    todos.apply(many)
    before = todos.items()
    todos.apply(many[::-1])
    turned = changes(terminal(), "k", before, todos.items(), no_reason)
    grown = changes(terminal(), "k", (), before, no_reason)

    assert [line.split() for line in turned] == [["k", "~", "reordered"]]
    assert len(grown) == 51
    assert grown[-1].split() == ["k", "⋮", "950", "more"]
