"""Tools in the formats of others: one call to show them to a model, and where the loop is yours, one to answer it.

    message = client.messages.create(tools=anthropic_tools(tools), messages=messages, …)
    messages += [{"role": "assistant", "content": message.content}, anthropic_results(message, tools)]

Every call of a model gets an answer, whatever happens to the others. A refusal becomes an error result that says
how to go on; so does an exception in a handler, whose details are logged and not sent. No package is imported
before its adapter is called.
"""

from gatepost.tools.adapters.anthropic_messages import anthropic_aresults, anthropic_results, anthropic_tools
from gatepost.tools.adapters.anthropic_runner import anthropic_arunnables, anthropic_runnables
from gatepost.tools.adapters.langchain import langchain_tools
from gatepost.tools.adapters.openai_agents import agents_tools
from gatepost.tools.adapters.openai_chat import openai_aresults, openai_results, openai_tools
from gatepost.tools.adapters.openai_responses import responses_aresults, responses_results, responses_tools
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
