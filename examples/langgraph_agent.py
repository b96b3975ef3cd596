"""Gatepost's tools in a LangGraph agent. The model is scripted: put any chat model of LangChain's in its place."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import gatepost
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoToolsSection, Tool, todo_read
from gatepost.tools.adapters import langchain_tools

Turn = Sequence[tuple[str, dict[str, Any]]]
"""What the model calls at once. After the last turn it says that it is done."""

TURNS: list[Turn] = [
    [("todo_write", {"items": ["Reproduce it", " "]}), ("tasks_create", {"kind": "task", "title": "Mend total()"})],
    [("todo_write", {"items": ["Reproduce it"]}), ("tasks_radar", {})],
]


def main() -> None:
    """Run the agent once, and show what its model read and what is left."""
    session = Session()
    with gatepost.connect("memory:") as gp:
        sections = (
            TodoToolsSection(session=session),
            TaskToolsSection(session=session, gp=gp, workspace="acme/shop"),
        )
        instructions = "\n\n".join(section.render() for section in sections)
        tools = [tool for section in sections for tool in section.tools]
        for name, text, failed in run(tools, instructions, TURNS):
            print(f"{name} {'refused' if failed else 'ok'}: {text}")
    print(f"To do: {list(todo_read(session).items)}")


def run(tools: Sequence[Tool], instructions: str, turns: Sequence[Turn]) -> list[tuple[str, str, bool]]:
    """What the model read for each call: the tool's name, the text, and whether that was an error."""
    ours = langchain_tools(tools)
    model = ScriptedModel(messages=iter(scripted(turns))).bind_tools(ours)

    def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke([SystemMessage(instructions), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", think)
    graph.add_node("tools", ToolNode(ours))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    messages = graph.compile().invoke({"messages": [HumanMessage("total() should answer in cents.")]})["messages"]
    results = [message for message in messages if isinstance(message, ToolMessage)]
    return [(str(result.name), str(result.content), result.status == "error") for result in results]


class ScriptedModel(GenericFakeChatModel):
    """A model that plays its turns."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],  # noqa: ARG002 - theirs
        **_: Any,
    ) -> "Runnable[Any, AIMessage]":
        """The model itself: it knows which tools it calls."""
        return self


def scripted(turns: Sequence[Turn]) -> list[AIMessage]:
    """The turns as LangChain has them."""
    called = [
        [{"name": name, "args": arguments, "id": f"{at}.{call}"} for call, (name, arguments) in enumerate(turn)]
        for at, turn in enumerate(turns)
    ]
    return [*(AIMessage("", tool_calls=calls) for calls in called), AIMessage("Done.")]


if __name__ == "__main__":
    main()
