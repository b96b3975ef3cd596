"""Tools in the formats of others, held against the packages of those others. The wire is no network.

The packages are slow to import: each test imports what it needs, so that collecting the tests stays quick.
"""

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gatepost.runtime import Session
from gatepost.tools import (
    FileToolsSection,
    InMemoryFilesystem,
    TodoList,
    TodoToolsSection,
    Tool,
    ToolInvoked,
    ToolResult,
    todo_read,
)
from gatepost.tools.adapters import (
    anthropic_results,
    anthropic_tools,
    langchain_tools,
    openai_results,
    openai_tools,
)

if TYPE_CHECKING:
    import httpx2
    from anthropic.types import Message
    from openai.types.chat import ChatCompletionMessage

SECRET = "ghp_" + "a1" * 12


def divide(one: int, by: int) -> float:
    """Divide two numbers."""
    return one / by


def give_up() -> ToolResult[None]:
    """Do not succeed."""
    return ToolResult("No luck.", None, success=False)


def leak() -> str:
    """Tell a secret."""
    return f"The token is {SECRET}"


def all_tools(session: Session) -> tuple[Tool, ...]:
    """Every tool of ours, and some of no section."""
    files = FileToolsSection(session=session, filesystem=InMemoryFilesystem())
    own = tuple(Tool.of(function).bound(session) for function in (divide, give_up, leak))
    return (*TodoToolsSection(session=session).tools, *files.tools, *own)


