"""Editing a section in the person's own editor: saved if nobody else changed it meanwhile, lost in no case."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Final

import msgspec

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import Refusal
from gatepost.operations.taskdocs import ChangeMind
from gatepost.replies.taskdocs import MindChanged
from gatepost.surfaces.cli.errors import FAULT, BadUsage, CommandError
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.suggested_commands import joined, same_place
from gatepost.surfaces.cli.taskdocs.packages import print_reply
from gatepost.surfaces.cli.taskdocs.targets import SectionTarget, Target, section, target
from gatepost.surfaces.cli.views import taskdoc as views
from gatepost.surfaces.terminal import Terminal
from gatepost.views import text_diff

_CHOOSE: Final = "Set VISUAL or EDITOR, for example EDITOR=nano or EDITOR='code --wait'."


def edit(invocation: Invocation) -> None:
    """Open a section in an editor and save what comes back; or, if asked to, empty it."""
    start = section(invocation, target(invocation.options))
    before = start.present.content
    if invocation.options.clear:
        _save(invocation, start, None)
        return
    if start.present.edited is not None:
        _refuse_early(invocation, start)
    with _sheet(f"{start.taskdoc}-{start.selector}.md", before) as path:
        _run_editor(path)
        text = _read(path)
        if text == before:
            _say_unchanged(invocation, start)
        elif text.strip():
            _save(invocation, start, text)
        else:
            words = ["taskdoc", "edit", start.taskdoc, start.selector, "--clear"]
            raise BadUsage(  # everything was deleted, which may have been a mistake
                f"the text is empty, so {start.selector} of {start.taskdoc} was not changed",
                f"To empty it on purpose: {joined([*words, *same_place(invocation.options)])}",
            )


def _refuse_early(invocation: Invocation, start: SectionTarget) -> None:
    """Let what would be refused for an edit of the package be refused before the work, not after it."""
    try:
        invocation.rehearse(ChangeMind(**start.address, content="-"))
    except Refusal as refusal:
        if not invocation.options.json:
            words = [start.taskdoc, start.selector, *same_place(invocation.options)]
            adopt, restore = joined(["taskdoc", "adopt", *words]), joined(["taskdoc", "restore", *words])
            refusal.recovery = f"Accept the edit with {adopt}, or discard it with {restore}. Both show it first."
        raise


def _save(invocation: Invocation, start: SectionTarget, typed: str | None) -> None:
    """Save what was typed; nothing empties the section."""
    change = {"clear": True} if typed is None else {"content": typed}
    try:
        text, reply = invocation.ask(ChangeMind(**start.address, **change, expected_revision=start.revision))
    except Refusal as refusal:
        if refusal.code == "REVISION_MISMATCH" and typed is not None:
            _show_both(invocation, start, typed, refusal)
        raise
    said = f"{start.selector} of {start.taskdoc} was saved as revision {reply.revision}"
    print_reply(invocation, text, reply, said)


def _show_both(invocation: Invocation, start: SectionTarget, typed: str, refusal: Refusal) -> None:
    """Show what differs between the text that somebody else saved and the one that was typed here."""
    now = section(invocation, Target(start.taskdoc, start.selector, ()))
    theirs = f"revision {now.revision}, {now.present.actor}"
    ours = f"yours, from revision {start.revision}"
    both = text_diff.diff(start.taskdoc, start.selector, now.present.content, typed, theirs, ours)
    if invocation.options.json:
        refusal.details["diff"] = both
    else:
        views.difference(both)
        sys.stdout.flush()
    refusal.recovery = "Edit it again and keep what you want from both."


def _say_unchanged(invocation: Invocation, start: SectionTarget) -> None:
    reply = MindChanged(
        taskdoc=start.taskdoc, selector=start.selector, revision=start.revision, events=(), changed=False
    )
    print_reply(invocation, msgspec.json.encode(reply).decode(), reply, "")


@contextmanager
def _sheet(name: str, text: str) -> Iterator[str]:
    """A private file with a text, gone afterwards; but kept, and named, if what was typed into it was not saved."""
    folder = _private_folder()
    path = os.path.join(folder, name)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(text.encode())
        yield path
    except BaseException as error:
        if _typed(path, text):
            _tell_kept(error, path)
        else:
            rmtree(folder, ignore_errors=True)
        raise
    rmtree(folder, ignore_errors=True)


def _private_folder() -> str:
    above = os.path.realpath(gettempdir())
    if any(map(closed, above.split(os.sep))):
        raise BadUsage(
            f"{above} is not a place for a temporary file", "Set TMPDIR to a folder outside of packages."
        )
    return mkdtemp(prefix="gatepost-", dir=above)


def _typed(path: str, text: str) -> bool:
    """Whether the file holds something that is nowhere else."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    return bool(data.strip()) and data != text.encode()


def _tell_kept(error: BaseException, path: str) -> None:
    if isinstance(error, Refusal):
        error.recovery += f" Your text is saved in {path}"
        error.details["kept"] = path
    elif isinstance(error, CommandError):
        error.error |= {"recovery": f"{error.error['recovery']} Your text is saved in {path}", "kept": path}
    elif sys.stderr is not None:
        terminal = Terminal(sys.stderr)
        terminal.say(terminal.clean(f"gatepost: your text is saved in {path}"))


def _run_editor(path: str) -> None:
    words = _editor()
    try:
        process = subprocess.Popen([*words, path])  # noqa: S603 - the person's own choice of editor
    except OSError as error:
        raise BadUsage(f"the editor {words[0]} cannot be started: {error.strerror}", _CHOOSE) from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the editor's: it is in front
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        said = f"the editor {words[0]} failed with exit code {code}; nothing was changed"
        raise CommandError(FAULT, {"code": "EDITOR_FAILED", "message": said, "recovery": _CHOOSE})


def _editor() -> list[str]:
    """The editor's words: it may have arguments."""
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not chosen:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            raise BadUsage("no editor is set, and there is no terminal for vi", _CHOOSE)
        return ["vi"]
    try:
        return shlex.split(chosen)
    except ValueError as error:
        raise BadUsage(f"the editor {chosen} cannot be read as a command: {error}", _CHOOSE) from None


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except FileNotFoundError:
        raise BadUsage("the editor left no file; nothing was changed", "Save it under the same name.") from None
    except UnicodeDecodeError as error:
        raise BadUsage(
            f"the saved text is not UTF-8 (at byte {error.start}); nothing was changed",
            "Set your editor to UTF-8.",
        ) from None
