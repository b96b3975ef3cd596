"""JSON of other tools: fields of the type that is expected, or nothing."""

from typing import Any

import msgspec

from gatepost.interchange.source_files import SourceFile, SourceUnreadable

Json = dict[str, Any]


def decoded(file: SourceFile) -> Any:
    """The value in a file."""
    try:
        return msgspec.json.decode(file.text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise SourceUnreadable(
            f"{file.name} is not JSON: {error}.", "Check the file, or choose its --from."
        ) from None


def lines(file: SourceFile) -> list[Json]:
    """The objects of a file of JSON lines."""
    found = []
    for number, line in enumerate(file.text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise SourceUnreadable(
                f"{file.name}, line {number}, is not JSON: {error}.", "Correct the line, or export the file again."
            ) from None
        if isinstance(value, dict):
            found.append(value)
    return found


def peeked(text: str) -> Any:
    """The value of a text or of its first line; nothing if it is not JSON."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    for part in (text, text.lstrip().partition("\n")[0]):
        try:
            return msgspec.json.decode(part)
        except (msgspec.DecodeError, RecursionError):
            continue
    return None


def word(value: Any) -> str:
    """A text or a number as text; nothing for anything else."""
    if isinstance(value, bool):
        return ""
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def text(value: Json, *names: str) -> str:
    """The first of some fields that holds a text that is not blank, as it is."""
    return next((held for name in names if isinstance(held := value.get(name), str) and held.strip()), "")


def objects(value: Any) -> list[Json]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def words(value: Any) -> list[str]:
    """The texts and numbers of a list, as texts."""
    return [found for item in value if (found := word(item))] if isinstance(value, list) else []


def needs(file: SourceFile, what: str, *, found: bool) -> None:
    """Refuse a file without what makes it one of the source."""
    if not found:
        raise SourceUnreadable(
            f"{file.name} has {what}.", "Choose another file, or leave out --from to have the format recognized."
        )
