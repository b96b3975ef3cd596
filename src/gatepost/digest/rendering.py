"""A digest's words: a summary of a sentence or two, and a body under three fixed headings."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gatepost.digest import languages
from gatepost.digest.caveats import Caveats
from gatepost.digest.findings import Command, Identity, Layout, Purpose, Standing
from gatepost.digest.quoting import clipped, code

LONGEST_SUMMARY: Final = 400
LONGEST_BODY: Final = 12_000

_MOST_SURE: Final = 6
_MOST_CUSTOMARY: Final = 3
_MOST_OTHER: Final = 10
_MOST_PLACES: Final = 4
_CUT: Final = "… cut here: the digest has reached its length.\n"


def summary(identity: Identity, layout: Layout, commands: Sequence[Command], files: int) -> str:
    """Who it is, what it is made of, and how it is tested."""
    about = f"{identity.name}: {identity.about.rstrip('.')}." if identity.about else f"{identity.name}."
    language = languages.main(layout.languages)
    kind = f"{language} {_kind(layout)}" if language else _kind(layout)
    size = "1 file" if files == 1 else f"{files} files"
    told = [about, f"{kind[0].upper()}{kind[1:]}, {size}."]
    for purpose, words in ((Purpose.TEST, "Test with"), (Purpose.CHECK, "check everything with")):
        best = next((command for command in commands if command.purpose is purpose), None)
        if best:
            told.append(f"{words} {code(best.text)}{_in(best.places)}")
    head, tests = " ".join(told[:2]), "; ".join(told[2:])
    tests = tests[:1].upper() + tests[1:] + "." if tests else "No test command is declared."
    return clipped(f"{head} {tests}", LONGEST_SUMMARY)


def body(layout: Layout, commands: Sequence[Command], caveats: Caveats, *, notice: str) -> tuple[str, bool]:
    """The digest, and whether all that was found is in it. Cut in whole lines, and visibly."""
    shown, hidden = _chosen(commands)
    lines = [
        *("## Layout", "", *_layout(layout), ""),
        *("## Commands", "", *_commands(shown, hidden), ""),
        *("## Caveats", "", *_caveats(caveats)),
        *(("", notice) if notice else ()),
    ]
    text = "\n".join(lines) + "\n"
    whole = not (hidden or caveats.omitted or layout.omitted)
    if len(text) <= LONGEST_BODY:
        return text, whole
    end = text.rfind("\n", 0, LONGEST_BODY - len(_CUT)) + 1
    return text[:end] + _CUT, False


def _kind(layout: Layout) -> str:
    if layout.packages:
        return f"workspace of {len(layout.packages)} packages"
    if any("scripts]" in entry.source or "bin" in entry.source for entry in layout.entries):
        return "package with a command line"
    if layout.entries:
        return "program"
    return "repository"


def _layout(layout: Layout) -> Iterator[str]:
    if not layout.directories and not layout.root_files:
        yield "Nothing was found: there are no files to speak of."
        return
    if layout.languages:
        yield "Files by language: " + ", ".join(f"{held.name} {held.files}" for held in layout.languages) + "."
    for entry in layout.entries:
        arrow = f" → {code(entry.target)}" if entry.target else ""
        yield f"- Entry point {code(entry.name)}{arrow} ({entry.source})"
    if layout.packages:
        yield f"- Workspace packages ({len(layout.packages)}):"
        for package in layout.packages:
            yield f"  - {code(package.path)}" + (f": {package.name}" if package.name else "")
    if layout.directories:
        yield "- Directories, with their numbers of files:"
    for held in layout.directories:
        note = f": {held.note}" if held.note else ""
        yield f"{'  ' * (held.level + 1)}- {code(held.path + '/')} {held.files}{note}"
    if layout.root_files:
        yield "- At the root: " + ", ".join(code(name) for name in layout.root_files)
    if layout.omitted:
        yield f"- … and {layout.omitted} more directories or files at the root."


def _chosen(commands: Sequence[Command]) -> tuple[list[Command], int]:
    """The commands worth their line; how many declared ones that leaves out."""
    shown: list[Command] = []
    hidden = 0
    for purpose in Purpose:
        sure = [held for held in commands if held.purpose is purpose and held.standing is not Standing.CUSTOMARY]
        rest = [held for held in commands if held.purpose is purpose and held.standing is Standing.CUSTOMARY]
        most = _MOST_OTHER if purpose is Purpose.OTHER else _MOST_SURE
        shown += sure[:most]
        shown += rest[: 1 if sure else _MOST_CUSTOMARY] if len(sure) < most else ()
        hidden += len(sure[most:])
    return shown, hidden


def _commands(shown: Sequence[Command], hidden: int) -> Iterator[str]:
    if not shown:
        yield "No command for tests, lint, format or build is declared."
        return
    for purpose in Purpose:
        held = [command for command in shown if command.purpose is purpose]
        if held:
            yield f"{purpose.value}:"
            yield from _told(held)
    missing = [purpose.value.lower() for purpose in _EXPECTED if all(held.purpose is not purpose for held in shown)]
    if missing:
        yield f"Not declared: {', '.join(missing)}."
    if hidden:
        yield f"… and {hidden} more commands."


_EXPECTED: Final = (Purpose.TEST, Purpose.LINT, Purpose.FORMAT, Purpose.BUILD)


def _told(commands: Iterable[Command]) -> Iterator[str]:
    for command in commands:
        about = f": {command.about}" if command.about and command.about != command.text else ""
        where = _in(command.places)
        custom = "by convention, " if command.standing is Standing.CUSTOMARY else ""
        yield f"- {code(command.text)}{where}{about} ({custom}{command.source})"


def _in(places: Sequence[str]) -> str:
    if not places:
        return ""
    more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return " in " + ", ".join(code(place + "/") for place in places[:_MOST_PLACES]) + more


def _caveats(caveats: Caveats) -> Iterator[str]:
    if not caveats.shown:
        yield "None is stated in its documents."
    for caveat in caveats.shown:
        yield f"- {caveat.text} ({caveat.file}:{caveat.line})"
    if caveats.omitted:
        yield f"… and {caveats.omitted} more in these documents."
