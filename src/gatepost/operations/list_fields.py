"""The fields that list texts."""

from typing import Annotated

from msgspec import Meta

from gatepost.wire.lines import Tag
from gatepost.wire.prose import Item

Items = Annotated[tuple[Item, ...], Meta(max_length=50)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=50)]
