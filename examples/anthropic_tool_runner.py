"""Gatepost's tools in Anthropic's tool runner. The API is scripted: leave `http_client=` out for the real one."""

from collections.abc import Sequence
from typing import Any

import anthropic
import httpx2

import gatepost
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoToolsSection, Tool, todo_read
from gatepost.tools.adapters import anthropic_runnables

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
    results: list[tuple[str, str, bool]] = []
    with anthropic.Anthropic(api_key="none", http_client=scripted(turns), max_retries=0) as client:
        runner = client.beta.messages.tool_runner(
            model="claude",
            max_tokens=1000,
            system=instructions,
            messages=[{"role": "user", "content": "total() should answer in cents."}],
            tools=anthropic_runnables(tools),
        )
        for message in runner:
            answer: Any = runner.generate_tool_call_response()
            names = {block.id: block.name for block in message.content if block.type == "tool_use"}
            results += [
                (names[result["tool_use_id"]], result["content"], result.get("is_error", False))
                for result in (answer["content"] if answer else ())
            ]
    return results


def scripted(turns: Sequence[Turn]) -> httpx2.Client:
    """A client whose other end plays the model's turns."""
    ahead = iter(enumerate(turns))

    def play(_request: httpx2.Request) -> httpx2.Response:
        at, turn = next(ahead, (len(turns), ()))
        calls = [
            {"type": "tool_use", "id": f"toolu_{at}_{call}", "name": name, "input": arguments}
            for call, (name, arguments) in enumerate(turn)
        ]
        message = {
            "id": f"msg_{at}",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": calls or [{"type": "text", "text": "Done."}],
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    return httpx2.Client(transport=httpx2.MockTransport(play))


if __name__ == "__main__":
    main()
