"""Tags in inputs. Their pattern is compiled when this is imported."""

from typing import Annotated

from msgspec import Meta

from gatepost.wire.texts import TAG

Tag = Annotated[str, Meta(pattern=TAG, max_length=64)]
