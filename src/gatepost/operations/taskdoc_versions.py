"""What a taskdoc has been: its history, differences, and the ways back."""

from typing import Annotated

from msgspec import Meta, field

from gatepost.domain import places
from gatepost.domain.events import PackageRestored
from gatepost.domain.refusals import (
    AlreadyExists,
    InvalidInput,
    SecretFound,
    Suggestion,
    UnknownId,
)
from gatepost.domain.taskdoc_refusals import PackageIsTampered
from gatepost.domain.taskdocs import SELECTORS, Selector, fingerprint, has_conflict_markers, held
from gatepost.engine import section_versions
from gatepost.engine.draft import Draft
from gatepost.engine.log import shown
from gatepost.engine.package_findings import edits, file_edit, findings
from gatepost.engine.packages import LINK, MISSING, NO_FILE, Package
from gatepost.engine.reader import Reader
from gatepost.engine.section_versions import OutsideEdit, SectionVersion
from gatepost.operations.fields import Cursor, Limit, MaxChars
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.operations.taskdoc_lookup import named, section, taskdoc
from gatepost.operations.taskdocs import Name, changeable, make, replace_section
from gatepost.replies.taskdocs import Adopted, MindChanged, SectionRevision, TaskdocDiffReply, TaskdocHistoryReply
from gatepost.views import text_diff
from gatepost.views.budget import Body, Cut, View, clipped, rows, shortened
from gatepost.wire.secret_policy import ALLOW, REFUSE, Policy
from gatepost.wire.secrets import redacted_in, secrets_in

At = Annotated[int, Meta(ge=0, le=2**53)]


class TaskdocHistory(Command[TaskdocHistoryReply], frozen=True, kw_only=True):
    """Ask what a taskdoc has been."""

    taskdoc: Name | None = None
    selector: Selector | None = None
    limit: Limit = 20
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class TaskdocDiff(Command[TaskdocDiffReply], frozen=True, kw_only=True):
    """Ask how two revisions of a section differ."""

    selector: Selector
    since: At = field(name="from")
    to: At | None = None
    taskdoc: Name | None = None
    max_chars: MaxChars | None = None


class RestoreTaskdoc(Write[MindChanged], frozen=True, kw_only=True):
    """Bring an earlier text back, or write what is on disk again."""

    selector: Selector | None = None
    revision: At | None = None
    taskdoc: Name | None = None


class AdoptTaskdoc(Write[Adopted], frozen=True, kw_only=True):
    """Adopt the text on disk."""

    taskdoc: Name | None = None
    selector: Selector | None = None


@operation("taskdoc_history", "taskdoc")
def taskdoc_history(reader: Reader, command: TaskdocHistory) -> TaskdocHistoryReply | View[TaskdocHistoryReply]:
    """List who changed which section and when, newest first."""
    before = _number(command.cursor)
    if command.taskdoc is None and not named(reader):
        return TaskdocHistoryReply(taskdoc=None, items=(), has_more=False)
    name = places.name_of(taskdoc(reader, command.taskdoc).place)
    chosen = SELECTORS if command.selector is None else (command.selector,)
    found = [item for selector in chosen for item in _items(reader, name, selector, before, command.limit + 1)]
    found.sort(key=lambda item: (-item.operation, item.selector))
    page = found[: command.limit]
    more = len(found) > len(page)
    marks = [f"{item.operation}_{item.selector}" for item in page]
    reply = TaskdocHistoryReply(
        taskdoc=reader.called(name), items=tuple(page), has_more=more, cursor=marks[-1] if more else None
    )

    def stop(cut: Body) -> None:
        cut["has_more"], cut["cursor"] = True, marks[len(cut["items"]) - 1]

    cuts = (Cut("texts", clipped("items", 1_000)), Cut("items", rows("items", least=1, after=stop)))
    return View(reply, (*cuts, Cut("texts", clipped("items", 64))), command.max_chars)


@operation("taskdoc_diff", "taskdoc")
def taskdoc_diff(reader: Reader, command: TaskdocDiff) -> View[TaskdocDiffReply]:
    """Show how a section changed between two revisions; `to` defaults to the current one."""
    name = places.name_of(taskdoc(reader, command.taskdoc).place)
    place = places.section(name, command.selector)
    to = reader.tally(place).revision if command.to is None else command.to
    old = _at(reader, name, command.selector, command.since, "from")
    new = _at(reader, name, command.selector, to, "to")
    called = reader.called(name)
    old_label, new_label = f"revision {command.since}", f"revision {to}"
    reply = TaskdocDiffReply(
        taskdoc=called,
        selector=command.selector,
        since=command.since,
        to=to,
        diff=text_diff.diff(called, command.selector, old, new, old_label, new_label),
    )
    return View(reply, (Cut("characters", shortened("diff")),), command.max_chars)


