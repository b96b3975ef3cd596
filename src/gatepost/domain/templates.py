"""Templates: texts with gaps. `{title}` is a gap; `{{title}}` is the word in braces; all other braces are text."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

NAME: Final = r"^[a-z][a-z0-9-]{0,40}\Z"
GAP_NAME: Final = r"^[a-z][a-z0-9_]{0,40}\Z"
TITLE: Final = "title"
"""The gap that every call fills."""

_GAP: Final = r"\{\{([a-z][a-z0-9_]{0,40})\}\}|\{([a-z][a-z0-9_]{0,40})\}"


def filled(data: Any, values: Mapping[str, str]) -> Any:
    """The data with every gap filled in one pass, so a brace in a value is text."""
    if isinstance(data, str):
        return re.sub(_GAP, lambda gap: f"{{{gap[1]}}}" if gap[1] else values[gap[2]], data)
    if isinstance(data, dict):
        return {name: filled(item, values) for name, item in data.items()}
    if isinstance(data, list | tuple):
        return [filled(item, values) for item in data]
    return data


def gaps(data: Any, at: str) -> Iterator[tuple[str, str]]:
    """The positions and names of the gaps."""
    if isinstance(data, str):
        yield from ((at, gap[2]) for gap in re.finditer(_GAP, data) if gap[2])
    elif isinstance(data, dict):
        for name, item in data.items():
            yield from gaps(item, f"{at}.{name}")
    elif isinstance(data, list | tuple):
        for number, item in enumerate(data):
            yield from gaps(item, f"{at}[{number}]")
