"""Delivers a notice with a command: without a shell, in a clean environment, and with a time limit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Final

from gatepost.checks.environment import cleaned
from gatepost.notices.notice import NotDelivered, Notice

_DESKTOP: Final = ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
"""What a program needs to show something on the user's screen."""

_name = re.compile(r"\{(kind|workspace|title|text)\}")


def run(words: Sequence[str], notice: Notice, folder: str, seconds: float) -> None:
    """Run a command with a notice as JSON on stdin. `{title}`, `{text}` and so on in its words are replaced."""
    argv = [_filled(word, notice.words()) for word in words]
    try:
        process = subprocess.Popen(  # noqa: S603 - from the user's settings, or a file that the user trusts
            argv,
            cwd=folder,
            env=_environment(os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise NotDelivered(
            f"`{words[0]}` could not be started: {getattr(error, 'strerror', None) or error}", again=False
        ) from None
    try:
        process.communicate(notice.body(), timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        raise NotDelivered(f"`{words[0]}` ran longer than {seconds:.0f} s and was stopped", again=False) from None
    if process.returncode:
        raise NotDelivered(f"`{words[0]}` ended with exit code {process.returncode}", again=False)


def _filled(word: str, words: Mapping[str, str]) -> str:
    """A word with its names replaced. Names inside the inserted text are not replaced."""
    return _name.sub(lambda match: words[match[1]], word)


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    shown = {name: given[name] for name in _DESKTOP if name in given}
    return cleaned(given, token_hex(16)) | shown


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop a command and everything that it started."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.communicate()
