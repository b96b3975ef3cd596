"""What every tool's parameters have: a JSON Schema for the model, and a function that decodes what it sends."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.domain.refusals import InvalidInput

Schema = dict[str, Any]

MOST_PROBLEMS: Final = 20

_encode = msgspec.json.Encoder().encode


class Parameters(NamedTuple):
    """The schema for the model, and the function that converts a JSON object to the handler's parameters."""

    schema: Schema
    make: Callable[[dict[str, Any]], Any]

    def read(self, arguments: Mapping[str, Any]) -> Any:
        """Decode arguments. Nothing is coerced, and a refusal names every problem."""
        if not isinstance(arguments, Mapping):
            raise InvalidInput([("arguments", f"must be an object, not {type(arguments).__name__}")])
        given = dict(arguments)
        try:
            unsendable = [(_shown(name), problem) for name, value in given.items() if (problem := _flaw(value))]
            if unsendable:
                raise InvalidInput(unsendable[:MOST_PROBLEMS])
            return self.make(given)
        except RecursionError:
            raise InvalidInput([("arguments", "are nested too deeply")]) from None


def _flaw(value: Any) -> str | None:
    """Why a value is not valid JSON."""
    try:
        _encode(value)
    except UnicodeEncodeError:
        return "must not contain unpaired surrogates"
    except (TypeError, ValueError, OverflowError):
        return "must be plain JSON"
    return None


def _shown(name: object) -> str:
    return str(name)[:80].encode("utf-8", "backslashreplace").decode()


def described(message: str) -> str:
    """A library's message about a value, as the rest of a sentence that starts with the field's name."""
    return f"is wrong: {message[:1].lower()}{message[1:]}"


def shown_schema(root: Schema, parts: Mapping[str, Schema]) -> Schema:
    """A schema with an object at the root and everything inline. Only recursive types need references."""
    untitled = {name: {word: part[word] for word in part if word != "title"} for name, part in parts.items()}
    recursive: set[str] = set()
    schema: Schema = _inlined(root, untitled, (), recursive)
    # What the parameters are about is the tool's description.
    schema.pop("description", None)
    schema.setdefault("required", [])
    return schema | ({"$defs": untitled} if recursive else {})


def _inlined(node: Any, parts: Mapping[str, Any], within: tuple[str, ...], recursive: set[str]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, parts, within, recursive) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return {
            word: _inlined(item, parts, within, recursive)
            for word, item in node.items()
            # It points to parts that are no longer there. A property of this name is a schema, without a mapping.
            if not (word == "discriminator" and isinstance(item, dict) and "mapping" in item)
        }
    name = reference.rpartition("/")[2]
    if name in within:
        recursive.add(name)
        return node
    beside = {word: item for word, item in node.items() if word != "$ref"}
    inlined: Schema = _inlined(parts[name], parts, (*within, name), recursive)
    return inlined | beside
