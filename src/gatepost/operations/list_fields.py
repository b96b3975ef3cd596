"""The fields that list texts."""

from typing import Annotated

from msgspec import Meta

from gatepost.wire.prose import Item
from gatepost.wire.tags import Tag

Items = Annotated[tuple[Item, ...], Meta(max_length=50)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=50)]
