"""Checks: the commands that prove a checkpoint of a step."""

from typing import Final

from msgspec import field

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.value import Value

DEFAULT_TIMEOUT: Final = 300


class Check(Value, frozen=True, kw_only=True):
    """A command without a shell. It passes if it ends with `exit_code` and its output matches `expect`, if set.

    `cwd` is a folder below the project's root; without one, it is the root. `covers` are patterns of the files that
    the proof is about; without any, it is the whole tree.
    """

    run: tuple[str, ...]
    checkpoint: Checkpoint = field(default="tests", name="for")
    cwd: str | None = None
    timeout_s: int = DEFAULT_TIMEOUT
    exit_code: int = 0
    expect: str | None = None
    covers: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The command as one line."""
        from shlex import join  # few calls show a command

        return join(self.run)
