"""Writes the report of a plan or task: to a file, or to stdout for another program."""

import os
import re
import sys
from typing import Final

from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.report.model import Report
from gatepost.surfaces.report.reader import read_report
from gatepost.surfaces.report.texts import counted
from gatepost.surfaces.terminal import stdout

_ID: Final = re.compile(r"(TASK|PLAN)-\d+")


def write(invocation: Invocation) -> None:
    """Read once, then write each form that was asked for."""
    options = invocation.options
    for form in ("html", "md"):  # `--md TASK-007` means the task, not a file of that name
        if options.target is None and _ID.fullmatch(getattr(options, form) or ""):
            options.target = getattr(options, form)
            setattr(options, form, "-")
    workspace = invocation.workspace()
    report = read_report(invocation.client, workspace, options.target)
    if report is None:
        raise NothingFound(
            f"there is no task or plan in {workspace} to report on",
            "Create one first, or name another --workspace.",
        )
    if options.html is not None:
        from gatepost.surfaces.report.html_page import html_page

        _put(options.html, html_page(report), report)
    if options.md is not None:
        from gatepost.surfaces.report.markdown_text import markdown_text

        _put(options.md, markdown_text(report), report)


def _put(file: str, text: str, report: Report) -> None:
    """Write a document as UTF-8, whatever the locale: other programs read it."""
    data = text.encode()
    if file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        with open(file, "wb") as out:
            out.write(data)
    except OSError as error:
        raise BadUsage(
            f"{file} cannot be written: {error.strerror}", "Name another file, or create its folder."
        ) from None
    size = f"{max(len(data) // 1024, 1):,} KB"
    proofs = counted(report.provenance.total(), "proof")
    terminal = stdout()
    steps = counted(len(report.steps), "step")
    terminal.say(terminal.clean(f"Wrote {os.path.normpath(file)}: {report.root.id}, {steps}, {proofs}, {size}."))
