"""Who is a person: an actor whose name starts with `human:`, a name that surfaces give to people alone.

Free of imports that cost time: every start of `gatepost mcp` passes through here.
"""

from __future__ import annotations

PERSON = "human:"


def is_person(actor: str) -> bool:
    """Whether an actor is a person."""
    return actor.startswith(PERSON)


def seems_person(name: str) -> bool:
    """Whether a reader could take a name for a person's: `Human:x`, ` human:x`, `?human:x`, and look-alike letters.

    There are too many look-alikes to list, so a kind (what is before the colon) in other letters than plain ones
    counts as one.
    """
    kind = ""
    for letter in _folded(name):
        if not letter.isalnum() and kind:
            return kind == "human" or (not kind.isascii() and (letter == ":" or not letter.isascii()))
        kind += letter if letter.isalnum() else ""
    return kind == "human"


def not_a_person(name: str, kind: str) -> str:
    """A name for an actor that is not a person: with `kind` before it, if it looks like a person's name."""
    return f"{kind}:{name}" if seems_person(name) else name


def _folded(name: str) -> str:
    """A name without what does not show, and without differences of case, width and accents."""
    if name.isascii():
        return "".join(letter for letter in name.lower() if " " < letter < "\x7f")
    from unicodedata import category, normalize

    plain = normalize("NFKD", normalize("NFKC", name).casefold())
    seen = [(letter, category(letter)) for letter in plain]
    return "".join(":" if kind == "Lm" else letter for letter, kind in seen if kind[0] not in "CZM")
