"""The settings in `[notify]`: where to send notices, and for which events."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from gatepost.checks.settings_file import BadSettings

QUESTION: Final = "question"
SIGNOFF: Final = "signoff"
PLAN_DONE: Final = "plan_done"
STEP_STUCK: Final = "step_stuck"
KINDS: Final = (QUESTION, SIGNOFF, PLAN_DONE, STEP_STUCK)

STUCK_AFTER: Final = "4h"
"""After what time a step counts as stuck, unless set."""
_LONGEST: Final = 2_000
_MOST_WORDS: Final = 50
_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_COMMAND: Final = '`command` must be a list of words, such as ["notify-send", "{title}", "{text}"].'
_term = re.compile(r"([1-9][0-9]{0,5})([smhd])")


class NotifySettings(NamedTuple):
    """Where to send notices, and for which events. `stuck_after` is in seconds.

    `trusted_in` is the project whose file sets this, if one does: a person can revoke that trust at any time.
    """

    url: str | None
    secret_file: str | None
    command: tuple[str, ...]
    events: tuple[str, ...]
    stuck_after: int
    trusted_in: str | None = None

    @property
    def host(self) -> str:
        """The webhook without its path, which may be a secret."""
        found = urlsplit(self.url or "")
        return f"{found.scheme}://{found.netloc.rpartition('@')[2]}"

    def described(self) -> Iterator[str]:
        """What these settings do, in words for the person who decides whether to trust them."""
        if self.url is not None:
            yield f"sends questions and titles to {self.host}"
        if self.command:
            yield f"runs {shlex.join(self.command)}"


def parsed(given: Mapping[str, Any], root: str, where: str) -> NotifySettings | None:
    """The settings in a table, or None if it names no webhook and no command. BadSettings names `where`."""
    try:
        made = NotifySettings(
            url=_url(given),
            secret_file=_path(given, root),
            command=_command(given.get("command", ())),
            events=_events(given.get("events", KINDS)),
            stuck_after=_seconds(given.get("stuck_after", STUCK_AFTER)),
        )
    except ValueError as error:
        raise BadSettings(f"{where}: {error}") from None
    return made if made.url is not None or made.command else None


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= _LONGEST:
        raise ValueError(f"`{name}` must be a string of at most {_LONGEST:,} printable characters.")
    return value


def _url(given: Mapping[str, Any]) -> str | None:
    url = _text(given, "url")
    if url is None:
        return None
    try:
        found = urlsplit(url)
        _ = found.port
    except ValueError:
        raise ValueError("`url` is not an address. Write it like https://example.com/hook.") from None
    if found.scheme not in ("http", "https") or not found.hostname or " " in url or not url.isascii():
        raise ValueError("`url` must start with http:// or https:// and name a host.")
    if found.username is not None:
        raise ValueError("`url` must not contain a password. Use `secret_file`.")
    return url


def _path(given: Mapping[str, Any], root: str) -> str | None:
    path = _text(given, "secret_file")
    return None if path is None else os.path.join(root, os.path.expanduser(path))


def _command(value: object) -> tuple[str, ...]:
    words = _split(value) if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise ValueError(_COMMAND)
    if (value != () and not (words and words[0])) or len(words) > _MOST_WORDS:
        raise ValueError(_COMMAND)
    if any("\0" in word or len(word) > _LONGEST for word in words):
        raise ValueError("`command` has a word that is too long or contains a NUL character.")
    return tuple(words)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise ValueError(f"`command` has an open quote: {error}.") from None


def _events(value: object) -> tuple[str, ...]:
    names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not names or not all(name in KINDS for name in names):
        raise ValueError(f"`events` must be a list of: {', '.join(KINDS)}.")
    return tuple(kind for kind in KINDS if kind in names)


def _seconds(value: object) -> int:
    match = _term.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError('`stuck_after` must be a number and a unit, such as "30m", "4h" or "2d".')
    return int(match[1]) * _UNITS[match[2]]
