"""Texts of several lines in inputs, each kind with its limits. Their pattern is compiled when this is imported."""

from typing import Annotated

from msgspec import Meta

from gatepost.wire.texts import PROSE

Item = Annotated[str, Meta(pattern=PROSE, max_length=2_000)]
"""A list item: a criterion, a test, a checklist item. It may have several lines."""
Prose = Annotated[str, Meta(pattern=PROSE, max_length=32_000)]
Note = Annotated[str, Meta(pattern=PROSE, max_length=16_000)]
