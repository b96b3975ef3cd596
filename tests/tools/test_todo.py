"""The todo list of a session: what it takes, how it is kept, and what a model is told of it."""

from collections import UserList, deque
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.runtime import ReducerContext, Session, select_all, select_latest
from gatepost.tools import TodoList, TodoToolsSection, Tool, ToolValidationError, todo_read, todo_write

TEXTS = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"))
ITEMS = st.lists(TEXTS.filter(str.strip), max_size=8)
NOT_ITEMS: tuple[object, ...] = ("a", b"a", bytearray(b"a"), {"a"}, {"a": 1}, (item for item in "ab"), None, 3)


class Batch(TodoList):
    """A list of someone else's kind."""


def named(section: TodoToolsSection, name: str) -> Tool:
    """One of a section's tools."""
    return next(tool for tool in section.tools if tool.name == name)


def keep(state: tuple[TodoList, ...], event: TodoList, *, context: ReducerContext) -> tuple[TodoList, ...]:
    """A reducer that lets nothing in. Where one is registered, events are no longer appended of themselves."""
    return state


@pytest.mark.requirement("todo.model.frozen-items")
def test_a_todo_list_is_frozen_with_one_field_that_is_empty_by_default() -> None:
    todo = TodoList()

    assert [field.name for field in fields(todo)] == ["items"]
    assert todo.items == ()
    with pytest.raises(FrozenInstanceError):
        todo.items = ("a",)  # type: ignore[misc]  # that is the test


@pytest.mark.requirement("todo.items.order-kept", "todo.items.trimmed")
@given(ITEMS)
def test_items_are_kept_trimmed_in_the_order_given(items: list[str]) -> None:
    stored = TodoList(items).items

    assert stored == tuple(item.strip() for item in items)
    assert TodoList(stored) == TodoList(items)


@pytest.mark.requirement("todo.items.any-sequence")
@pytest.mark.parametrize("kind", [list, tuple, deque, UserList])
def test_any_sequence_of_strings_becomes_the_same_list(kind: Any) -> None:
    assert TodoList(kind(["write", "test"])) == TodoList(("write", "test"))


@pytest.mark.requirement("todo.items.string-refused", "todo.errors.validation-error")
@pytest.mark.parametrize("items", NOT_ITEMS, ids=lambda value: type(value).__name__)
def test_what_is_no_sequence_of_items_is_refused_a_string_first_of_all(items: Any) -> None:
    with pytest.raises(ToolValidationError, match="`items` must be a list of texts") as refused:
        TodoList(items)

    assert type(items).__name__ in str(refused.value)


@pytest.mark.requirement("todo.items.strings-only", "todo.errors.name-position")
@pytest.mark.parametrize("entry", [3, None, b"a", ["a"], {"title": "a"}])
def test_an_entry_that_is_no_string_is_refused_by_its_position(entry: Any) -> None:
    with pytest.raises(ToolValidationError, match=r"`items\[1\]` must be a string"):
        TodoList(["fine", entry])


@pytest.mark.requirement("todo.items.blank-refused", "todo.errors.name-position")
@pytest.mark.parametrize("entry", ["", "  ", "\t\n", "\u00a0"])
def test_an_item_that_is_blank_is_refused_by_its_position(entry: str) -> None:
    with pytest.raises(ToolValidationError, match=r"`items\[2\]` must not be blank"):
        TodoList(["a", "b", entry])


@pytest.mark.parametrize("entry", ["a\x00b", "\ud800"])
def test_an_item_that_could_not_be_stored_or_sent_is_refused_by_its_position(entry: str) -> None:
    with pytest.raises(ToolValidationError, match=r"`items\[0\]` must not contain"):
        TodoList([entry])


def test_every_bad_item_is_named_at_once() -> None:
    with pytest.raises(ToolValidationError) as refused:
        TodoList(["", "fine", 7])  # type: ignore[list-item]  # that is the test

    assert [problem["field"] for problem in refused.value.details["problems"]] == ["items[0]", "items[2]"]


