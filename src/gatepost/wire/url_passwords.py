"""Passwords in URLs, as opposed to placeholders in documentation."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.wire.randomness import is_placeholder

_SHOWN: Final = frozenset(
    (
        *("pass", "passw", "passwd", "pwd", "pw", "p", "user", "username", "usr", "name", "me", "admin"),
        *("root", "guest", "test", "testing", "foo", "bar", "baz", "qux", "abc", "xyz", "hunter", "postgres"),
        *("mysql", "redis", "mongo", "rabbitmq", "minio", "elastic", "api", "key", "auth", "login", "hidden"),
        *("private", "oauth2", "x-oauth-basic", "open sesame", "opensesame"),
    )
)
_LEET: Final = str.maketrans("013457@$", "oieastas")
_EXAMPLES: Final = ("example", "test", "invalid", "localhost.localdomain")

_userinfo = re.compile(r"://([^\s/:@?#\"'<>`\\]{0,100}):([^\s/:?#\"'<>`\\]{1,200})@([A-Za-z0-9.\[-]{0,255})")
_varied = re.compile(r"[^A-Za-z]|[a-z][A-Z]")


def url_passwords(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each password in a URL that is not a placeholder."""
    for match in _userinfo.finditer(text):
        user, password, host = match.groups()
        if is_real_password(user, password) and not _is_example(host):
            yield match.span(2)


def is_real_password(user: str, password: str) -> bool:
    """Whether a password may be real: not a word, name, number, variable or row of letters."""
    bare = re.sub(r"[\d!@#_.-]+\Z", "", password).lower().translate(_LEET)
    return (
        len(password) >= _LEAST
        and _varied.search(password) is not None
        and not any(letter in password for letter in "${}<>()[]*|…")
        and not password.isdecimal()
        and not password.replace("_", "").isupper()
        and password.lower() != user.lower()
        and bare not in _SHOWN
        and "password" not in bare
        and not is_placeholder(password)
    )


_LEAST: Final = 6


def _is_example(host: str) -> bool:
    return any(part in _EXAMPLES for part in host.lower().split("."))
