"""Command lines to paste: quoted for the shell, and on the store that this command was asked of."""

import json
import shlex
from argparse import Namespace
from collections.abc import Mapping
from typing import Any


def command_line(tool: str, arguments: Mapping[str, Any], options: Namespace | None) -> str:
    """A `gatepost call` that asks for an operation."""
    spelled = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return joined(["call", tool, spelled, *same_place(options)])


def joined(words: list[str]) -> str:
    """Words as one line for the shell."""
    return shlex.join(["gatepost", *words])


def same_place(options: Namespace | None) -> list[str]:
    """The flags that said where the store is. What came from the environment comes from there again."""
    given: list[str] = []
    for name in ("store", "root"):
        value = getattr(options, name, None)
        if value is not None:
            given += [f"--{name}", value]
    return given
