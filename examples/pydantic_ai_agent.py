"""Gatepost's tools in a Pydantic AI agent. The model is scripted: name a real one in its place ("openai:…")."""

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import gatepost
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoToolsSection, Tool, todo_read
from gatepost.tools.adapters import pydantic_ai_toolset

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
    agent = Agent(scripted(turns), instructions=instructions, toolsets=[pydantic_ai_toolset(tools)])
    messages = asyncio.run(agent.run("total() should answer in cents.")).all_messages()
    returned = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return [(part.tool_name, str(part.content), part.outcome == "failed") for part in returned]


def scripted(turns: Sequence[Turn]) -> FunctionModel:
    """A model that plays its turns."""
    ahead = iter(turns)

    def play(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        calls = [ToolCallPart(name, arguments) for name, arguments in next(ahead, ())]
        return ModelResponse(calls) if calls else ModelResponse([TextPart("Done.")])

    return FunctionModel(play)


if __name__ == "__main__":
    main()
