"""Masking: what looks like a credential is not shown, whoever asks, by whatever surface."""

import re
from typing import Any, Final

MASK: Final = "[masked]"

_NAMES: Final = (
    r"(?ia:api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|passw(?:or)?d"
    r"|passphrase|secret|token|authorization|credentials?)"
)
# `db_password`, `x-api-key`, `dbPassword`: words may stand before a name, but it must be no part of a word. Only
# the letter before it is looked at: a pattern for the words themselves takes quadratic time on long ones.
_BEFORE: Final = r"(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))"
_TOKENS: Final = (
    r"\bsk-[A-Za-z0-9_-]{16,}|\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}"
    r"|\bhf_[A-Za-z0-9]{30,}|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_SCHEME: Final = r"(?ia:basic|bearer|digest|token)"

# One of these is in every text that holds a credential. Plain searches: a pattern of this many branches costs
# fifty times as much, on every reply.
_MARKS: Final = (
    *("sk-", "_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox"),
    *("AKIA", "ASIA", "AIza", "npm_", "pypi-", "hf_", "eyJ", "PRIVATE KEY", "@"),
)
_WORDS: Final = ("key", "passw", "passphrase", "secret", "token", "authorization", "credential", "bearer")

_token = re.compile(_TOKENS)
_pem = re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END \1-----|\Z)", re.DOTALL)
# A word after "bearer" is prose unless it is long, or has a digit in it.
_bearer = re.compile(
    r"\b((?ia:bearer)\s{1,3})(?:(?=[^\s\d]{0,80}\d)[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{20,})"
)
_url = re.compile(r"(://[^\s/:@]{0,100}:)[^\s/]{1,400}(@)")
_assigned = re.compile(
    rf"""(?x) ({_BEFORE}{_NAMES} (?:\\{{0,8}}["'])? \s{{0,8}} (?:=|:(?!//)) \s{{0,8}}"""
    rf"""(?:{_SCHEME}\s{{1,3}}(?=\S{{6}}))?)"""
    r"""(\\{0,8}"[^"\n]+"|\\{0,8}'[^'\n]+'|[^\s"',;}\)]{3,})"""
)
_key = re.compile(rf"{_BEFORE}{_NAMES}(s?)\Z")


def suspect(text: str) -> bool:
    """Whether a rendered reply needs a closer look. Cheap, and never misses what `masked` would mask."""
    for mark in _MARKS:
        if mark in text:
            return True
    lowered = text.lower()
    for word in _WORDS:  # noqa: SIM110 - any() with a generator takes twice as long, on every reply
        if word in lowered:
            return True
    return False


def masked(value: Any) -> Any:
    """Plain data with every credential replaced: by its form, or by the key it stands under."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, dict):
        return {mask_text(key): MASK if _is_secret(key, item) else masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    return value


def mask_text(text: str) -> str:
    """A text with every credential in it replaced."""
    if not suspect(text):
        return text
    text = _pem.sub(MASK, text)
    text = _token.sub(MASK, text)
    text = _bearer.sub(rf"\1{MASK}", text)
    text = _url.sub(_mask_password, text)
    return _assigned.sub(_mask_assigned, text)


def _mask_password(match: re.Match[str]) -> str:
    return match[1] + MASK + match[2]


def _mask_assigned(match: re.Match[str]) -> str:
    return match[0] if MASK in match[2] else match[1] + MASK


def _is_secret(key: str, value: Any) -> bool:
    """Nothing is no secret, nor is a number of them: `max_tokens`."""
    if value is None or isinstance(value, bool) or value == "":
        return False
    match = _key.search(key)
    return match is not None and not (match[1] and isinstance(value, int | float))
