"""The published forms of credentials: what a token of each issuer begins with, is made of, and how long it is.

They are in `credential_forms.json`, a row for each form. Every token of a form holds one of its `marks`, so that a
plain search rules most texts out before any pattern is tried. The token is a mark followed by the `pattern`; if the
pattern has a group `body`, the pattern is the whole token and the group is its random part. Lengths are those that
the issuers publish or that their tokens have. Patterns read a bounded stretch and repeat nothing that repeats, so
that matching stays linear.
"""

import os
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

import msgspec

from gatepost.domain.value import prepared

_FILE: Final = os.path.join(os.path.dirname(__file__), "credential_forms.json")


class MatchCheck(Enum):
    """An additional check for a match."""

    BODY = "body"
    """The random part must not look like a placeholder."""
    CHECKSUM = "checksum"
    """The last six characters are a checksum of the rest, or the body is no placeholder."""
    DISCORD = "discord"
    """The first part is a number in Base64."""
    TWILIO = "twilio"
    """The text must speak of Twilio: many things are SK and 32 hexadecimal digits."""


class CredentialForm(NamedTuple):
    """One form. The named group `body` of the pattern is its random part."""

    kind: str
    mark: str
    pattern: str
    proof: MatchCheck
    within: bool
    """The mark is not at the start of the form."""


class _Row(msgspec.Struct):
    kind: str
    marks: str
    pattern: str
    proof: MatchCheck = MatchCheck.BODY
    within: bool = False


@cache
def forms() -> tuple[CredentialForm, ...]:
    """All forms. Of two that match at one position, the first counts. Read when a text first needs them."""
    with open(_FILE, "rb") as file:
        groups = msgspec.json.decode(file.read(), type=prepared(dict[str, list[_Row]]))
    return tuple(form for rows in groups.values() for row in rows for form in _forms_of(row))


def _forms_of(row: _Row) -> Iterator[CredentialForm]:
    for mark in row.marks.split():
        start = mark.replace(".", "[.]")
        pattern = row.pattern if "(?P<body>" in row.pattern else f"{start}(?P<body>{row.pattern})"
        yield CredentialForm(row.kind, mark, pattern, row.proof, row.within)
