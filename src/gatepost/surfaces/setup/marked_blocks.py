"""A block of ours between two markers in a text of somebody else's."""

import re
from typing import Final

from gatepost.surfaces.setup.splices import EditedText

MARKDOWN: Final = ("<!-- gatepost:start -->", "<!-- gatepost:end -->")
HASH: Final = ("# gatepost:start", "# gatepost:end")


def put_block(edited: EditedText, markers: tuple[str, str], lines: list[str]) -> bool:
    """Put the block at the end, or in place of the one that is there. Says whether that changed anything."""
    start, end = markers
    newline = edited.newline
    block = newline.join([start, *lines, end])
    # Markers are lines of their own: a text may mention them, too.
    first = rf"^{re.escape(start)}(?=[ \t]*\r?$)"
    whole = rf"{first}(?:(?!{first}).)*?^{re.escape(end)}(?=[ \t]*\r?$)"
    found = re.search(whole, edited.text, re.MULTILINE | re.DOTALL)
    if found is not None:
        at, until = found.span()
        if edited.text[at:until] == block:
            return False
        edited.replace(at, until, block)
        return True
    ahead = "" if not edited.text else newline if edited.text.endswith("\n") else newline * 2
    edited.insert(len(edited.text), f"{ahead}{block}{newline}")
    return True
