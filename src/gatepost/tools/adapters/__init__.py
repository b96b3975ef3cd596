"""Tools for other frameworks: a function to describe them to a model, and one to run its calls in your loop.

    message = client.messages.create(tools=anthropic_tools(tools), messages=messages, …)
    messages += [{"role": "assistant", "content": message.content}, anthropic_results(message, tools)]

Every call by a model gets a result, whatever happens to the others. A refusal becomes an error result with the
next step. So does an exception in a handler; its details are logged and not sent. A package is imported only when
its adapter is called.
"""

from gatepost.tools.adapters.anthropic import (
    anthropic_aresults,
    anthropic_arunnables,
    anthropic_results,
    anthropic_runnables,
    anthropic_tools,
)
from gatepost.tools.adapters.langchain import langchain_tools
from gatepost.tools.adapters.openai import (
    openai_aresults,
    openai_results,
    openai_tools,
    responses_aresults,
    responses_results,
    responses_tools,
)
from gatepost.tools.adapters.openai_agents import agents_tools
from gatepost.tools.adapters.pydantic_ai import pydantic_ai_toolset

__all__ = [
    "agents_tools",
    "anthropic_aresults",
    "anthropic_arunnables",
    "anthropic_results",
    "anthropic_runnables",
    "anthropic_tools",
    "langchain_tools",
    "openai_aresults",
    "openai_results",
    "openai_tools",
    "pydantic_ai_toolset",
    "responses_aresults",
    "responses_results",
    "responses_tools",
]