def asked_of_anthropic(*calls: tuple[str, Any]) -> "Message":
    """A message in which a model asks for tools."""
    from anthropic.types import Message

    blocks: list[Any] = [{"type": "text", "text": "Let me see."}]
    blocks += [
        {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": given}
        for at, (name, given) in enumerate(calls)
    ]
    return Message.model_validate(anthropic_reply(blocks, "tool_use"))


def anthropic_reply(blocks: list[Any], reason: str) -> dict[str, Any]:
    """What Anthropic's API answers."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": blocks,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def asked_of_openai(*calls: tuple[str, str]) -> "ChatCompletionMessage":
    """A message in which a model asks for functions."""
    from openai.types.chat import ChatCompletionMessage

    return ChatCompletionMessage.model_validate(openai_message(*calls))


def openai_message(*calls: tuple[str, str]) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": given}}
            for at, (name, given) in enumerate(calls)
        ],
    }


def strictly(kind: Any, value: Any) -> None:
    """Check a value against a type of another package, which allows no fields that it does not know."""
    from pydantic import ConfigDict, TypeAdapter

    kind.__pydantic_config__ = ConfigDict(extra="forbid")
    TypeAdapter(kind).validate_python(value)


def test_every_tool_is_one_that_anthropic_s_types_take() -> None:
    from anthropic.types import ToolParam

    shown = anthropic_tools(all_tools(Session()))

    assert [set(tool) for tool in shown] == [{"name", "description", "input_schema"}] * len(shown)
    assert shown[0]["name"] == "todo_read"
    for tool in shown:
        strictly(ToolParam, tool)
        assert tool["input_schema"]["type"] == "object"
        assert "$ref" not in json.dumps(tool)


def test_every_tool_is_one_that_openai_s_types_take() -> None:
    from openai.types.chat import ChatCompletionToolParam

    shown = openai_tools(all_tools(Session()))

    assert {tool["type"] for tool in shown} == {"function"}
    for tool in shown:
        strictly(ChatCompletionToolParam, tool)
        assert set(tool["function"]) == {"name", "description", "parameters"}


def test_every_tool_that_a_message_asks_for_is_run_in_order_and_answered_by_its_id() -> None:
    from anthropic.types import MessageParam, ToolResultBlockParam
    from pydantic import TypeAdapter

    session = Session()
    message = asked_of_anthropic(
        ("todo_write", {"items": [" a "]}), ("todo_read", {}), ("divide", {"one": 3, "by": 2})
    )

    answer = anthropic_results(message, all_tools(session))

    assert answer == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_0", "content": '{"items":["a"]}', "is_error": False},
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"items":["a"]}', "is_error": False},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": "1.5", "is_error": False},
        ],
    }
    TypeAdapter(MessageParam).validate_python(answer)
    strictly(ToolResultBlockParam, answer["content"][0])


def test_a_message_may_be_an_object_a_dict_or_its_blocks() -> None:
    message = asked_of_anthropic(("todo_read", {}))
    tools = all_tools(Session())

    answers = [anthropic_results(given, tools) for given in (message, message.model_dump(), message.content)]

    assert answers[0] is not None
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    "message", [{"role": "assistant", "content": "Just words."}, [], [{"type": "text", "text": "Done."}]]
)
def test_a_message_that_asks_for_nothing_is_not_answered(message: Any) -> None:
    assert anthropic_results(message, all_tools(Session())) is None
    assert openai_results({"role": "assistant", "content": "Just words.", "tool_calls": None}, []) == []


BAD_CALLS: list[tuple[str, Any, str, str]] = [
    ("todo_write", {"items": ["a", ""]}, "INVALID_INPUT", "`items[1]` must not be blank"),
    ("todo_write", {"itmes": ["a"]}, "INVALID_INPUT", "did you mean `items`?"),
    ("todo_write", {}, "INVALID_INPUT", "`items` is required"),
    ("todo_write", [], "INVALID_INPUT", "must be an object"),
    ("todo_write", {"items": ["\ud800"]}, "INVALID_INPUT", ""),
    ("todo_wriet", {"items": ["a"]}, "UNKNOWN_TOOL", "The nearest are: todo_write: "),
    ("file_read", {"path": "none.txt"}, "NOT_FOUND", "none.txt does not exist"),
    ("file_read", {"path": "../etc/passwd"}, "INVALID_INPUT", "leaves the root"),
]


@pytest.mark.parametrize(("name", "given", "code", "words"), BAD_CALLS)
def test_a_bad_call_is_answered_with_an_error_that_says_how_to_go_on(
    name: str, given: Any, code: str, words: str
) -> None:
    session = Session()
    block = {"type": "tool_use", "id": "toolu_0", "name": name, "input": given}

    answer = anthropic_results([block], all_tools(session))
    told = openai_results(asked_of_openai((name, json.dumps(given))), all_tools(session))

    assert answer is not None
    (result,) = answer["content"]
    errors = [json.loads(text)["error"] for text in (result["content"], told[0]["content"])]
    assert result["is_error"] is True
    assert {error["code"] for error in errors} == {code}
    assert all(words in f"{error['message']} {error['recovery']}" and error["recovery"] for error in errors)
    assert todo_read(session) == TodoList()


@pytest.mark.parametrize(
    "given", ["{", "[]", "3", '"text"', '{"items": ["\\ud800"]}', "nonsense", "[" * 100_000, "\ud800"]
)
def test_arguments_that_are_no_json_object_are_answered_with_an_error(given: str) -> None:
    session = Session()

    (result,) = openai_results(openai_message(("todo_write", given)), all_tools(session))

    assert json.loads(result["content"])["error"]["code"] == "INVALID_INPUT"
    assert todo_read(session) == TodoList()


def test_an_empty_text_is_how_some_models_say_that_there_are_no_arguments() -> None:
    from openai.types.chat import ChatCompletionToolMessageParam

    (result,) = openai_results(asked_of_openai(("todo_read", "")), all_tools(Session()))

    assert result == {"role": "tool", "tool_call_id": "call_0", "content": '{"items":[]}'}
    strictly(ChatCompletionToolMessageParam, result)


def test_a_call_of_a_tool_of_another_kind_is_answered_with_an_error() -> None:
    from openai.types.chat import ChatCompletionMessage

    message = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_0", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}],
        }
    )

    (result,) = openai_results(message, all_tools(Session()))

    assert result["tool_call_id"] == "call_0"
    assert json.loads(result["content"])["error"]["code"] == "UNKNOWN_TOOL"


def test_a_result_without_success_is_an_error_and_texts_are_shown_as_they_are() -> None:
    session = Session()

    answer = anthropic_results(asked_of_anthropic(("give_up", {}), ("leak", {})), all_tools(session))

    assert answer is not None
    assert [(result["content"], result["is_error"]) for result in answer["content"]] == [
        ("No luck.", True),
        (f"The token is {SECRET}", False),
    ]


def test_a_text_that_utf_8_cannot_carry_is_shown_with_escapes() -> None:
    def names() -> str:
        """Names as the disk has them."""
        return os.fsdecode(b"caf\xe9.md")

    answer = anthropic_results(asked_of_anthropic(("names", {})), [Tool.of(names)])

    assert answer is not None
    assert answer["content"][0]["content"] == r"caf\udce9.md"


def test_a_fault_in_a_handler_is_logged_and_its_details_are_not_told_to_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from langchain_core.tools import ToolException

    session = Session()
    heard: list[ToolInvoked] = []
    session.dispatcher.subscribe(ToolInvoked, heard.append)
    bad, good = {"one": 1, "by": 0}, {"one": 1, "by": 2}

    answer = anthropic_results(asked_of_anthropic(("divide", bad), ("divide", good)), all_tools(session))
    told = openai_results(
        asked_of_openai(("divide", json.dumps(bad)), ("divide", json.dumps(good))), all_tools(session)
    )
    with pytest.raises(ToolException) as raised:
        langchain_tools([Tool.of(divide)])[0].func(**bad)  # type: ignore[misc]  # optional in their types

    assert answer is not None
    assert [(result["is_error"], result["content"]) for result in answer["content"]][1] == (False, "0.5")
    assert told[1]["content"] == "0.5"
    for text in (answer["content"][0]["content"], told[0]["content"], str(raised.value)):
        error = json.loads(text)["error"]
        assert error["code"] == "INTERNAL_ERROR"
        assert "division" not in text
        assert error["message"].removesuffix(".").rpartition(" ")[2] in caplog.text
    assert caplog.text.count("ZeroDivisionError: division by zero") == 3
    assert [type(event.error) for event in heard if event.error] == [ZeroDivisionError] * 2


@pytest.mark.parametrize("adapter", [anthropic_tools, openai_tools, langchain_tools])
def test_two_tools_of_one_name_are_refused(adapter: Any) -> None:
    with pytest.raises(ValueError, match="Two tools are named divide"):
        adapter([Tool.of(divide), Tool.of(divide)])


def test_a_conversation_with_anthropic_s_client_goes_through() -> None:
    import anthropic
    import httpx2

    session = Session()
    tools = all_tools(session)
    sent: list[dict[str, Any]] = []
    replies = [
        anthropic_reply(
            [{"type": "tool_use", "id": "toolu_9", "name": "todo_write", "input": {"items": ["x"]}}], "tool_use"
        ),
        anthropic_reply([{"type": "text", "text": "Noted."}], "end_turn"),
    ]

    def wire(request: "httpx2.Request") -> "httpx2.Response":
        sent.append(json.loads(request.content))
        return httpx2.Response(200, json=replies[len(sent) - 1])

    transport = httpx2.Client(transport=httpx2.MockTransport(wire))
    messages: list[Any] = [{"role": "user", "content": "Note x."}]
    with anthropic.Anthropic(api_key="none", http_client=transport, max_retries=0) as client:
        while True:
            message = client.messages.create(
                model="m",
                max_tokens=9,
                messages=messages,
                tools=anthropic_tools(tools),
            )
            results = anthropic_results(message, tools)
            if results is None:
                break
            messages += [{"role": "assistant", "content": message.content}, results]

    assert todo_read(session) == TodoList(["x"])
    assert [tool["name"] for tool in sent[0]["tools"]] == [tool.name for tool in tools]
    assert sent[1]["messages"][-1]["content"][0]["content"] == '{"items":["x"]}'
    assert len(sent) == 2


def test_a_conversation_with_openai_s_client_goes_through() -> None:
    import httpx2
    import openai

    session = Session()
    tools = all_tools(session)
    sent: list[dict[str, Any]] = []
    replies = [openai_message(("todo_write", '{"items": ["x"]}')), {"role": "assistant", "content": "Noted."}]

    def wire(request: "httpx2.Request") -> "httpx2.Response":
        sent.append(json.loads(request.content))
        choice = {"index": 0, "finish_reason": "stop", "message": replies[len(sent) - 1]}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        return httpx2.Response(200, json=body)

    transport = httpx2.Client(transport=httpx2.MockTransport(wire))
    messages: list[Any] = [{"role": "user", "content": "Note x."}]
    with openai.OpenAI(api_key="none", http_client=transport, max_retries=0) as client:
        while True:
            completion = client.chat.completions.create(
                model="m",
                messages=messages,
                tools=openai_tools(tools),
            )
            message = completion.choices[0].message
            results = openai_results(message, tools)
            if not results:
                break
            messages += [message.model_dump(exclude_none=True), *results]

    assert todo_read(session) == TodoList(["x"])
    assert [tool["function"]["name"] for tool in sent[0]["tools"]] == [tool.name for tool in tools]
    assert sent[1]["messages"][-1] == {"role": "tool", "tool_call_id": "call_0", "content": '{"items":["x"]}'}
    assert len(sent) == 2


def test_no_package_is_imported_before_it_is_needed() -> None:
    program = """
import sys
from gatepost.tools import TaskToolsSection, Tool
from gatepost.tools.adapters import anthropic_results, anthropic_tools, openai_tools, responses_tools
def echo(text: str) -> str:
    "Echo."
    return text
tools = [Tool.of(echo)]
anthropic_tools(tools), openai_tools(tools), responses_tools(tools)
anthropic_results([{"type": "tool_use", "id": "1", "name": "echo", "input": {"text": "x"}}], tools)
heavy = {"agents", "anthropic", "anyio", "asyncio", "httpx", "langchain_core", "openai", "pydantic"}
print(heavy & set(sys.modules))
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"
