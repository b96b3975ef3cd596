"""Taskdocs: a task's goals, constraints and progress; each section replaced whole, by one explicit call."""

from typing import Final, Literal, get_args

from msgspec.structs import replace

from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.value import Stamp, Value

Selector = Literal["goals", "constraints", "progress"]
SELECTORS: Final[tuple[Selector, ...]] = get_args(Selector)

NAME: Final = r"^(?!(?:goals|constraints|progress)\Z)[a-z0-9][a-z0-9_-]{0,63}\Z"
"""None that a section has: on a command line the two stand side by side."""
MOST_BYTES: Final = 65_536

_MOST_FORMER: Final = 20
_UNSEEN: Final = ("Cf", "Cc")


class Taskdoc(Value, frozen=True, kw_only=True, tag="taskdoc", tag_field="kind"):
    """A taskdoc, made by `actor` at `at`, and the plan it is bound to. Its package is known by `id`.

    Its key, the name that it was made by, is that of its place for good. `name` is what it is called since, and
    `formerly` what it was called in between: all of these lead to it, and nothing else can be called so. One that
    is archived is bound to no plan.
    """

    id: str
    at: str
    actor: str
    plan: str | None = None
    name: str | None = None
    formerly: tuple[str, ...] = ()
    archived: bool = False

    def called(self, key: str) -> str:
        """The name that it is shown by, which is also that of its package."""
        return self.name or key


class Section(Value, frozen=True, kw_only=True, tag="section", tag_field="kind"):
    """One section's text, byte for byte. Who put it there when is in the log.

    `stamp` is that of an adopted text: who wrote it when, elsewhere.
    """

    content: str = ""
    stamp: Stamp | None = None


def renamed(taskdoc: Taskdoc, key: str, name: str) -> Taskdoc:
    """The taskdoc under another name. The last names that it had still lead to it."""
    before = taskdoc.formerly if taskdoc.name is None else (*taskdoc.formerly, taskdoc.name)
    formerly = tuple(former for former in before if former != name)[-_MOST_FORMER:]
    return replace(taskdoc, name=None if name == key else name, formerly=formerly)


def fingerprint(content: str) -> str:
    """The SHA-256 of a section's text, as the package and the log give it."""
    from hashlib import sha256  # with it comes a library that servers which hold no taskdoc need not load

    return sha256(content.encode()).hexdigest()


def body(content: str | None, *, clear: bool) -> str:
    """The text that a section shall have. Emptying one must be said, never happen by mistake."""
    if clear:
        if content is not None:
            raise InvalidInput([("clear", "goes without `content`: it empties the section")])
        return ""
    if content is None:
        raise InvalidInput([("content", "is required; to empty the section send clear true")])
    if is_blank(content):
        raise InvalidInput([("content", "must not be blank; to empty the section send clear true")])
    return held(content, "content")


def is_blank(content: str) -> bool:
    """Whether there is nothing to see: white space, and characters without a shape."""
    from unicodedata import category

    return all(sign.isspace() or category(sign) in _UNSEEN for sign in content)


def same_but_for_white_space(one: str, other: str) -> bool:
    """Whether two texts differ in line ends, blanks at the end of lines and the final newline at most."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def has_conflict_markers(text: str) -> bool:
    """Whether git left a conflict in a text, or somebody resolved it by half."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "=======" in lines and any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in lines)


def held(content: str, field: str) -> str:
    """The same text, unless no section can hold it."""
    size = len(content.encode())
    if size > MOST_BYTES:
        raise TooLarge(
            f"`{field}` has {size:,} bytes; a section may have {MOST_BYTES:,}.",
            "Distil it: what was decided, what holds, what remains.",
            field=field,
        )
    return content
