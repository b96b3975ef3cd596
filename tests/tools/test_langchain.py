"""Our tools as LangChain's, held against its package. LangGraph runs them in test_frameworks."""

import pytest

from gatepost.runtime import Session
from gatepost.tools import TodoList, TodoToolsSection, Tool, todo_read
from gatepost.tools.adapters import langchain_tools, openai_tools


def recall(callbacks: int) -> int:
    """Take a name that others leave alone."""
    return callbacks


def configure(config: str, callbacks: int = 0) -> str:
    """Take names that others may want."""
    return f"{config} {callbacks}"


def test_langchain_runs_our_tools_by_their_own_schema() -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    session = Session()
    tools = TodoToolsSection(session=session).tools

    made = {tool.name: tool for tool in langchain_tools(tools)}
    answer = made["todo_write"].invoke({"items": ["a"]})

    assert answer == '{"items":["a"]}'
    assert todo_read(session) == TodoList(["a"])
    assert [convert_to_openai_tool(tool) for tool in made.values()] == openai_tools(tools)


def test_langchain_shows_a_refusal_as_an_error_message() -> None:
    from langchain_core.messages import ToolMessage

    session = Session()
    write = langchain_tools(TodoToolsSection(session=session).tools)[1]

    message = write.invoke({"type": "tool_call", "id": "c1", "name": "todo_write", "args": {"itmes": ["a"]}})

    assert isinstance(message, ToolMessage)
    assert message.status == "error"
    assert "did you mean `items`?" in str(message.content)
    assert todo_read(session) == TodoList()


def test_parameters_that_langchain_keeps_for_itself_are_refused_before_they_get_lost() -> None:
    with pytest.raises(ValueError, match="configure has a parameter config"):
        langchain_tools([Tool.of(configure)])

    assert langchain_tools([Tool.of(recall)])[0].invoke({"callbacks": 3}) == "3"
