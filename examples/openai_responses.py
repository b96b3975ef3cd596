"""Gatepost's tools with OpenAI's Responses API. The API is scripted: leave `http_client=` out for the real one."""

import json
from collections.abc import Sequence
from typing import Any

import httpx2
import openai

import gatepost
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoToolsSection, Tool, todo_read
from gatepost.tools.adapters import responses_results, responses_tools

Turn = Sequence[tuple[str, dict[str, Any]]]
"""What the model calls at once. After the last turn it says that it is done."""

TURNS: list[Turn] = [
    [("todo_write", {"items": ["Reproduce it", " "]}), ("tasks_create", {"kind": "task", "title": "Mend total()"})],
    [("todo_write", {"items": ["Reproduce it"]}), ("tasks_radar", {"task": None, "plan": None, "max_chars": None})],
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
    items: list[Any] = [{"role": "user", "content": "total() should answer in cents."}]
    with openai.OpenAI(api_key="none", http_client=scripted(turns), max_retries=0) as client:
        while True:
            response = client.responses.create(
                model="gpt", instructions=instructions, input=items, tools=responses_tools(tools)
            )
            results = responses_results(response, tools)
            if not results:
                break
            items += [*response.output, *results]
    names = {item.call_id: item.name for item in items if getattr(item, "type", None) == "function_call"}
    outputs = [item for item in items if isinstance(item, dict) and item.get("type") == "function_call_output"]
    return [(names[item["call_id"]], item["output"]) for item in outputs]


def scripted(turns: Sequence[Turn]) -> httpx2.Client:
    """A client whose other end plays the model's turns."""
    ahead = iter(enumerate(turns))

    def play(_request: httpx2.Request) -> httpx2.Response:
        at, turn = next(ahead, (len(turns), ()))
        output: list[dict[str, Any]] = [
            {"type": "function_call", "call_id": f"{at}.{call}", "name": name, "arguments": json.dumps(arguments)}
            for call, (name, arguments) in enumerate(turn)
        ]
        response = {
            "id": f"resp_{at}",
            "object": "response",
            "created_at": 0,
            "model": "gpt",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
        return httpx2.Response(200, json=response)

    return httpx2.Client(transport=httpx2.MockTransport(play))


if __name__ == "__main__":
    main()
