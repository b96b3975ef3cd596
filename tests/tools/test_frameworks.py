"""Our tools in the agent loops of others: their real packages, with models that were scripted. No network.

The packages are imported by the examples, in the test that runs one: only the worker that runs it pays for that.
"""

import asyncio
import importlib.util
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gatepost
from gatepost.runtime import Session
from gatepost.runtime.awaitables import running_loop
from gatepost.tools import TaskToolsSection, TodoList, TodoToolsSection, Tool, ToolInvoked, adapters, todo_read
from gatepost.tools.adapters import (
    agents_tools,
    anthropic_aresults,
    anthropic_arunnables,
    anthropic_results,
    langchain_tools,
    openai_aresults,
    pydantic_ai_toolset,
    responses_aresults,
    responses_tools,
)
from tests.givens import WORKSPACE

EXAMPLES = Path(__file__).parents[2] / "examples"

STEP = {"title": "Write it", "criteria": ["it runs"], "tests": ["pytest"]}
HOSTILE: list[list[tuple[str, dict[str, Any]]]] = [
    [
        ("todo_write", {"items": ["a", ""]}),
        ("tasks_create", {"kind": "task", "title": "T", "steps": [STEP]}),
        ("divide", {"one": 1, "by": 0}),
        ("divide", {"one": 1, "by": 2}),
        ("later", {"seconds": 0}),
    ],
    [("tasks_close_step", {"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": {"confirmed": False}}})],
    [("todo_write", {"items": ["a"]})],
]
ANSWERED = [
    ("todo_write", "INVALID_INPUT"),
    ("tasks_create", None),
    ("divide", "INTERNAL_ERROR"),
    ("divide", None),
    ("later", None),
    ("tasks_close_step", "CHECKPOINTS_NOT_CONFIRMED"),
    ("todo_write", None),
]


LOOPS: dict[str, object] = {}
"""On which event loop each of our own tools ran last."""


def divide(one: int, by: int) -> float:
    """Divide two numbers."""
    LOOPS["divide"] = running_loop()
    return one / by


async def later(seconds: float) -> object:
    """Take a while. Less than nothing gives what cannot be shown to a model."""
    await asyncio.sleep(max(seconds, 0))
    LOOPS["later"] = running_loop()
    return seconds if seconds >= 0 else object()


def pause(question: str) -> str:
    """Ask a person, in the way of LangGraph."""
    from langgraph.types import interrupt

    return f"They said {interrupt(question)}"


def retry() -> None:
    """Ask for another try, in the way of Pydantic AI."""
    from pydantic_ai import ModelRetry

    raise ModelRetry("Once more.")


def halt() -> None:
    """End the run, in the way of the Agents SDK."""
    from agents import UserError

    raise UserError("No more.")


@pytest.fixture
def session() -> Session:
    return Session(id="crew")


@pytest.fixture
def tools(session: Session) -> Iterator[list[Tool]]:
    """Todo, tasks on a real store, and one tool with a bug."""
    with gatepost.connect("memory:") as gp:
        sections = (
            TodoToolsSection(session=session),
            TaskToolsSection(session=session, gp=gp, workspace=WORKSPACE),
        )
        own = (Tool.of(function).bound(session) for function in (divide, later))
        yield [*(tool for section in sections for tool in section.tools), *own]


