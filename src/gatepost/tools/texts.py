"""Checks of text in a session: which characters can be stored and sent, and what is blank."""

from gatepost.domain.refusals import InvalidInput


def text(field: str, value: object) -> str:
    """The text unchanged. Refused if it cannot be stored."""
    problem = flaw(value)
    if problem is not None:
        raise InvalidInput([(field, problem)])
    return str(value)


def key(field: str, value: object) -> str:
    """The text unchanged. Refused if it cannot be a key."""
    known = text(field, value)
    if blank(known):
        raise InvalidInput([(field, "must not be blank")])
    return known


def flaw(value: object) -> str | None:
    """What is wrong with a value that should be text; the rest of a sentence that starts with its name."""
    if not isinstance(value, str):
        return f"must be a string, not {type(value).__name__}"
    if "\x00" in value:
        return "must not contain NUL characters"
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        return "must not contain unpaired surrogates"
    return None


def blank(value: str) -> bool:
    """Whether the text is blank."""
    return not value.strip()
