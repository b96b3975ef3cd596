"""What counts as text in a session: characters that can be stored and sent, blank or not."""

from gatepost.domain.refusals import InvalidInput


def text(field: str, value: object) -> str:
    """The same text, unless it is none that could be stored."""
    problem = flaw(value)
    if problem is not None:
        raise InvalidInput([(field, problem)])
    return str(value)


def key(field: str, value: object) -> str:
    """The same text, if something can be found again by it."""
    known = text(field, value)
    if blank(known):
        raise InvalidInput([(field, "must not be blank")])
    return known


def flaw(value: object) -> str | None:
    """What is wrong with a value that should be text; the rest of a sentence that starts with its name."""
    if not isinstance(value, str):
        return f"must be a string, not {type(value).__name__}"
    if "\x00" in value:
        return "must not hold NUL characters"
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        return "must not hold unpaired surrogates"
    return None


def blank(value: str) -> bool:
    """Whether there is nothing to read."""
    return not value.strip()
