"""What only a person does on the command line: using a person's name, trusting a folder, approving a plan.

Words are judged as they are written. A command that hides them, or that runs our own in a terminal of its making
(`script`), is not seen.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from gatepost.surfaces.hooks.shell_lexer import Word

VARIABLE: Final = "GATEPOST_ACTOR"
NAME: Final = (
    "Names that start with `human:` are for people, and an agent is not a person. Leave the name out. "
    "If this needs a person, ask your user to do it on the page or in their own terminal."
)
DECISION: Final = (
    "`gatepost trust`, `gatepost approve` and `gatepost init --allow` record a decision of a person, and an agent"
    " is not a person. Ask your user to run it in their own terminal. `gatepost trust --show` only shows what is"
    " trusted."
)

_DECISIONS: Final = frozenset({"trust", "approve"})
_LOOKS: Final = ("--show", "--help", "-h")
_STARTERS: Final = frozenset({"unbuffer", "stdbuf"})


class PersonOnly(Exception):
    """An agent's call does what only a person may do. The text says what to do instead."""


def check_variable(name: str, value: str) -> None:
    """Refuse a person's name in the variable that names the actor."""
    if name == VARIABLE and _seems_person(value):
        raise PersonOnly(NAME)


def check_assignment(word: Word) -> None:
    """Refuse `GATEPOST_ACTOR=human:x`, wherever a command has it."""
    name, _, value = word.text.partition("=")
    check_variable(name, value)


def check_own(program: str, rest: list[Word]) -> None:
    """Refuse our own commands if a person must run them, also behind `env -i` or `xargs`."""
    words = _own_words(program, rest)
    for before, word in zip(["", *words], words, strict=False):
        if _seems_person(word if before == "--actor" else word.partition("--actor=")[2]):
            raise PersonOnly(NAME)
    if words and words[0] in _DECISIONS and not any(word in _LOOKS for word in words):
        raise PersonOnly(DECISION)
    if words and words[0] == "init" and any(word.startswith("--allow") for word in words):
        raise PersonOnly(DECISION)


def _own_words(program: str, rest: list[Word]) -> list[str]:
    """The words after `gatepost`; none if the command does not run it."""
    from gatepost.surfaces.hooks.word_roles import OWN, RUNNERS, name_of

    words = [word.text for word in rest]
    if program in OWN:
        return words
    if not program.startswith("-") and program not in RUNNERS | _STARTERS:
        return []
    return next((words[index + 1 :] for index, word in enumerate(rest) if name_of(word) in OWN), [])


def _seems_person(name: str) -> bool:
    from gatepost.domain.people import seems_person  # few calls come here

    return bool(name) and seems_person(name)
