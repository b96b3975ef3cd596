"""Taskdocs: a task's goals, constraints and progress. Each section is replaced as a whole, by an explicit call."""

from typing import Final, Literal, get_args

from msgspec.structs import replace

from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.value import Stamp, Value

Selector = Literal["goals", "constraints", "progress"]
SELECTORS: Final[tuple[Selector, ...]] = get_args(Selector)

NAME: Final = r"^(?!(?:goals|constraints|progress)\Z)[a-z0-9][a-z0-9_-]{0,63}\Z"
"""Not a section's name: on a command line the two are side by side."""
MOST_BYTES: Final = 65_536

_MOST_FORMER: Final = 20
_UNSEEN: Final = ("Cf", "Cc")


class Taskdoc(Value, frozen=True, kw_only=True, tag="taskdoc", tag_field="kind"):
    """A taskdoc, created by `actor` at `at`, and the plan it is bound to. `id` identifies its package.

    Its key, the name it was created with, is part of its place for good. `name` is its current name, and `formerly`
    are the names in between: all of them lead to it, and no other taskdoc can have them. An archived taskdoc is
    bound to no plan.
    """

    id: str
    at: str
    actor: str
    plan: str | None = None
    name: str | None = None
    formerly: tuple[str, ...] = ()
    archived: bool = False

    def called(self, key: str) -> str:
        """Its current name, which is also its package's name."""
        return self.name or key


class SectionText(Value, frozen=True, kw_only=True, tag="section", tag_field="kind"):
    """One section's text, byte for byte. The log says who wrote it when.

    `stamp` belongs to an adopted text: who wrote it elsewhere, and when.
    """

    content: str = ""
    stamp: Stamp | None = None


def renamed(taskdoc: Taskdoc, key: str, name: str) -> Taskdoc:
    """The taskdoc with a new name. Its last names still lead to it."""
    before = taskdoc.formerly if taskdoc.name is None else (*taskdoc.formerly, taskdoc.name)
    formerly = tuple(former for former in before if former != name)[-_MOST_FORMER:]
    return replace(taskdoc, name=None if name == key else name, formerly=formerly)


def fingerprint(content: str) -> str:
    """The SHA-256 of a section's text, as in the package and the log."""
    from hashlib import sha256  # loads a library that servers without taskdocs do not need

    return sha256(content.encode()).hexdigest()


def body(content: str | None, *, clear: bool) -> str:
    """The new text of a section. Emptying it must be explicit."""
    if clear:
        if content is not None:
            raise InvalidInput([("clear", "empties the section: send it without `content`")])
        return ""
    if content is None:
        raise InvalidInput([("content", "is required; to empty the section, send clear true")])
    if is_blank(content):
        raise InvalidInput([("content", "must not be blank; to empty the section, send clear true")])
    return held(content, "content")


def is_blank(content: str) -> bool:
    """Whether nothing is visible: only white space and invisible characters."""
    from unicodedata import category

    return all(sign.isspace() or category(sign) in _UNSEEN for sign in content)


def same_but_for_white_space(one: str, other: str) -> bool:
    """Whether two texts differ only in line ends, trailing blanks and the final newline."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def has_conflict_markers(text: str) -> bool:
    """Whether a text has git conflict markers."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "=======" in lines and any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in lines)


def held(content: str, field: str) -> str:
    """The text, if it is small enough for a section."""
    size = len(content.encode())
    if size > MOST_BYTES:
        raise TooLarge(
            f"`{field}` has {size:,} bytes; the limit is {MOST_BYTES:,}.",
            "Shorten it to what was decided, what is true now and what remains.",
            field=field,
        )
    return content
