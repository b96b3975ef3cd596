"""Gatepost's tools in an agent of OpenAI's Agents SDK. The model is scripted: leave `model=` out for a real one."""

import asyncio
from collections.abc import Sequence
from typing import Any

from agents import Agent, RunConfig, Runner, ToolCallItem, ToolCallOutputItem
from agents.testing import ScriptedModel, assistant_message, function_call

import gatepost
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoToolsSection, Tool, todo_read
from gatepost.tools.adapters import agents_tools

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
        for name, text in run(tools, instructions, TURNS):
            print(f"{name}: {text}")
    print(f"To do: {list(todo_read(session).items)}")


def run(tools: Sequence[Tool], instructions: str, turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """What the model read for each call: the tool's name and the text."""
    agent = Agent("Mender", instructions=instructions, tools=agents_tools(tools), model=scripted(turns))
    asked = Runner.run(agent, "total() should answer in cents.", run_config=RunConfig(tracing_disabled=True))
    done = asyncio.run(asked)
    names = {item.call_id: item.tool_name for item in done.new_items if isinstance(item, ToolCallItem)}
    outputs = [item for item in done.new_items if isinstance(item, ToolCallOutputItem)]
    return [(str(names[item.call_id]), str(item.output)) for item in outputs]


def scripted(turns: Sequence[Turn]) -> ScriptedModel:
    """A model that plays its turns."""
    played = [
        [function_call(name, arguments, call_id=f"{at}.{call}") for call, (name, arguments) in enumerate(turn)]
        for at, turn in enumerate(turns)
    ]
    return ScriptedModel([*played, [assistant_message("Done.")]])


if __name__ == "__main__":
    main()
