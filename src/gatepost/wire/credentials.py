"""Credentials in a text: where they are and what they are, by their published forms. Nothing else is judged.

Precision comes before recall: ordinary code and prose raise no alarm. Every search is linear in the text: a form
is tried only where its mark is, and reads a bounded stretch from there.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

from gatepost.wire.credential_forms import CredentialForm, MatchCheck, forms
from gatepost.wire.credential_length import LEAST_WORD
from gatepost.wire.named_values import is_suspect, named_values
from gatepost.wire.randomness import is_placeholder, is_random
from gatepost.wire.url_passwords import is_real_password, url_passwords

_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM: Final = 6
_LEAST_KEY: Final = 32
_LONGEST_EXAMPLE: Final = 500
_KEY_MARK: Final = "PRIVATE KEY"
_PUTTY_MARK: Final = "Private-Lines:"
_ESCAPED: Final = ("\\n", "\\r", "\\t")
_PUBLISHED: Final = (
    *("SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "4twFt5NiznN84AWoo1d7KO1T_yoc0Z6XOpOVswacPZg"),
    *("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "czZCaGRSa3F0MzpnWDFmQmF0M2JW"),
    *("2YotnFZFEjr1zCsicMWpAA", "tGzv3JOkF0XG5Qx2TlKWIA"),
)
"""Parts of the examples in the standards for web tokens and OAuth, which documentation repeats."""

_before = re.compile(r"[A-Za-z0-9_]")
_border = re.compile(r"-----(BEGIN|END) ([A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?)-----")
_key_lines = re.compile(
    r"(?>[A-Za-z0-9+/=]{16,}+|[A-Za-z-]{3,20}: [^\n\\]{1,80}+|\\[nr]|\s|[A-Za-z0-9+/=]{1,15}+(?=\s|\\|\Z))*+"
)
_base64 = re.compile(r"[A-Za-z0-9+/=]{16,}")
_jwt = re.compile(
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\n))(eyJ[A-Za-z0-9_-]{10,4000})[.][A-Za-z0-9_-]{2,20000}[.][A-Za-z0-9_-]{16,4000}"
)
_putty = re.compile(
    r"Private-Lines: [0-9]{1,3}\s{1,2}([A-Za-z0-9+/=]{40,64}(?:\s{1,2}[A-Za-z0-9+/=]{1,64}){0,100})"
)
_bearer = re.compile(r"(?i:bearer)[ \t]{1,3}([A-Za-z0-9._~+/=-]{16,1000})")
_basic = re.compile(r"(?i:basic)[ \t]{1,3}([A-Za-z0-9+/]{12,400}={0,2})")


class CredentialMatch(NamedTuple):
    """A credential in a text: its kind and position."""

    kind: str
    start: int
    end: int


def find(text: str) -> list[CredentialMatch]:
    """The credentials in a text, in order, without overlaps."""
    # Prose has no long words, and code has few, so most texts end here.
    words = "\n".join({word for word in text.split() if len(word) >= LEAST_WORD})
    if not words:
        return []
    found: list[CredentialMatch] = []
    for finding in sorted(_all(text, words), key=lambda finding: finding.start):
        if not found or finding.start >= found[-1].end:
            found.append(finding)
        elif finding.end > found[-1].end:
            found[-1] = found[-1]._replace(end=finding.end)
    return [finding for finding in found if not _is_published(text[finding.start : finding.end])]


def _is_published(value: str) -> bool:
    return len(value) <= _LONGEST_EXAMPLE and any(example in value for example in _PUBLISHED)


def redacted(text: str, start: int = 0, end: int | None = None) -> tuple[str, int]:
    """The text with a marker for each credential, and the number of credentials. All else is unchanged.

    With `start` and `end` it is that part of the text; what is around it helps to recognise credentials.
    """
    end = len(text) if end is None else end
    found = [finding for finding in find(text) if finding.start < end and finding.end > start]
    pieces, at = [], start
    for finding in found:
        pieces += [text[at : finding.start], f"[redacted: {finding.kind}]"]
        at = finding.end
    return "".join([*pieces, text[at:end]]), len(found)


def _all(text: str, words: str) -> Iterator[CredentialMatch]:
    """Every match, the most specific kinds first: of two at one position the first is kept."""
    if _KEY_MARK in text or _PUTTY_MARK in text:
        yield from _private_keys(text)
    for form in forms():
        if form.mark in words:
            yield from _of_form(form, text)
    if "eyJ" in words:
        yield from _web_tokens(text)
    if "://" in words:
        yield from (CredentialMatch("password in a URL", *span) for span in url_passwords(text))
    lowered = text.lower()
    if "bearer" in lowered:
        yield from _bearer_tokens(text)
    if "basic" in lowered:
        yield from _basic_authorizations(text)
    if is_suspect(lowered):
        yield from (CredentialMatch("secret value", *span) for span in named_values(text))


def _of_form(form: CredentialForm, text: str) -> Iterator[CredentialMatch]:
    pattern, end = _compiled(form.pattern), 0
    if form.within:
        matches = pattern.finditer(text)
    else:
        matches = (match for at in _places(form.mark, text) if at >= end and (match := pattern.match(text, at)))
    for match in matches:
        if not _goes_on(text, match.start(), match.end()) and _is_proven(form, match, text):
            end = match.end()
            yield CredentialMatch(form.kind, match.start(), end)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled on first use: all forms together would add tens of milliseconds to every start."""
    return re.compile(pattern)