@operation("taskdoc_restore", "taskdoc", destructive=True)
def restore_taskdoc(draft: Draft, command: RestoreTaskdoc) -> MindChanged:
    """Restore a section's text from an earlier revision. Without a revision, rewrite the section's file; without a
    selector, rewrite every file of the package."""
    if command.selector is None and command.revision is not None:
        raise InvalidInput(
            [("selector", "is required with `revision`, because each section has its own revisions")]
        )
    found = changeable(draft, command.taskdoc)
    name, selector = places.name_of(found.place), command.selector
    called = draft.called(name)
    place = found.place if selector is None else places.section(name, selector)
    what = f"taskdoc {called}" if selector is None else f"{selector} of {called}"
    draft.check_revision(what, place, draft.tally(place).revision, command.expected_revision)
    on_disk, files = _outside(draft, name)
    # A package that is gone comes back whole: a section alone would leave the others missing.
    whole = selector is None or any(finding.kind == "missing_package" for finding in findings(draft, name))
    for each in SELECTORS:
        wanted = command.revision if each == selector else None
        if whole or each == selector:
            _restore_section(draft, name, each, wanted, on_disk.get(each))
    if whole and files:
        for file, edit in files.items():
            _check_file_keepable(draft, name, file, edit)
            draft.keep(found.place, edit.kept(whole=draft.secrets == ALLOW, file=file))
        draft.log(found.place, PackageRestored(files=tuple(sorted(files))))
    return MindChanged(taskdoc=called, selector=selector, **outcome(draft, place))


def _restore_section(
    draft: Draft, name: str, selector: Selector, revision: int | None, on_disk: OutsideEdit | None
) -> None:
    place, current = places.section(name, selector), section(draft, name, selector).value.content
    content = current if revision is None else _at(draft, name, selector, revision, "revision")
    if on_disk is not None:
        _check_keepable(draft.called(name), selector, on_disk)
        # Nothing is lost without a trace: the outside text stays with the event. Only that text is written over.
        draft.keep(place, on_disk.kept(whole=draft.secrets == ALLOW))
    if on_disk is not None or content != current:
        replace_section(draft, name, selector, content, "restored")


def _outside(draft: Draft, name: str) -> tuple[dict[Selector, OutsideEdit], dict[str, OutsideEdit]]:
    """What is on disk where restoring would write sections and our other files."""
    found = findings(draft, name)
    look = draft.glance(name)
    whole = next((finding for finding in found if not finding.file and finding.kind != "lags"), None)
    if whole is not None and whole.kind != "missing_package":
        raise PackageIsTampered(draft.called(name), None, "moved", whole.sentence)
    if whole is not None:
        gone, known = OutsideEdit("", MISSING), {} if look.written is None else look.written.files
        return dict.fromkeys(SELECTORS, gone), dict.fromkeys(known, gone)
    files = look.package.files if isinstance(look.package, Package) else {}
    missing = {it.file: OutsideEdit("", MISSING) for it in found if it.kind == "meta_missing"}
    changed = {
        it.file: file_edit(files[it.file]) if it.file in files else OutsideEdit("", NO_FILE)
        for it in found
        if it.kind == "meta_changed"
    }
    return edits(draft, name), {**missing, **changed}


@operation("taskdoc_adopt", "taskdoc")
def adopt_taskdoc(draft: Draft, command: AdoptTaskdoc) -> Adopted:
    """Take over what someone wrote directly into a package: one section, or all edited ones. A package without a
    taskdoc becomes one. A text that the package's meta.json signs keeps its author and time."""
    fresh = command.taskdoc is not None and draft.taskdoc_key(command.taskdoc) is None
    known = None if fresh else places.name_of(changeable(draft, command.taskdoc).place)
    name = known or command.taskdoc or ""
    place = places.named(places.TASKDOC, name)
    texts = _unknown_texts(draft, name) if fresh else _edited_texts(draft, name, command.selector)
    called = draft.called(name)
    draft.check_revision(f"taskdoc {called}", place, draft.tally(place).revision, command.expected_revision)
    chosen = [selector for selector in SELECTORS if selector in texts and command.selector in (None, selector)]
    package = draft.look(name)
    if fresh:
        make(draft, name, "found on disk", None if package is None else package.id)
    way = "adopt it again" if fresh else "adopt it again, or restore the log's text"
    sound = {selector: _sound(called, selector, texts[selector], way) for selector in chosen}
    adopted, count = _without_secrets(sound, draft.secrets)
    for selector in chosen:
        stamp = None if package is None else package.sections[selector].vouched
        replace_section(draft, name, selector, adopted[selector], "adopted", stamp)
    return Adopted(
        taskdoc=called,
        adopted=tuple(chosen),
        redacted=count or None,
        revisions={selector: draft.tally(places.section(name, selector)).revision for selector in chosen},
        **outcome(draft, place),
    )


def _edited_texts(draft: Draft, name: str, selector: Selector | None) -> dict[Selector, OutsideEdit]:
    """The texts on disk that the log has not. White space, and what is missing, must be asked for by name."""
    return {
        finding.selector: finding.edit
        for finding in findings(draft, name)
        if finding.selector is not None
        and finding.edit is not None
        and finding.kind != "lags"
        and (finding.selector == selector or finding.kind not in ("whitespace", "missing_section"))
    }


