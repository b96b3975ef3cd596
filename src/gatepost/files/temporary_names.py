"""Temporary names for unfinished or deleted entries: nobody can guess, use or see them."""

import re
import secrets
from typing import Final

_BEGIN: Final = ".gatepost-"
_FORM: Final = re.compile(r"\.gatepost-[0-9a-f]{32}")


def fresh() -> str:
    """A new unique name."""
    return f"{_BEGIN}{secrets.token_hex(16)}"


def is_scratch(name: str) -> bool:
    """Whether this is a temporary name, in use or left behind by a killed process."""
    # Walks ask this for every name, and nearly all end here.
    return name.startswith(_BEGIN) and _FORM.fullmatch(name) is not None
