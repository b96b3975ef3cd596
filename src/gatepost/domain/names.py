"""The names things go by: workspaces, and ids that are given once and never again."""

from __future__ import annotations

from zlib import crc32

TYPE_CHECKING = False  # every start of a server that is bound to a workspace passes through here
if TYPE_CHECKING:
    from typing import Final

WORKSPACE: Final = r"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/-]{0,127}\Z"
SESSION: Final = (
    r"^(?!(?:TASK|PLAN)-[0-9]|__|(?:constructor|prototype|toString|toLocaleString|valueOf|hasOwnProperty"
    r"|isPrototypeOf|propertyIsEnumerable)\Z)[A-Za-z0-9._:-]{1,64}\Z"
)
"""A session's name, which is its scope on the stream: none that a task has, none that an object in a page has."""
SECTION_KEY: Final = r"^[A-Za-z0-9._:-]{1,64}\Z"
NODE_ID: Final = r"^(STEP|NODE)-[0-9A-F]{8}\Z"

_ROUNDS: Final = (0x9E37, 0x79B9, 0x7F4A, 0x7C15)


def node_id(workspace: str, number: int, word: str = "STEP") -> str:
    """The id of the workspace's `number`-th step (`STEP`) or task node (`NODE`).

    Scattered, so that a mistyped id hits nothing; a permutation, so that no id comes twice; keyed by the
    workspace, so that an id carried into another one is unknown there rather than somebody else's step.
    """
    return f"{word}-{_scatter(number, crc32(workspace.encode())):08X}"


def _scatter(number: int, key: int) -> int:
    """A four-round Feistel network over 32 bits: one to one, whatever the key."""
    left, right = number >> 16, number & 0xFFFF
    for turn in _ROUNDS:
        mixed = (right ^ turn ^ (key & 0xFFFF)) * 0x9E3B + (key >> 16)
        left, right = right, left ^ ((mixed ^ (mixed >> 13)) & 0xFFFF)
    return left << 16 | right
