"""Random values with a name that shows what they are: `DB_PASSWORD=…`, `"apiKey": "…"`."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.wire.randomness import is_random

_MARKS: Final = ("key", "passw", "passphrase", "pwd", "secret", "token", "credential")
_TELLING: Final = frozenset(
    (*("password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "credentials", "apikey"),)
)
_KEYS: Final = frozenset(
    (
        *("api", "access", "secret", "private", "auth", "encryption", "signing", "master", "account"),
        *("service", "app", "application", "admin", "license", "ingest", "shared", "session", "storage"),
    )
)
_JOINED: Final = re.compile(
    r"(?:api|access|secret|private|auth|master)_?key\Z|(?:auth|access|refresh|bearer)token\Z"
)
_HARMLESS: Final = frozenset(
    (
        *("public", "publishable", "page", "next", "previous", "continuation", "csrf", "xsrf", "sync", "change"),
        *("cursor", "cancel", "cancellation", "progress", "idempotency", "partition", "pagination", "resume"),
        *("lock", "fencing", "ownership", "etag", "hash", "digest", "checksum", "fingerprint"),
    )
)
_LOOK_BACK: Final = 100

# A separator, perhaps a quote, and a possible value. A match consumes the value, so no letter is read twice.
_assigned = re.compile(
    r"(?:=>|:=|[=:])[ \t]{0,4}(?P<quote>\\{0,3}[\"'`])?"
    r"(?P<value>[A-Za-z0-9+/_.~!@#$%^*-]{16,512}(?:={1,2}(?![A-Za-z0-9]))?)"
)
# The text before the separator, read backwards, so that it is one match at one position: blanks, a type, the name.
# A name after a colon is part of something longer.
_eman = re.compile(
    r"[ \t]{0,4}(?:[A-Za-z_.&]{1,20}[ \t]{0,2}:[ \t]{0,4})?\]?(?:[\"'`]\\{0,3})?([A-Za-z0-9_.-]{2,64}+)(?!:)"
)
_uuid = re.compile(r"[A-Fa-f0-9]{6,8}(?:-[A-Fa-f0-9]{4}){3}-[A-Fa-f0-9]{12}")
_identity = re.compile(r"(?i:token|session[_.-]?key)\Z")
_attribute = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.][A-Za-z_][A-Za-z0-9_]*)+")
_words = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ends = re.compile(r"\Z|[\s;,&\"'`\\)}\]]")


def is_suspect(lowered: str) -> bool:
    """Whether a lower-case text contains part of a secret's name."""
    return any(mark in lowered for mark in _MARKS)


def named_values(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each such value."""
    for match in _assigned.finditer(text):
        if _is_literal(match, text) and is_secret(_name(text, match.start()), match["value"]):
            yield match.span("value")


def _name(text: str, end: int) -> str:
    """The name that something is assigned to; empty if there is none."""
    found = _eman.match(text[max(end - _LOOK_BACK, 0) : end][::-1])
    return "" if found is None else found[1][::-1]


def is_secret(name: str, value: str) -> bool:
    """Whether a value is random and its name marks a secret. A UUID that names a session is an id."""
    return is_telling(name) and is_random(value) and not (_identity.search(name) and _uuid.fullmatch(value))


def is_telling(name: str) -> bool:
    """Whether a name marks a secret: by its last words, unless other words say otherwise."""
    words = [word.lower() for word in _words.findall(name)]
    if not words or _HARMLESS.intersection(words):
        return False
    last = words[-1]
    return (
        last in _TELLING
        or _JOINED.search(last) is not None
        or (last == "key" and len(words) > 1 and words[-2] in _KEYS)
    )


def _is_literal(match: re.Match[str], text: str) -> bool:
    """Whether the value is a literal: not a call, a variable or part of something longer."""
    value, end = match["value"], match.end()
    if value.startswith(("$", "%")) or value.count("%") > 1:
        return False
    quote = match["quote"]
    if quote is not None:
        return text.startswith(quote, end)
    return _ends.match(text, end) is not None and _attribute.fullmatch(value) is None
