"""Tools: made of functions or of parts, called strictly, and announced however the call ends."""

import asyncio
import gc
from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, timedelta
from typing import Annotated, Any

import pytest
from msgspec import Meta

from gatepost.domain.refusals import AlreadyExists, Refusal
from gatepost.runtime import Dispatcher, Session, SubscriberFailed
from gatepost.tools import TodoList, TodoToolsSection, Tool, ToolInvoked, ToolResult, ToolValidationError

SECRET = "ghp_" + "a1" * 12


@dataclass
class Wish:
    """What is asked for."""

    text: str


def add(first: Annotated[int, Meta(ge=0, description="The first number.")], second: int = 1) -> int:
    """Add two numbers.

    Use it rather than your head.
    """
    return first + second


async def later(place: str = "now") -> str:
    """Answer some other time."""
    await asyncio.sleep(0)
    if place == "nowhere":
        raise ZeroDivisionError
    return place


def untold(value: int) -> int:
    return value


def untyped(value) -> int:  # type: ignore[no-untyped-def]  # that is the test
    """Say nothing of the type."""
    return int(value)


def many(*values: int) -> int:
    """Take any number of numbers."""
    return sum(values)


def heard_by(dispatcher: Dispatcher) -> list[ToolInvoked]:
    """What a dispatcher is told of tools from now on."""
    heard: list[ToolInvoked] = []
    dispatcher.subscribe(ToolInvoked, heard.append)
    return heard


def saying(handler: Any, session: Session) -> Tool:
    """A tool with this handler, bound to a session."""
    return Tool(name="say", description="Say it.", params=Wish, handler=handler).bound(session)


def test_a_function_is_a_tool_by_its_name_words_and_types() -> None:
    tool = Tool.of(add)

    assert (tool.name, tool.description) == ("add", "Add two numbers.\n\nUse it rather than your head.")
    assert tool.schema == {
        "type": "object",
        "properties": {
            "first": {"type": "integer", "minimum": 0, "description": "The first number."},
            "second": {"type": "integer", "default": 1},
        },
        "required": ["first"],
        "additionalProperties": False,
    }
    assert tool.call({"first": 2, "second": 3}) == ToolResult("", 5)
    assert tool.call({"first": 2}).render() == "3"


@pytest.mark.parametrize("arguments", [{"first": "2"}, {"first": True}, {"first": -1}, {"frist": 2}, {}])
def test_a_function_is_not_reached_by_arguments_that_do_not_fit(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolValidationError):
        Tool.of(add).call(arguments)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (untold, "has no description"),
        (untyped, "annotate it"),
        (many, "must have names of their own"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_with_what_to_do(function: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Tool.of(function)


@pytest.mark.parametrize("name", ["", "two words", "naïve", "a" * 65, "dot.ted"])
def test_a_name_that_model_apis_refuse_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid tool name"):
        Tool(name=name, description="Do it.", handler=lambda: None)


def test_a_tool_and_a_result_cannot_be_changed() -> None:
    tool, result = Tool.of(add), ToolResult("fine", 1)

    with pytest.raises(FrozenInstanceError):
        tool.name = "sub"  # type: ignore[misc]  # that is the test
    with pytest.raises(FrozenInstanceError):
        result.message = "other"  # type: ignore[misc]  # that is the test


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (ToolResult("Three items.", [1, 2, 3]), "Three items."),
        (ToolResult("", TodoList(["a", "ü"])), '{"items":["a","ü"]}'),
        (ToolResult("", "plain text"), "plain text"),
        (ToolResult("", 0), "0"),
        (ToolResult("", None), "done"),
        (ToolResult(f"key is {SECRET}"), f"key is {SECRET}"),
        (ToolResult("", SECRET), SECRET),
        (ToolResult("", {"password": "hunter2"}), '{"password":"hunter2"}'),
    ],
)
def test_a_result_renders_as_its_message_or_else_its_value(result: ToolResult[Any], text: str) -> None:
    assert result.render() == text


def test_a_handler_may_answer_with_a_result_of_its_own() -> None:
    own: ToolResult[None] = ToolResult("Nothing there.", None, success=False)

    assert Tool(name="look", description="Look.", handler=lambda: own).call() is own


@pytest.mark.requirement("workspace.time.utc")
def test_a_call_is_announced_with_its_arguments_result_session_and_time() -> None:
    session = Session(id="s-1")
    heard = heard_by(session.dispatcher)

    result = saying(lambda wish: wish.text.upper(), session).call({"text": "hi"})

    (event,) = heard
    assert (event.tool, event.arguments, event.session_id) == ("say", {"text": "hi"}, "s-1")
    assert event.result is result
    assert event.error is None
    assert event.at.utcoffset() == timedelta(0)
    assert event.at.tzinfo is UTC


def test_a_refused_call_is_announced_with_its_refusal() -> None:
    session = Session()
    heard = heard_by(session.dispatcher)
    reached: list[Wish] = []

    with pytest.raises(ToolValidationError) as caught:
        saying(reached.append, session).call({"txt": "hi"})

    (event,) = heard
    assert event.error is caught.value
    assert event.result is None
    assert event.arguments == {"txt": "hi"}
    assert reached == []


@pytest.mark.parametrize("error", [AlreadyExists("It is there.", "Take another."), ZeroDivisionError("a bug")])
def test_what_a_handler_raises_goes_through_and_is_announced(error: Exception) -> None:
    session = Session()
    heard = heard_by(session.dispatcher)

    def fail(_wish: Wish) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        saying(fail, session).call({"text": "hi"})

    assert caught.value is error
    assert [event.error for event in heard] == [error]
    assert isinstance(error, Refusal) is (type(error) is AlreadyExists)