@pytest.mark.requirement("todo.write.appends", "todo.session.history-available", "todo.session.latest-is-read")
@given(st.lists(ITEMS, max_size=6))
def test_every_write_is_kept_in_order_and_the_last_is_read(writes: list[list[str]]) -> None:
    session = Session()

    for items in writes:
        todo_write(session, TodoList(items))

    assert select_all(session, TodoList) == tuple(map(TodoList, writes))
    assert todo_read(session) == (TodoList(writes[-1]) if writes else TodoList())
    assert select_latest(session, TodoList) == (todo_read(session) if writes else None)


@pytest.mark.requirement("todo.write.equal-appends")
def test_a_write_equal_to_an_earlier_one_is_a_snapshot_of_its_own() -> None:
    session = Session()

    for item in ("A", "B", "A", "A"):
        todo_write(session, TodoList([item]))

    assert [todo.items for todo in session[TodoList].all()] == [("A",), ("B",), ("A",), ("A",)]


@pytest.mark.requirement("todo.write.returns-stored")
def test_a_write_answers_with_the_very_snapshot_that_is_stored() -> None:
    session = Session()

    stored = todo_write(session, [" trim me "])

    assert stored == TodoList(["trim me"])
    assert session[TodoList].latest() is stored


@pytest.mark.requirement("todo.write.copies", "todo.items.immutable")
def test_what_is_stored_is_a_tuple_that_the_caller_s_list_has_no_part_in() -> None:
    session, mine = Session(), ["first"]

    todo_write(session, TodoList(mine))
    mine.append("second")

    assert todo_read(session).items == ("first",)
    assert type(todo_read(session).items) is tuple


@pytest.mark.requirement("todo.write.refused-writes-nothing", "todo.errors.validation-error")
@pytest.mark.parametrize("items", ["text", ["fine", ""], [1], None])
def test_a_refused_write_leaves_the_slice_as_it_was(items: Any) -> None:
    session = Session()
    todo_write(session, ["kept"])

    with pytest.raises(ToolValidationError):
        todo_write(session, items)
    with pytest.raises(ToolValidationError):
        named(TodoToolsSection(session=session), "todo_write").call({"items": items})

    assert session[TodoList].all() == (TodoList(["kept"]),)


@pytest.mark.requirement("todo.items.empty-list")
def test_an_empty_list_is_written_like_any_other() -> None:
    session = Session()
    todo_write(session, ["a"])

    todo_write(session, TodoList())

    assert todo_read(session) == TodoList()
    assert len(session[TodoList].all()) == 2


@pytest.mark.requirement("todo.read.never-writes", "todo.read.empty-by-default")
def test_reading_neither_writes_nor_announces_anything() -> None:
    session = Session()
    heard: list[object] = []
    session.dispatcher.subscribe(TodoList, heard.append)
    section = TodoToolsSection(session=session)

    answers = [todo_read(session) for _ in range(3)] + [named(section, "todo_read").call({}).value]

    assert answers == [TodoList()] * 4
    assert session[TodoList].all() == ()
    assert heard == []


@pytest.mark.requirement("todo.session.local")
def test_a_list_of_one_session_is_not_seen_in_another_nor_in_a_child() -> None:
    session = Session()
    child, other = Session(parent=session), Session()

    todo_write(session, ["mine"])

    assert todo_read(child) == todo_read(other) == TodoList()


@pytest.mark.requirement("todo.session.cleared-at-end")
def test_a_session_s_end_takes_its_lists_with_it() -> None:
    session = Session()
    todo_write(session, ["a"])

    session.end()

    assert session[TodoList].all() == ()
    assert todo_read(session) == TodoList()


def test_a_list_of_a_derived_type_is_stored_among_the_others() -> None:
    session = Session()

    stored = todo_write(session, Batch(["a"]))

    assert type(stored) is TodoList
    assert todo_read(session) == TodoList(["a"])