def _places(mark: str, text: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether a match is part of a longer word. The `n` of an escaped line end belongs to no word."""
    if end < len(text) and _before.match(text[end]):
        return True
    return (
        start > 0 and _before.match(text[start - 1]) is not None and text[max(start - 2, 0) : start] not in _ESCAPED
    )


def _is_proven(form: CredentialForm, match: re.Match[str], text: str) -> bool:
    body = match["body"]
    if form.proof is MatchCheck.CHECKSUM and _has_checksum(body):
        return True
    if form.proof is MatchCheck.TWILIO and "twilio" not in text.lower():
        return False
    if form.proof is MatchCheck.DISCORD and not _decoded(body.partition(".")[0]).isdigit():
        return False
    return not is_placeholder(body)


def _has_checksum(body: str) -> bool:
    """Whether a token ends with the CRC-32 of the text before it, in base 62."""
    number, digits = crc32(body[:-_CHECKSUM].encode()), ""
    while number:
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return body[-_CHECKSUM:] == digits.rjust(_CHECKSUM, "0")


def _private_keys(text: str) -> Iterator[CredentialMatch]:
    """Private key blocks with a body. A truncated block goes on as long as its lines look like a key."""
    borders = [*_border.finditer(text)]
    for border, follower in zip_longest(borders, borders[1:]):
        if border[1] == "END":
            continue
        if follower is not None and follower[1] == "END":
            body, end = follower.start(), follower.end()
        else:
            body = end = _key_lines.match(text, border.end()).end()  # type: ignore[union-attr]  # it also matches nothing
        if _is_key(text[border.end() : body]):
            yield CredentialMatch("private key", border.start(), end)
    for match in _putty.finditer(text):
        if _is_key(match[1]):
            yield CredentialMatch("private key", *match.span(1))


def _is_key(body: str) -> bool:
    letters = "".join(_base64.findall(body.replace("\\n", "\n").replace("\\r", "\n")))
    return len(letters) >= _LEAST_KEY and "..." not in body and not is_placeholder(letters)


def _web_tokens(text: str) -> Iterator[CredentialMatch]:
    for match in _jwt.finditer(text):
        try:
            header = msgspec.json.decode(_decoded(match[1]))
        except msgspec.DecodeError:
            continue
        if isinstance(header, dict) and "alg" in header:
            yield CredentialMatch("JSON Web Token", match.start(), match.end())


def _bearer_tokens(text: str) -> Iterator[CredentialMatch]:
    for match in _bearer.finditer(text):
        value = match[1].rstrip(".")
        if is_random(value[:512]):
            yield CredentialMatch("bearer token", match.start(1), match.start(1) + len(value))


def _basic_authorizations(text: str) -> Iterator[CredentialMatch]:
    for match in _basic.finditer(text):
        user, colon, password = _decoded(match[1]).decode("utf-8", "replace").partition(":")
        if colon and (user + password).isprintable() and is_real_password(user, password):
            yield CredentialMatch("basic authorization", *match.span(1))


def _decoded(part: str) -> bytes:
    """Decoded Base64 of either alphabet; empty if it does not decode."""
    try:
        return base64.b64decode(
            part.replace("-", "+").replace("_", "/").rstrip("=") + "=" * (-len(part.rstrip("=")) % 4)
        )
    except (binascii.Error, ValueError):
        return b""
