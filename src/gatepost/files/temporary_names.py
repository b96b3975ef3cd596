"""Names for what is not finished yet, or already gone: nobody can guess, address or see them."""

import re
import secrets
from typing import Final

_BEGIN: Final = ".gatepost-"
_FORM: Final = re.compile(r"\.gatepost-[0-9a-f]{32}")


def fresh() -> str:
    """A name that nothing has yet."""
    return f"{_BEGIN}{secrets.token_hex(16)}"


def is_scratch(name: str) -> bool:
    """Whether this is such a name: of work under way, or left behind by a process that was killed."""
    # Walks ask this of every name they meet, and nearly all end here.
    return name.startswith(_BEGIN) and _FORM.fullmatch(name) is not None
