"""An agent loop: a session, sections, tools and telemetry, around a model whose turns were written beforehand.

For a real model, put a client in the place of `ScriptedModel`; everything else stays as it is:

    anthropic.Anthropic().messages.create(model=…, max_tokens=…, system=…, messages=…, tools=…)
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gatepost
from gatepost.digest.scan import scan
from gatepost.runtime import Dispatcher, Session
from gatepost.tools import (
    FileToolsSection,
    InMemoryFilesystem,
    Section,
    TodoList,
    TodoToolsSection,
    Tool,
    ToolInvoked,
    WorkspaceDigestSection,
    set_workspace_digest,
    todo_read,
)
from gatepost.tools.adapters import anthropic_results, anthropic_tools

Message = dict[str, Any]

WORKSPACE = "acme/shop"

FILES = {
    "AGENTS.md": "# Working here\n\nPrices are in cents, never in euros.\n",
    "Makefile": "test: ## run the tests\n\tpython -m unittest\n",
    "src/cart.py": "def total(prices):\n    return sum(prices) / 100\n",
}
TASK = "total() in src/cart.py should answer in cents. Please mend it."


def main() -> None:
    """Play the loop and print what happens."""
    dispatcher = Dispatcher()
    heard: list[ToolInvoked] = []
    dispatcher.subscribe(ToolInvoked, heard.append)
    gp = gatepost.connect("memory:")
    with Session(id="agent-loop", dispatcher=dispatcher) as session:
        session.publish(gp, WORKSPACE)
        files = InMemoryFilesystem(session=session)
        for path, content in FILES.items():
            files.write(path, content)
        learn_the_workspace(session)
        sections: tuple[Section, ...] = (
            WorkspaceDigestSection(session=session),
            TodoToolsSection(session=session),
            FileToolsSection(session=session, filesystem=files),
        )
        run(ScriptedModel(), sections)
        print(f"\nThe file now:\n{files.read('src/cart.py').content}")
        written = " -> ".join(str(list(todo.items)) for todo in session[TodoList].all())
        print(f"The todo list, as it was written: {written}")
    for event in gp.call("tasks_delta", workspace=WORKSPACE)["events"]:
        print(f"What others saw: {event['type']} in {event['session']}: {event.get('items', event.get('because'))}")
    refused = sum(event.error is not None for event in heard)
    print(f"Telemetry: {len(heard)} tool calls, {refused} refused, all of {heard[0].session_id}")
    print(f"After the session's end: {list(todo_read(session).items)} to do, {len(files.glob('**'))} files")


def learn_the_workspace(session: Session) -> None:
    """Scan the workspace once, and keep what was found where the prompt finds it."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in FILES.items():
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write(content)
        found = scan(folder, name="shop")
    set_workspace_digest(session, section_key="workspace-digest", summary=found.summary, body=found.body)


def run(model: "ScriptedModel", sections: Sequence[Section]) -> None:
    """Ask the model, run the tools that it asks for, tell it the results; until it asks for none."""
    system = "\n\n".join(section.render().strip() for section in sections)
    tools: tuple[Tool, ...] = tuple(tool for section in sections for tool in section.tools)
    messages: list[Message] = [{"role": "user", "content": TASK}]
    print(f"{system}\n\n({len(tools)} tools)\n\nuser: {TASK}")
    while True:
        message = model.create(system=system, messages=messages, tools=anthropic_tools(tools))
        show_turn(message)
        results = anthropic_results(message, tools)
        if results is None:
            return
        show_results(results)
        messages += [{"role": "assistant", "content": message["content"]}, results]


class ScriptedModel:
    """Answers as Anthropic's API does, with turns that were written beforehand."""

    def __init__(self) -> None:
        self._turns = turns()
        self._calls = 0

    def create(self, *, system: str, messages: Sequence[Message], tools: Sequence[Mapping[str, object]]) -> Message:
        """The next turn. Like the API, it takes only a conversation in which it is the model's turn."""
        known = {tool["name"] for tool in tools}
        text, *calls = next(self._turns)
        if not system or messages[-1]["role"] != "user" or not {name for name, _ in calls} <= known:
            raise ValueError("the conversation is not one that the API would take")
        content: list[Message] = [{"type": "text", "text": text}]
        for name, arguments in calls:
            self._calls += 1
            content.append({"type": "tool_use", "id": f"toolu_{self._calls}", "name": name, "input": arguments})
        return {"role": "assistant", "content": content, "stop_reason": "tool_use" if calls else "end_turn"}


def turns() -> Iterator[tuple[Any, ...]]:
    """What the model says and calls, turn by turn; the third turn holds a mistake."""
    plan = ["Read src/cart.py", "Answer in cents"]
    mended = "def total(prices):\n    return sum(prices)\n"
    yield "I look first.", ("todo_read", {}), ("workspace_digest_get", {}), ("file_grep", {"pattern": r"def total"})
    yield "It names a file for me.", ("file_read", {"path": "AGENTS.md"})
    yield "I plan.", ("todo_write", {"items": [*plan, " "]})
    yield "No blank items, then.", ("todo_write", {"items": plan})
    yield "Now the file.", ("file_read", {"path": "src/cart.py"})
    yield "I mend it.", ("file_write", {"path": "src/cart.py", "content": mended}), ("todo_write", {"items": []})
    yield ("total() answers in cents now, as AGENTS.md asks for.",)


def show_turn(message: Message) -> None:
    """Print what the model says and calls."""
    for block in message["content"]:
        words = block["text"] if block["type"] == "text" else f"  {block['name']} {block['input']}"
        print(f"\nmodel: {words}" if block["type"] == "text" else words)


def show_results(results: Message) -> None:
    """Print what the model is told."""
    for result in results["content"]:
        print(f"    {'refused' if result['is_error'] else 'ok'}: {result['content']}")


if __name__ == "__main__":
    main()