def example(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def codes(results: Sequence[Sequence[Any]]) -> list[tuple[str, str | None]]:
    """Each tool with the code of the error that the model read, if it read one."""
    read = [(name, json.loads(text)) for name, text, *_ in results]
    return [
        (name, said["error"]["code"] if isinstance(said, dict) and "error" in said else None) for name, said in read
    ]


@pytest.mark.parametrize(
    "name",
    ["anthropic_tool_runner", "langgraph_agent", "openai_agents_agent", "openai_responses", "pydantic_ai_agent"],
)
def test_the_loop_goes_on_after_refusals_and_faults_and_no_call_costs_another_its_result(
    name: str,
    tools: list[Tool],
    session: Session,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    framework = example(name)
    heard: list[ToolInvoked] = []
    session.dispatcher.subscribe(ToolInvoked, heard.append)

    framework.main()
    shown = capsys.readouterr()
    with caplog.at_level(logging.ERROR, "gatepost.tools"):
        results = framework.run(tools, "Work.", HOSTILE)

    assert shown.out.endswith("To do: ['Reproduce it']\n")
    assert "must not be blank" in shown.out
    assert shown.err == ""
    assert codes(results) == ANSWERED
    assert [bool(flag[0]) for _, _, *flag in results if flag] in ([code is not None for _, code in ANSWERED], [])
    assert all("recovery" in text for (_, text, *_), (_, code) in zip(results, ANSWERED, strict=True) if code)
    assert "ZeroDivisionError" not in str(results)
    assert "ZeroDivisionError" in caplog.text
    assert sorted(event.tool for event in heard) == sorted(name for name, _ in ANSWERED)
    assert todo_read(session) == TodoList(["a"])
    assert LOOPS["divide"] is None
    assert LOOPS["later"] is not None


def test_on_an_event_loop_async_tools_run_on_that_loop_and_others_beside_it() -> None:
    tools = [Tool.of(divide), Tool.of(later)]
    calls = [
        ("divide", {"one": 1, "by": 0}),
        ("later", {"seconds": -1}),
        ("later", {"seconds": 0}),
        ("divide", {"one": 1, "by": 2}),
    ]
    blocks = [{"type": "tool_use", "id": name, "name": name, "input": given} for name, given in calls]
    chat = [{"id": name, "function": {"name": name, "arguments": json.dumps(given)}} for name, given in calls]
    items = [
        {"type": "function_call", "call_id": name, "name": name, "arguments": json.dumps(given)}
        for name, given in calls
    ]

    async def converse() -> tuple[list[str], list[str], list[str]]:
        message = await anthropic_aresults(blocks, tools)
        assert message is not None
        assert LOOPS["later"] is asyncio.get_running_loop()
        LOOPS.pop("divide")
        with pytest.raises(RuntimeError, match="later is async"):
            anthropic_results(blocks, tools)
        assert "divide" not in LOOPS  # refused before any of the calls is made
        told = await openai_aresults({"tool_calls": chat}, tools)
        outputs = await responses_aresults(items, tools)
        return (
            [result["content"] for result in message["content"]],
            [result["content"] for result in told],
            [result["output"] for result in outputs],
        )

    for texts in asyncio.run(converse()):
        assert ["INTERNAL_ERROR" in text for text in texts] == [True, True, False, False]
        assert texts[2:] == ["0.0", "0.5"]
    assert LOOPS["divide"] is None


def test_anthropic_s_async_runner_awaits_async_tools_and_shows_refusals_as_errors() -> None:
    import anthropic
    import httpx2

    scripted = example("anthropic_tool_runner").scripted
    turn = [("later", {"seconds": "now"}), ("later", {"seconds": 0}), ("divide", {"one": 1, "by": 2})]
    sent: list[Any] = []

    async def converse() -> None:
        with scripted([turn]) as other_end:

            async def wire(request: httpx2.Request) -> httpx2.Response:
                sent.append(json.loads(request.content))
                reply = other_end.send(request)
                return httpx2.Response(200, json=reply.json())

            transport = httpx2.AsyncClient(transport=httpx2.MockTransport(wire))
            async with anthropic.AsyncAnthropic(api_key="none", http_client=transport, max_retries=0) as client:
                runner = client.beta.messages.tool_runner(
                    model="claude",
                    max_tokens=9,
                    messages=[{"role": "user", "content": "Go."}],
                    tools=anthropic_arunnables([Tool.of(divide), Tool.of(later)]),
                )
                await runner.until_done()
        assert LOOPS["later"] is asyncio.get_running_loop()

    asyncio.run(converse())

    assert [tool["name"] for tool in sent[0]["tools"]] == ["divide", "later"]
    refused, waited, divided = sent[1]["messages"][-1]["content"]
    assert refused["is_error"] is True
    assert "`seconds` is wrong" in json.loads(refused["content"])["error"]["message"]
    assert (waited["content"], divided["content"]) == ("0.0", "0.5")


def test_a_tool_can_pause_a_graph_and_an_async_graph_awaits_async_tools() -> None:
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.types import Command

    async def converse() -> tuple[Any, list[Any]]:
        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode(langchain_tools([Tool.of(pause), Tool.of(later)])))
        graph.add_edge(START, "tools")
        agent = graph.compile(checkpointer=InMemorySaver())
        calls = [
            {"name": "later", "args": {"seconds": 0}, "id": "c1"},
            {"name": "pause", "args": {"question": "Ship?"}, "id": "c2"},
        ]
        thread: Any = {"configurable": {"thread_id": "t"}}
        paused = await agent.ainvoke({"messages": [AIMessage("", tool_calls=calls)]}, thread)
        assert LOOPS["later"] is asyncio.get_running_loop()
        resumed = await agent.ainvoke(Command(resume="yes"), thread)
        return paused["__interrupt__"][0].value, [message.content for message in resumed["messages"][1:]]

    assert asyncio.run(converse()) == ("Ship?", ["0.0", "They said yes"])


def test_pydantic_ai_hears_its_own_exceptions_and_arguments_that_are_no_object_end_no_run() -> None:
    from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    seen: list[Any] = []

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen[:] = [tool.name for tool in info.function_tools]
        calls = [ToolCallPart("retry", "{}"), ToolCallPart("divide", "[1, 2]"), ToolCallPart("divide", "null")]
        return ModelResponse(calls) if len(messages) == 1 else ModelResponse([TextPart("Done.")])

    agent = Agent(FunctionModel(play), toolsets=[pydantic_ai_toolset([Tool.of(retry), Tool.of(divide)])])
    messages = asyncio.run(agent.run("Go.")).all_messages()

    assert seen == ["retry", "divide"]
    again, wrong, absent = (part for part in messages[2].parts if isinstance(part, ToolReturnPart))
    assert (again.outcome, again.content) == ("retried", "Once more.")
    assert (wrong.outcome, absent.outcome) == ("failed", "failed")
    assert "must be an object, not list" in str(wrong.content)
    assert "`one` is required" in str(absent.content)


def test_the_agents_sdk_finds_nothing_to_add_to_our_strict_schemas_and_hears_its_own_exceptions(
    tools: list[Tool],
) -> None:
    from agents import Agent, FunctionTool, RunConfig, Runner, UserError

    made = agents_tools([*tools, Tool.of(halt)])
    scripted = example("openai_agents_agent").scripted

    with pytest.raises(UserError, match="No more"):
        asyncio.run(
            Runner.run(
                Agent("A", tools=made, model=scripted([[("halt", {})]])),
                "Go.",
                run_config=RunConfig(tracing_disabled=True),
            )
        )

    ours = [tool for tool in made if isinstance(tool, FunctionTool)]
    shown = {tool.name: tool for tool in ours}
    assert shown["tasks_radar"].strict_json_schema
    assert not shown["tasks_batch"].strict_json_schema
    assert [(tool.name, tool.params_json_schema, tool.strict_json_schema) for tool in ours[:-1]] == [
        (tool["name"], tool["parameters"], tool["strict"]) for tool in responses_tools(tools)
    ]


@pytest.mark.parametrize(
    ("adapter", "package", "to_install"),
    [
        ("agents_tools", "agents", "openai-agents"),
        ("anthropic_arunnables", "anthropic", "anthropic"),
        ("anthropic_runnables", "anthropic", "anthropic"),
        ("langchain_tools", "langchain_core", "langchain-core"),
        ("pydantic_ai_toolset", "pydantic_ai", "pydantic-ai-slim"),
    ],
)
def test_without_its_package_an_adapter_says_what_to_install(
    adapter: str, package: str, to_install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(ModuleNotFoundError) as missing:
        getattr(adapters, adapter)([])

    assert str(missing.value) == f"{adapter} needs: pip install {to_install}"
