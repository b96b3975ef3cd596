"""Editing a section in the person's own editor: saved if nobody else changed it meanwhile, lost in no case."""

import sys

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.operations.taskdocs import ChangeMind
from gatepost.replies.taskdocs import MindChanged
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.suggested_commands import joined, same_place
from gatepost.surfaces.cli.taskdocs.packages import print_reply
from gatepost.surfaces.cli.taskdocs.targets import SectionTarget, Target, section, target
from gatepost.surfaces.cli.text_editor import read_text, run_editor, sheet
from gatepost.surfaces.cli.views import taskdoc as views
from gatepost.views import text_diff


def edit(invocation: Invocation) -> None:
    """Open a section in an editor and save what comes back; or, if asked to, empty it."""
    start = section(invocation, target(invocation.options))
    before = start.present.content
    if invocation.options.clear:
        _save(invocation, start, None)
        return
    if start.present.edited is not None:
        _refuse_early(invocation, start)
    with sheet(f"{start.taskdoc}-{start.selector}.md", before) as path:
        run_editor(path)
        text = read_text(path)
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