def _unknown_texts(draft: Draft, name: str) -> dict[Selector, OutsideEdit]:
    """The texts of a package that nobody knew. An empty one is news if somebody vouches for it."""
    package = draft.look(name)
    if package is None:
        taskdoc(draft, name)  # refuses: there is none
        return {}
    if package.workspace not in (None, draft.workspace):
        raise AlreadyExists(
            f"The package of {name} belongs to workspace {package.workspace}.",
            "Adopt it there, or give this one another name.",
        )
    seen = package.sections
    edited = [it for it in SELECTORS if seen[it].text or seen[it].odd or seen[it].vouched]
    return {it: OutsideEdit(seen[it].text or "", seen[it].odd) for it in edited}


def _check_keepable(name: str, selector: str, edit: OutsideEdit) -> None:
    """What cannot be kept whole is not written over. Of a link there is nothing to keep but that it was one."""
    if edit.odd not in (None, LINK, MISSING):
        raise InvalidInput(
            [("selector", f"{selector} of {name} on disk is {edit.odd}, which cannot be kept")],
            "Move it away yourself. The log's text is then written in its place.",
        )


def _check_file_keepable(draft: Draft, name: str, file: str, edit: OutsideEdit) -> None:
    """The same for our other files."""
    if edit.odd == NO_FILE:
        called = draft.called(name)
        path = "" if draft.packages is None else draft.packages.path(called)
        raise PackageIsTampered(called, None, "moved", f"{path}/{file} is {NO_FILE}.")


def _sound(name: str, selector: str, edit: OutsideEdit, way: str) -> str:
    """A text from disk that a section may hold. `way` is what to do once it is corrected."""
    text = edit.text
    if edit.odd is not None or edit.shown != text:
        what = edit.odd or "not UTF-8 text"
        raise InvalidInput(
            [("selector", f"{selector} of {name} on disk is {what}, which a section cannot contain")],
            f"Save {selector}.md as a file of UTF-8 text, then {way}.",
        )
    if has_conflict_markers(text):
        says = f"{selector}.md of {name} has git conflict markers."
        raise PackageIsTampered(name, selector, "conflict", says)
    if "\0" in text:
        raise InvalidInput(
            [
                (
                    "selector",
                    f"{selector} of {name} on disk contains a NUL character, which a section cannot contain",
                )
            ],
            f"Remove it from {selector}.md, then {way}.",
        )
    return held(text, "selector")


def _without_secrets(texts: dict[Selector, str], policy: Policy) -> tuple[dict[Selector, str], int]:
    """Texts from disk as sections may hold them, and how many credentials were replaced in them."""
    if policy == ALLOW:
        return texts, 0
    if policy == REFUSE and (found := secrets_in(texts)):
        raise SecretFound(found)
    return redacted_in(texts)


def _items(
    reader: Reader, name: str, selector: Selector, before: tuple[int, str], limit: int
) -> list[SectionRevision]:
    place = places.section(name, selector)
    found: list[SectionRevision] = []
    for version in section_versions.versions(reader, place):
        operation = version.row.operation
        if (-operation, selector) > (-before[0], before[1]) and len(found) < limit:
            found.append(_item(reader, place, selector, version))
        if len(found) >= limit:
            break
    return found


def _item(reader: Reader, place: str, selector: Selector, version: SectionVersion) -> SectionRevision:
    row = version.row
    # A call that changes a section may restore its white space too.
    said = [
        shown(event) for event in reader.events(row.operation - 1, 2, place) if event.operation == row.operation
    ]
    reasons = [event["because"] for event in said if event.get("because") is not None]
    replaced = bool(set(reasons) & {"restored", "white space"})
    return SectionRevision(
        selector=selector,
        revision=version.revision,
        at=row.at,
        actor=row.actor,
        bytes=len(version.content.encode()),
        sha256=fingerprint(version.content),
        operation=row.operation,
        tool=row.tool,
        because=reasons[0] if reasons else None,
        outside=section_versions.outside(reader, place, row) if replaced else None,
    )


def _number(cursor: str | None) -> tuple[int, str]:
    if cursor is None:
        return 2**62, ""
    number, _, selector = cursor.partition("_")
    if not number.isdecimal() or len(number) > 18 or selector not in SELECTORS:
        raise InvalidInput([("cursor", "must be a cursor from an earlier reply")])
    return int(number), selector


def _at(reader: Reader, name: str, selector: Selector, revision: int, argument: str) -> str:
    """A section's text at one of its revisions; at 0 it was empty."""
    if revision == 0:
        return ""
    for version in section_versions.versions(reader, places.section(name, selector)):
        if version.revision == revision:
            return version.content
        if version.revision < revision:
            break
    raise UnknownId(
        argument,
        f"revision {revision} of {selector}",
        f"taskdoc {reader.called(name)}",
        Suggestion("taskdoc_history", {"taskdoc": reader.called(name), "selector": selector}),
    )
