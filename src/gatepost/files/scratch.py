"""Names for what is not finished yet, or already gone: nobody can guess, address or see them."""

import re
import secrets
from typing import Final

_FORM: Final = re.compile(r"\.gatepost-[0-9a-f]{32}")


def fresh() -> str:
    """A name that nothing has yet."""
    return f".gatepost-{secrets.token_hex(16)}"


def is_scratch(name: str) -> bool:
    """Whether this is such a name: of work under way, or left behind by a process that was killed."""
    return _FORM.fullmatch(name) is not None
