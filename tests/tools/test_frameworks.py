"""Our tools in the agent loops of others: their real packages, with models that were scripted. No network.

The packages are imported by the examples, in the test that runs one: only the worker that runs it pays for that.
"""

import importlib.util
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gatepost
from gatepost.runtime import Session
from gatepost.tools import TaskToolsSection, TodoList, TodoToolsSection, Tool, ToolInvoked, todo_read
from tests.givens import WORKSPACE

EXAMPLES = Path(__file__).parents[2] / "examples"

STEP = {"title": "Write it", "criteria": ["it runs"], "tests": ["pytest"]}
HOSTILE: list[list[tuple[str, dict[str, Any]]]] = [
    [
        ("todo_write", {"items": ["a", ""]}),
        ("tasks_create", {"kind": "task", "title": "T", "steps": [STEP]}),
        ("divide", {"one": 1, "by": 0}),
        ("divide", {"one": 1, "by": 2}),
    ],
    [("tasks_close_step", {"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": {"confirmed": False}}})],
    [("todo_write", {"items": ["a"]})],
]
ANSWERED = [
    ("todo_write", "INVALID_INPUT"),
    ("tasks_create", None),
    ("divide", "INTERNAL_ERROR"),
    ("divide", None),
    ("tasks_close_step", "CHECKPOINTS_NOT_CONFIRMED"),
    ("todo_write", None),
]


def divide(one: int, by: int) -> float:
    """Divide two numbers."""
    return one / by


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
        yield [*(tool for section in sections for tool in section.tools), Tool.of(divide).bound(session)]


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
