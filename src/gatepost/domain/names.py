"""Names of workspaces and sessions, and ids that are never reused."""

from __future__ import annotations

TYPE_CHECKING = False  # every start of a server that is bound to a workspace comes through here
if TYPE_CHECKING:
    from typing import Final

WORKSPACE: Final = r"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/-]{0,127}\Z"
SESSION: Final = (
    r"^(?!(?:TASK|PLAN)-[0-9]|__|(?:constructor|prototype|toString|toLocaleString|valueOf|hasOwnProperty"
    r"|isPrototypeOf|propertyIsEnumerable)\Z)[A-Za-z0-9._:-]{1,64}\Z"
)
"""A session's name, which is its scope on the stream. Not a task's id, nor a name of every JavaScript object."""
REQUEST_ID: Final = r"^[A-Za-z0-9._:-]{1,128}\Z"
SECTION_KEY: Final = r"^[A-Za-z0-9._:-]{1,64}\Z"
NODE_ID: Final = r"^(STEP|NODE)-[0-9A-F]{8}\Z"

_ROUNDS: Final = (0x9E37, 0x79B9, 0x7F4A, 0x7C15)


def node_id(workspace: str, number: int, word: str = "STEP") -> str:
    """The id of the workspace's `number`-th step (`STEP`) or task node (`NODE`).

    Scattered, so that a mistyped id matches nothing; a permutation, so that no id occurs twice; keyed by the
    workspace, so that an id from another workspace is unknown here rather than some other step.
    """
    return f"{word}-{_scatter(number, _key(workspace)):08X}"


def node_number(workspace: str, name: str) -> int:
    """The number behind an id: the inverse of `node_id`."""
    return _gather(int(name[-8:], 16), _key(workspace))


def is_node_id(text: str) -> bool:
    """Whether a text can be the id of a step or task node."""
    word, _, digits = text.partition("-")
    return word in ("STEP", "NODE") and len(digits) == 8 and not digits.strip("0123456789ABCDEF")


def _key(workspace: str) -> int:
    from zlib import crc32  # a shared library, which only new ids need

    return crc32(workspace.encode())


def _scatter(number: int, key: int) -> int:
    """A four-round Feistel network over 32 bits: a permutation for any key."""
    left, right = number >> 16, number & 0xFFFF
    for turn in _ROUNDS:
        left, right = right, left ^ _mixed(right, turn, key)
    return left << 16 | right


def _gather(scattered: int, key: int) -> int:
    """The inverse of `_scatter`."""
    left, right = scattered >> 16, scattered & 0xFFFF
    for turn in reversed(_ROUNDS):
        left, right = right ^ _mixed(left, turn, key), left
    return left << 16 | right


def _mixed(half: int, turn: int, key: int) -> int:
    mixed = (half ^ turn ^ (key & 0xFFFF)) * 0x9E3B + (key >> 16)
    return (mixed ^ (mixed >> 13)) & 0xFFFF
