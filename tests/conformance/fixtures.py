"""What the official suite asks for by name: tools, prompts and resources that only it knows.

They are served by the product's own transport and protocol core, which is what the suite judges.
"""

import json
import time
from collections.abc import Callable, Collection
from typing import Any, Final

from gatepost.surfaces.mcp.answers import Blocks, CallToolResult
from gatepost.surfaces.mcp.exchange import Exchange, Question
from gatepost.surfaces.mcp.messages import UnknownName
from tests.conformance.questions import (
    CAPITAL,
    COLOUR,
    CONFIRM,
    CONTEXT,
    DEFAULTS,
    ENUMS,
    GREETING,
    NAME,
    ROOTS,
    STEP_ONE,
    elicit,
    sample,
)

WORKSPACE: Final = "conformance"
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
SILENCE: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
IMAGE: Final[dict[str, object]] = {"type": "image", "data": PIXEL, "mimeType": "image/png"}

Block = dict[str, object]
Tool = Callable[[dict[str, Any], Exchange], list[Block]]


def text(words: str) -> Block:
    """A block of text."""
    return {"type": "text", "text": words}


def embedded(uri: str, media_type: str, words: str) -> Block:
    """A resource, embedded."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "text": words}}


def asking(*questions: dict[str, Question]) -> Tool:
    """A tool that asks one thing after the other, and tells what it was answered."""

    def run(_arguments: dict[str, Any], exchange: Exchange) -> list[Block]:
        answers = [exchange.ask(question) for question in questions]
        return [text(f"state-ok: {json.dumps(answers)}")]

    return run


def legacy_elicitation(arguments: dict[str, Any], exchange: Exchange) -> list[Block]:
    fields = {"username": {"type": "string"}, "email": {"type": "string"}}
    answer = exchange.ask({"user": elicit(arguments["message"], fields, ["username", "email"])})["user"]
    return [text(f"User response: {json.dumps(answer)}")]


def legacy_sampling(arguments: dict[str, Any], exchange: Exchange) -> list[Block]:
    answer = exchange.ask({"model": sample(arguments["prompt"], 100)})["model"]
    return [text(f"LLM response: {json.dumps(answer['content'])}")]


def what_the_client_can(_arguments: dict[str, Any], exchange: Exchange) -> list[Block]:
    """Asks only for what was declared."""
    wanted = {"sampling": CAPITAL, "elicitation": NAME}
    answers = [exchange.ask(question) for capability, question in wanted.items() if exchange.can(capability)]
    return [text(json.dumps(answers))]


def with_progress(_arguments: dict[str, Any], exchange: Exchange) -> list[Block]:
    for done in (0, 50, 100):
        exchange.progress(done, 100)
        time.sleep(0.02)
    return [text("done")]


def with_logging(_arguments: dict[str, Any], exchange: Exchange) -> list[Block]:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        exchange.log("info", words)
        time.sleep(0.02)
    return [text("done")]


def saying(*blocks: Block) -> Tool:
    """A tool that always answers the same."""
    return lambda _arguments, _exchange: list(blocks)


TOOLS: Final[dict[str, Tool]] = {
    "test_simple_text": saying(text("This is a simple text response for testing.")),
    "test_image_content": saying(IMAGE),
    "test_audio_content": saying({"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}),
    "test_embedded_resource": saying(embedded("test://embedded-resource", "text/plain", "An embedded resource.")),
    "test_multiple_content_types": saying(
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_error_handling": saying(text("This tool intentionally returns an error for testing")),
    "test_tool_with_progress": with_progress,
    "test_tool_with_logging": with_logging,
    "test_logging_tool": with_logging,
    "test_sampling": legacy_sampling,
    "test_elicitation": legacy_elicitation,
    "test_elicitation_sep1034_defaults": asking(DEFAULTS),
    "test_elicitation_sep1330_enums": asking(ENUMS),
    "test_missing_capability": asking(CAPITAL),
    "test_streaming_elicitation": asking(NAME),
    "test_input_required_result_elicitation": asking(NAME),
    "test_input_required_result_sampling": asking(CAPITAL),
    "test_input_required_result_list_roots": asking(ROOTS),
    "test_input_required_result_request_state": asking(CONFIRM),
    "test_input_required_result_multiple_inputs": asking({**NAME, **GREETING, **ROOTS}),
    "test_input_required_result_multi_round": asking(STEP_ONE, COLOUR),
    "test_input_required_result_tampered_state": asking(CONFIRM),
    "test_input_required_result_capabilities": what_the_client_can,
}
REFUSED: Final = "test_error_handling"
ARGUMENTS: Final = {"test_elicitation": "message", "test_sampling": "prompt"}


class FixtureTools:
    """The toolbox that the suite talks to."""

    name = "conformance"
    version = "1.0.0"
    instructions = "Fixtures of the official conformance suite."
    logs = True

    def tools(self) -> list[dict[str, object]]:
        """All of them."""
        return [_defined(name) for name in TOOLS]

    def call(self, name: str, arguments: dict[str, object], caller: str | None) -> CallToolResult:
        """Never used: these tools talk back."""
        raise NotImplementedError

    def converse(self, name: str, arguments: dict[str, object], exchange: Exchange) -> Blocks:
        """What a tool answers."""
        tool = TOOLS.get(name)
        if tool is None:
            raise UnknownName(name)
        return Blocks(tool(arguments, exchange), refused=name == REFUSED)

    def resources(self, _client: str | None) -> "FixtureResources":
        """All of them."""
        return FixtureResources()

    def prompts(self, _client: str | None) -> "FixturePrompts":
        """All of them."""
        return FixturePrompts()

    def completions(self, _client: str | None) -> "FixtureCompletions":
        """For the prompts."""
        return FixtureCompletions()


class FixtureResources:
    """Two that are listed, one that is watched, and a template."""

    def page(self, _cursor: str | None) -> tuple[list[dict[str, object]], str | None]:
        """A single page."""
        uris = ("test://static-text", "test://static-binary", "test://watched-resource")
        return [{"uri": uri, "name": uri[7:], "description": "A fixture."} for uri in uris], None

    def templates(self) -> list[dict[str, object]]:
        """The one."""
        return [{"uriTemplate": "test://template/{id}/data", "name": "template", "description": "A fixture."}]

    def read(self, uri: str) -> dict[str, object]:
        """What the suite expects there."""
        if uri == "test://static-binary":
            return {"uri": uri, "mimeType": "image/png", "blob": PIXEL}
        if uri in ("test://static-text", "test://watched-resource"):
            return {
                "uri": uri,
                "mimeType": "text/plain",
                "text": "This is the content of the static text resource.",
            }
        if uri.startswith("test://template/") and uri.endswith("/data"):
            found = {"id": uri.split("/")[3], "templateTest": True}
            return {"uri": uri, "mimeType": "application/json", "text": json.dumps(found)}
        raise UnknownName(uri)

    def watch(self, uri: str) -> tuple[str, int]:
        """What can be read can be watched."""
        self.read(uri)
        return WORKSPACE, 0

    def changed(self, _workspace: str, after: int, _uris: Collection[str]) -> tuple[int, list[str]]:
        """Nothing ever does."""
        return after, []

    def wait(self, _workspace: str, _after: int, _seconds: float) -> None:
        """Only stdio waits so."""
        raise NotImplementedError


class FixturePrompts:
    """The prompts that the suite gets."""

    def listed(self) -> list[dict[str, object]]:
        """All of them."""
        given = {
            "test_simple_prompt": (),
            "test_prompt_with_arguments": ("arg1", "arg2"),
            "test_prompt_with_embedded_resource": ("resourceUri",),
            "test_prompt_with_image": (),
            "test_input_required_result_prompt": (),
        }
        return [
            {
                "name": name,
                "description": "A fixture.",
                "arguments": [{"name": argument, "required": True} for argument in arguments],
            }
            for name, arguments in given.items()
        ]

    def get(self, name: str, arguments: dict[str, str], exchange: Exchange) -> dict[str, object]:
        """Its messages."""
        return {
            "messages": [{"role": "user", "content": block} for block in self._blocks(name, arguments, exchange)]
        }

    def _blocks(self, name: str, arguments: dict[str, str], exchange: Exchange) -> list[Block]:
        if name == "test_simple_prompt":
            return [text("This is a simple prompt for testing.")]
        if name == "test_prompt_with_arguments":
            return [text(f"Prompt with arguments: arg1='{arguments['arg1']}', arg2='{arguments['arg2']}'")]
        if name == "test_prompt_with_embedded_resource":
            return [embedded(arguments["resourceUri"], "text/plain", "Embedded."), text("Please process it.")]
        if name == "test_prompt_with_image":
            return [IMAGE, text("Please analyze the image above.")]
        if name == "test_input_required_result_prompt":
            return [text(json.dumps(exchange.ask(CONTEXT)))]
        raise UnknownName(name)


class FixtureCompletions:
    """Suggestions for any argument."""

    def of_prompt(self, _name: str, _argument: str, begun: str, _others: dict[str, str]) -> list[str]:
        """What was begun, and one more."""
        return [begun, f"{begun}-more"]

    def of_template(self, _template: str, _argument: str, _begun: str, _others: dict[str, str]) -> list[str]:
        """Nothing."""
        return []


def _defined(name: str) -> dict[str, object]:
    argument = ARGUMENTS.get(name)
    properties = {} if argument is None else {argument: {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": f"The fixture {name}.", "inputSchema": schema}
