"""How every command's help ends: exit codes, the environment, examples. Imported when help is asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_EXITS = {
    "0": "done",
    "1": "a fault, or a store that cannot be used",
    "2": "bad usage or invalid input",
    "3": "unknown target",
    "4": "conflict: revision, gate, undo",
    "5": "forbidden",
    "6": "busy: try again",
    "130": "interrupted",
    "141": "nobody reads the output any more",
}
_VARIABLES = (
    ("--store", "GATEPOST_STORE", "the store, unless --store says it"),
    ("--root", "GATEPOST_ROOT", "the project's folder, unless --root says it"),
    ("--workspace", "GATEPOST_WORKSPACE", "the workspace, unless --workspace says it"),
    ("--actor", "GATEPOST_ACTOR", "who the log says it was, unless --actor says it"),
    ("--tools", "GATEPOST_TOOLS", "the tools, unless --tools says it"),
    ("--json", "NO_COLOR, FORCE_COLOR", "never colours; always colours"),
    ("--json", "COLUMNS", "how wide to write on a terminal"),
    ("--help", "GATEPOST_DEBUG=1", "show the traceback of a fault"),
)


def end(options: Iterable[str], exits: str, variables: str, examples: str) -> str:
    """The end of a command's help, given the names of its options and what it alone has to say."""
    known = set(options)
    codes = dict(sorted({**_EXITS, **_told(exits)}.items(), key=lambda code: int(code[0])))
    read = [(name, about) for option, name, about in _VARIABLES if option in known]
    read = [*_told(variables).items(), *read]
    return "\n\n".join(
        (
            "exit codes:\n" + _columns(codes.items(), 5),
            "environment:\n" + _columns(read, 23),
            f"examples:\n{examples}",
        )
    )


def _told(lines: str) -> dict[str, str]:
    """What a command says itself: a name and what it means, a line each."""
    return {name: about.strip() for name, _, about in (line.strip().partition(" ") for line in lines.splitlines())}


def _columns(rows: Iterable[tuple[str, str]], width: int) -> str:
    return "\n".join(f"  {name:<{width}}{about}" for name, about in rows)
