r"""Rows of characters that no match can lack, as `\d{3,}` needs three digits: they are found like a word.

Every character of a text is turned to whether it can be part of the row. That is one pass that knows nothing of
expressions, and leaves a word to look for. Of what is beyond ASCII it is said that it can.
"""

from typing import Any, Final, NamedTuple

from gatepost.files.confinement import Sweep, sweep
from gatepost.files.expressions import COMPILER, PARSER, Parsed, name_of, parsed
from gatepost.files.rarity import COMMON

_MEMBER: Final = "\1"
_OTHER: Final = "\0"
_BEYOND: Final = "?"
"""What stands for a character beyond ASCII once a text is made ASCII."""
_LONGEST: Final = 8
"""Rows of so many stand nowhere by chance, whatever they are of; longer ones are no easier to find."""


class Row(NamedTuple):
    """So many characters of one kind, beside one another, or at the end of a line."""

    kinds: bytes
    """For each ASCII character, the sign for whether it can be part of the row; a line feed stays what it is."""
    kinds_beyond: bytes
    """The same for a text that was made ASCII."""
    sought: str
    """What to look for in a text of such signs."""
    sweep: Sweep
    """What finds it there."""

    def signs(self, text: str) -> str:
        """A text, character for character as signs."""
        kinds = self.kinds if text.isascii() else self.kinds_beyond
        return text.encode("ascii", "replace").translate(kinds).decode("ascii")


def row(pattern: str) -> Row | None:
    """The row of a valid pattern that stands at the fewest places; none if all are of what stands everywhere."""
    tree = parsed(pattern)
    if tree is None:
        return None
    items = list(tree)
    found = (_row(tree, item, *items[place : place + 1]) for place, item in enumerate(items, 1))
    return max((each for each in found if each), key=lambda each: len(each.sought), default=None)


def _row(tree: Parsed, item: tuple[Any, Any], behind: tuple[Any, Any] = (None, None)) -> Row | None:
    """The row of one item of a pattern, with what stands behind it, unless it is of what stands everywhere."""
    code, value = item
    count = 1
    if name_of(code).endswith("_REPEAT"):
        count, _, body = value
        if not count or len(body) != 1:
            return None
        code, value = body[0]
    if name_of(code) not in ("IN", "NOT_LITERAL"):
        return None
    matches = COMPILER.compile(PARSER.SubPattern(tree.state, [(code, value)])).fullmatch
    members = {sign for sign in map(chr, range(128)) if sign != "\n" and matches(sign)}
    ends = name_of(behind[0]) == "AT" and name_of(behind[1]) in ("AT_END", "AT_END_STRING")
    # A blank is common, but not at the end of a line.
    if count < _LONGEST and members & (COMMON - {" "} if ends else COMMON):
        return None
    sought = _MEMBER * min(count, _LONGEST) + "$" * ends
    found = sweep(sought)
    return found and Row(_kinds(members), _kinds(members | {_BEYOND}), sought, found)


def _kinds(members: set[str]) -> bytes:
    signs = (sign if sign == "\n" else _MEMBER if sign in members else _OTHER for sign in map(chr, range(256)))
    return "".join(signs).encode("ascii")