def test_an_announcement_keeps_a_copy_of_the_arguments() -> None:
    session = Session()
    heard = heard_by(session.dispatcher)
    tool = Tool(name="say", description="Say it.", params=Wish, handler=lambda wish: wish.text).bound(session)
    arguments: dict[str, Any] = {"text": f"use {SECRET}"}

    result = tool.call(arguments)
    arguments["text"] = "changed"

    assert result.value == f"use {SECRET}"
    assert heard[0].arguments == {"text": f"use {SECRET}"}


@pytest.mark.parametrize("arguments", [[1], {"text": object()}, {"text": "\ud800"}, {3: "x"}, {("a",): 1}])
def test_odd_arguments_are_refused_and_announced_all_the_same(arguments: Any) -> None:
    session = Session()
    heard = heard_by(session.dispatcher)

    with pytest.raises(ToolValidationError):
        saying(print, session).call(arguments)

    assert len(heard) == 1


def test_arguments_without_bottom_are_refused_and_announced_all_the_same() -> None:
    session = Session()
    heard = heard_by(session.dispatcher)
    endless: dict[str, Any] = {}
    endless["text"] = [endless]

    with pytest.raises(ToolValidationError, match="nested too deeply"):
        saying(print, session).call(endless)

    assert [event.arguments for event in heard] == [{"text": "…"}]


def test_a_subscriber_that_fails_does_not_fail_the_call_and_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    session = Session()
    failed: list[SubscriberFailed] = []

    def fail(_event: ToolInvoked) -> None:
        raise ZeroDivisionError

    session.dispatcher.subscribe(ToolInvoked, fail)
    session.dispatcher.subscribe(SubscriberFailed, failed.append)

    result = saying(lambda wish: wish.text, session).call({"text": "hi"})

    assert result.value == "hi"
    assert [type(one.error) for one in failed] == [ZeroDivisionError]
    assert "failed on ToolInvoked" in caplog.text


def test_an_async_tool_is_run_to_its_end_from_plain_code_and_awaited_on_a_loop() -> None:
    tool = Tool.of(later)
    wrapped = Tool(name="wrapped", description="Not async by its looks.", handler=lambda: later("there"))

    async def on_a_loop() -> list[Any]:
        return [
            (await each.acall(given)).value
            for each, given in ((tool, {}), (wrapped, None), (Tool.of(add), {"first": 1}))
        ]

    assert tool.is_async
    assert not wrapped.is_async
    assert [tool.call().value, tool.call({"place": "here"}).value, wrapped.call().value] == ["now", "here", "there"]
    assert asyncio.run(on_a_loop()) == ["now", "there", 2]


def test_an_async_tool_that_is_called_without_await_on_a_loop_is_refused_with_what_to_do() -> None:
    session = Session()
    heard = heard_by(session.dispatcher)
    tool = Tool.of(later).bound(session)

    async def on_a_loop() -> None:
        tool.call()

    with pytest.raises(RuntimeError, match=r"later is async.*Nothing was done.*await tool\.acall"):
        asyncio.run(on_a_loop())
    gc.collect()  # a coroutine that nobody awaited would warn here

    assert [type(event.error) for event in heard] == [RuntimeError]


@pytest.mark.parametrize("awaited", [True, False])
def test_an_async_tool_s_call_is_announced_with_its_result_or_failure_to_async_subscribers_too(
    awaited: bool,
) -> None:
    session = Session()
    heard: list[ToolInvoked] = []
    tool = Tool.of(later).bound(session)

    async def hear(event: ToolInvoked) -> None:
        await asyncio.sleep(0)
        heard.append(event)

    def call(**given: Any) -> Any:
        return asyncio.run(tool.acall(given)) if awaited else tool.call(given)

    session.dispatcher.subscribe(ToolInvoked, hear)

    result = call(place="here")
    with pytest.raises(ZeroDivisionError):
        call(place="nowhere")

    assert [(event.result, type(event.error)) for event in heard] == [
        (result, type(None)),
        (None, ZeroDivisionError),
    ]


def test_a_cancelled_call_is_announced_and_stays_cancelled() -> None:
    session = Session()
    heard = heard_by(session.dispatcher)
    tool = Tool(name="wait", description="Wait.", handler=asyncio.Event().wait).bound(session)

    async def cancelled() -> None:
        async with asyncio.timeout(0):
            await tool.acall()

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())

    assert [type(event.error) for event in heard] == [asyncio.CancelledError]


def test_a_tool_that_is_bound_to_nothing_tells_nobody() -> None:
    assert Tool.of(add).call({"first": 1}).value == 2


@pytest.mark.requirement("workspace.state.reducers-only")
def test_a_tool_s_write_is_an_event_that_a_reducer_may_veto() -> None:
    session = Session()
    section = TodoToolsSection(session=session)
    seen: list[object] = []
    session.dispatcher.subscribe(TodoList, seen.append)

    def keep_short(state: tuple[TodoList, ...], event: TodoList, *, context: object) -> tuple[TodoList, ...]:
        if len(event.items) > 1:
            raise ToolValidationError("One thing at a time.")
        return state

    session[TodoList].register(TodoList, keep_short)
    write = section.tools[1]
    write.call({"items": ["a"]})
    with pytest.raises(ToolValidationError, match="One thing"):
        write.call({"items": ["a", "b"]})

    assert session[TodoList].all() == (TodoList(["a"]),)
    assert seen == [TodoList(["a"])]
