"""Texts of one line in inputs, each kind with its limits. Their pattern is compiled when this is imported."""

from typing import Annotated, Final

from msgspec import Meta

from gatepost.wire.texts import LINE

ALWAYS_SHOWN: Final = {"always_shown": True}
"""Marks a limit that even the tool list shows, because agents often reach it."""

Title = Annotated[str, Meta(pattern=LINE, max_length=300, extra=ALWAYS_SHOWN)]
Line = Annotated[str, Meta(pattern=LINE, max_length=2_000)]