@pytest.mark.requirement("todo.section.registers-append")
def test_a_section_registers_append_beside_the_reducers_that_others_registered() -> None:
    session = Session()
    session[TodoList].register(TodoList, keep)
    session.dispatch(TodoList(["not kept: nobody appends yet"]))

    TodoToolsSection(session=session)
    session.dispatch(TodoList(["a"]))
    session.dispatch(TodoList(["b"]))

    assert session[TodoList].all() == (TodoList(["a"]), TodoList(["b"]))


@pytest.mark.requirement("todo.section.two-append-once")
def test_two_sections_on_one_session_append_once_for_each_write() -> None:
    session = Session()
    first, second = TodoToolsSection(session=session), TodoToolsSection(session=session)

    named(first, "todo_write").call({"items": ["a"]})
    named(second, "todo_write").call({"items": ["b"]})

    assert session[TodoList].all() == (TodoList(["a"]), TodoList(["b"]))


@pytest.mark.requirement("todo.section.guidance")
def test_the_section_says_to_read_before_writing_and_what_each_tool_does() -> None:
    section = TodoToolsSection(session=Session())

    assert section.render() == (
        "Use `todo_read` before writing so you do not overwrite someone else's list.\n"
        "- `todo_read` returns the latest todo list (empty when nothing is stored yet).\n"
        "- `todo_write` replaces the list with the ordered items you supply. Items must\n"
        "  be non-empty strings."
    )


@pytest.mark.requirement("todo.tools.read-and-write-only")
def test_the_section_offers_reading_and_writing_and_nothing_else() -> None:
    assert [tool.name for tool in TodoToolsSection(session=Session()).tools] == ["todo_read", "todo_write"]


@pytest.mark.requirement("todo.read.takes-nothing")
@pytest.mark.parametrize("arguments", [None, {}])
def test_the_read_tool_needs_no_arguments_and_takes_none(arguments: dict[str, Any] | None) -> None:
    section = TodoToolsSection(session=Session())
    read = named(section, "todo_read")

    assert read.call(arguments).render() == '{"items":[]}'
    assert read.schema == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    with pytest.raises(ToolValidationError, match="`limit` is unknown"):
        read.call({"limit": 3})


@pytest.mark.requirement("todo.items.plain-text", "todo.items.strings-only", "todo.errors.name-position")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"items": [{"title": "a", "priority": 1}]}, r"`items\[0\]` must be a string"),
        ({"items": ["a", 2]}, r"`items\[1\]` must be a string"),
        ({"items": ["a", " "]}, r"`items\[1\]` must not be blank"),
        ({"items": "abc"}, "`items` must be a list"),
        ({"items": ["a"], "priority": 1}, "`priority` is unknown"),
        ({"item": ["a"]}, "did you mean `items`"),
        ({}, "`items` is required"),
    ],
)
def test_the_write_tool_takes_a_list_of_texts_alone(arguments: dict[str, Any], problem: str) -> None:
    session = Session()

    with pytest.raises(ToolValidationError, match=problem):
        named(TodoToolsSection(session=session), "todo_write").call(arguments)

    assert session[TodoList].all() == ()


@pytest.mark.requirement("todo.write.returns-stored")
def test_the_write_tool_answers_with_the_stored_list() -> None:
    session = Session()

    result = named(TodoToolsSection(session=session), "todo_write").call({"items": [" a ", "b"]})

    assert result.value == TodoList(["a", "b"])
    assert result.render() == '{"items":["a","b"]}'


def test_a_sequence_that_lies_about_its_entries_is_read_once() -> None:
    class Shifting(Sequence[str]):
        """Other entries each time one looks."""

        looks = 0

        def __len__(self) -> int:
            return 1

        def __getitem__(self, at: Any) -> Any:
            if at:
                raise IndexError
            self.looks += 1
            return "fine" if self.looks == 1 else ""

    assert TodoList(Shifting()).items == ("fine",)
