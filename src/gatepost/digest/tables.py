"""Tables of our own that are written as lines, because a row for each entry would fill pages."""


def words(text: str) -> frozenset[str]:
    """`one two three` as a set."""
    return frozenset(text.split())


def pairs(text: str) -> list[tuple[str, str]]:
    """`name=value, name=value` as pairs."""
    return [(name, value) for name, _, value in (pair.partition("=") for pair in text.split(", ") if pair)]
