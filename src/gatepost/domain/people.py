"""People: actors whose names only surfaces for people give out."""

from typing import Final

PREFIX: Final = "human:"


def is_person(actor: str) -> bool:
    """Whether an actor is a person."""
    return actor.startswith(PREFIX)
