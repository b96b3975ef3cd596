"""Checks as callers write them, and as they are stored."""

import re
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct, field

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.checks import DEFAULT_TIMEOUT, Check
from gatepost.domain.refusals import InvalidInput, Refusal
from gatepost.domain.value import prepared
from gatepost.wire.lines import Line
from gatepost.wire.texts import PROSE

LONGEST: Final = 3_600

Word = Annotated[str, Meta(max_length=2_000, pattern=r"^[^\x00\ud800-\udfff]*\Z")]
Words = Annotated[tuple[Word, ...], Meta(min_length=1, max_length=100)]
CommandLine = Annotated[str, Meta(pattern=PROSE, max_length=2_000)]

_QUOTED: Final = r"""'[^']*'|"(?:\\.|[^"\\])*"|\\."""
_FOR_A_SHELL: Final = r"\$(?=[({\w])|[|<>;&`]"


class NewCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that proves a checkpoint: a list of words, or a line that is split into words. No shell runs it."""

    run: Words | CommandLine
    checkpoint: Checkpoint = field(default="tests", name="for")
    cwd: Line | None = None
    timeout_s: Annotated[int, Meta(ge=1, le=LONGEST)] = DEFAULT_TIMEOUT
    exit_code: Annotated[int, Meta(ge=0, le=255)] = 0
    expect: Annotated[str, Meta(min_length=1, max_length=1_000)] | None = None
    covers: Annotated[tuple[Line, ...], Meta(max_length=50)] = ()


NewChecks = Annotated[
    tuple[NewCheck, ...],
    Meta(
        max_length=20,
        extra={"spelled": "{run, for? (tests), cwd?, timeout_s?, exit_code?, expect?: RE2, covers?: [glob]}"},
    ),
]
OtherChecks = Annotated[tuple[NewCheck, ...], Meta(max_length=20, extra={"spelled": ""})]
"""Checks to change. Their shape is listed once, with the call that creates a task."""


def stored(given: tuple[NewCheck | Check, ...]) -> tuple[Check, ...]:
    """Checks as they are stored, each once: a command is a list of words, and what cannot work is refused."""
    return tuple(dict.fromkeys(_stored(check, f"checks[{at}]") for at, check in enumerate(given)))


def plain(value: Any) -> Any:
    """A check as JSON has it once it is stored, so that a patch finds its equal; anything else stays as it is."""
    try:
        return msgspec.to_builtins(_stored(msgspec.convert(value, prepared(NewCheck)), "checks"))
    except (msgspec.ValidationError, Refusal):
        return value


def _stored(check: NewCheck | Check, at: str) -> Check:
    if isinstance(check, Check):
        return check
    words = _words(check.run, f"{at}.run")
    if check.cwd is not None:
        from gatepost.files.paths import segments

        segments(check.cwd, field=f"{at}.cwd")
    for number, pattern in enumerate(check.covers):
        from gatepost.files import patterns

        patterns.compiled(pattern, field=f"{at}.covers[{number}]")
    if check.expect is not None:
        _check_expression(check.expect, f"{at}.expect")
    return Check(
        run=words,
        checkpoint=check.checkpoint,
        cwd=None if check.cwd in (None, ".", "./") else check.cwd,
        timeout_s=check.timeout_s,
        exit_code=check.exit_code,
        expect=check.expect,
        covers=check.covers,
    )


def _words(run: tuple[str, ...] | str, at: str) -> tuple[str, ...]:
    if isinstance(run, str):
        import shlex

        for_a_shell = re.search(_FOR_A_SHELL, re.sub(_QUOTED, "", run))
        if for_a_shell:
            problem = f"has an unquoted `{for_a_shell[0]}`, which needs a shell, and Gatepost runs no shell"
            raise InvalidInput([(at, problem)], "Give one command in its words, or put the line into a script.")
        try:
            run = tuple(shlex.split(run))
        except ValueError as error:
            raise InvalidInput([(at, f"cannot be split into words: {error}")]) from None
    if not run or not run[0].strip():
        raise InvalidInput([(at, "must begin with the name of a command")])
    return run


def _check_expression(expect: str, at: str) -> None:
    from gatepost.files.search import compiled

    try:
        compiled(expect)
    except InvalidInput as wrong:
        problem = wrong.details["problems"][0]["problem"].replace("grep does", "checks do")
        raise InvalidInput([(at, problem)], wrong.recovery.replace("`pattern`", "`expect`")) from None
