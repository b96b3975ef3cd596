"""What the suite's fixture tools ask the client."""

from collections.abc import Mapping
from typing import Final

from gatepost.surfaces.mcp.exchange import Question

Questions = dict[str, Question]


def elicit(message: str, properties: Mapping[str, object], required: list[str]) -> Question:
    """A form for a person."""
    schema = {"type": "object", "properties": properties, "required": required}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(prompt: str, most: int) -> Question:
    """Something for a model."""
    message = {"role": "user", "content": {"type": "text", "text": prompt}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": most}}


def _titled(*names: str) -> list[dict[str, str]]:
    return [{"const": f"value{number}", "title": name} for number, name in enumerate(names, 1)]


_OPTIONS: Final = ["option1", "option2", "option3"]

NAME: Final[Questions] = {"user_name": elicit("What is your name?", {"name": {"type": "string"}}, ["name"])}
CONFIRM: Final[Questions] = {"confirm": elicit("Please confirm", {"ok": {"type": "boolean"}}, ["ok"])}
STEP_ONE: Final[Questions] = {"step1": elicit("Step 1: What is your name?", {"name": {"type": "string"}}, ["name"])}
COLOUR: Final[Questions] = {
    "step2": elicit("Step 2: What is your favorite color?", {"color": {"type": "string"}}, ["color"])
}
CONTEXT: Final[Questions] = {
    "user_context": elicit("What context should the prompt use?", {"context": {"type": "string"}}, ["context"])
}
CAPITAL: Final[Questions] = {"capital_question": sample("What is the capital of France?", 100)}
GREETING: Final[Questions] = {"greeting": sample("Generate a greeting", 50)}
ROOTS: Final[Questions] = {"client_roots": {"method": "roots/list", "params": {}}}
DEFAULTS: Final[Questions] = {
    "profile": elicit(
        "Please review",
        {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        },
        [],
    )
}
ENUMS: Final[Questions] = {
    "choices": elicit(
        "Please choose",
        {
            "untitledSingle": {"type": "string", "enum": _OPTIONS},
            "titledSingle": {"type": "string", "oneOf": _titled("First Option", "Second Option", "Third Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
            "titledMulti": {"type": "array", "items": {"anyOf": _titled("First", "Second", "Third")}},
        },
        [],
    )
}
