"""A block of ours between two markers in a text of somebody else's."""

from typing import Final

from gatepost.surfaces.setup.splices import EditedText

MARKDOWN: Final = ("<!-- gatepost:start -->", "<!-- gatepost:end -->")
HASH: Final = ("# gatepost:start", "# gatepost:end")


def put_block(edited: EditedText, markers: tuple[str, str], lines: list[str]) -> bool:
    """Put the block at the end, or in place of the one that is there. Says whether that changed anything."""
    start, end = markers
    newline = edited.newline
    block = newline.join([start, *lines, end])
    at = edited.text.find(start)
    until = edited.text.find(end, at) if at >= 0 else -1
    if until >= 0:
        until += len(end)
        if edited.text[at:until] == block:
            return False
        edited.replace(at, until, block)
        return True
    ahead = "" if not edited.text else newline if edited.text.endswith("\n") else newline * 2
    edited.insert(len(edited.text), f"{ahead}{block}{newline}")
    return True
