"""Command lines to paste: quoted for the shell, and on the store that this command was asked of."""

import re
import shlex
from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from gatepost.surfaces.cli.command_list import declared
from gatepost.surfaces.cli.verb_lines import verb_words
from gatepost.surfaces.terminal import Terminal, columns

_PIECE: Final = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^",])+,?|,')
_HANG: Final = "  "
_BY_NAME: Final = ("call", "batch")
"""Commands whose users type the names of operations."""
_TYPED: Final = {"steps": "TITLE", "title": "TITLE"}


def call_lines(
    terminal: Terminal, tool: str, arguments: Mapping[str, Any], options: Namespace | None, indent: int
) -> list[str]:
    """The command that does what a call does, or a `gatepost call` where there is none or calls are what is typed.

    A call that is too long for the screen is broken between JSON's parts, inside of the shell's quotes, so that all
    of it together can be pasted.
    """
    words = None if getattr(options, "command", None) in _BY_NAME else verb_words(tool, arguments)
    if words is not None:
        words = [*words, *_same_workspace(arguments, options), *same_store(options)]
        lines = [joined(words)] if terminal.width is None else _continued(words, terminal.width - indent)
        return [terminal.paint(terminal.clean(line), "bold") for line in lines]
    spelled = terminal.clean(msgspec.json.encode(arguments).decode())
    whole = joined(["call", tool, spelled, *same_store(options)])
    if terminal.width is not None and columns(whole) + indent > terminal.width:
        head = f"gatepost call {shlex.quote(tool)} '"
        folded = _folded(spelled, terminal.width - indent - 2, columns(head))
        whole = joined(["call", tool, folded, *same_store(options)])
    return [terminal.paint(terminal.clean(line), "bold") for line in whole.split("\n")]


def supplied(words: Iterable[str]) -> str:
    """What a person adds to a suggested command, as it is typed."""
    return ", ".join(_TYPED.get(word, word.replace("checkpoints.", "--")) for word in words)


def next_page(terminal: Terminal, options: Namespace, **other: object) -> str:
    """The same command line with other values, which shows what comes next."""
    words, flags = [options.command], []
    for action in declared(options.command).actions():
        value = other.get(action.dest, getattr(options, action.dest, None))
        given = value if isinstance(value, list) else [value]
        for each in given:
            if each is None or each is False:
                continue
            if not action.option_strings:
                words.append(each)
            else:
                flags += [action.option_strings[-1], *([] if each is True else [str(each)])]
    return f"More:  {terminal.paint(joined(words + flags), 'bold')}"


def joined(words: list[str]) -> str:
    """Words as one line for the shell."""
    return shlex.join(["gatepost", *words])


def same_place(options: Namespace | None) -> list[str]:
    """The flags that said where: store and workspace. What came from the environment comes from there again."""
    workspace = getattr(options, "workspace", None)
    return [*([] if workspace is None else ["--workspace", workspace]), *same_store(options)]


def same_store(options: Namespace | None) -> list[str]:
    """The flags that said where the store is."""
    given: list[str] = []
    for name in ("store", "url", "token_file", "root"):
        value = getattr(options, name, None)
        if value is not None:
            given += [f"--{name.replace('_', '-')}", value]
    return given


def _same_workspace(arguments: Mapping[str, Any], options: Namespace | None) -> list[str]:
    """The flag for the workspace, unless the command would find the same one without it."""
    named = arguments.get("workspace")
    found = None if getattr(options, "workspace", None) else getattr(options, "found_workspace", None)
    return [] if named in (None, found) else ["--workspace", named]


def _continued(words: list[str], room: int) -> list[str]:
    """A command that is continued on the next line, as a shell understands it, where it is too wide."""
    lines = ["gatepost"]
    for word in map(shlex.quote, words):
        if columns(f"{lines[-1]} {word} \\") <= room:
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(f"{_HANG}{word}")
    return lines


def _folded(spelled: str, room: int, taken: int) -> str:
    """JSON with line breaks where it may have them; the first line has less room."""
    lines, current = [], ""
    for piece in _PIECE.findall(spelled):
        if taken + columns(current + piece) > room and (current or taken):
            lines.append(current)
            current, taken = _HANG + piece, 0
        else:
            current += piece
    return "\n".join([*lines, current])
