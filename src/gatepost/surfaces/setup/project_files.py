"""What init would write into a project and what it would take out again, and then doing it."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from gatepost.checks.settings_file import FILE
from gatepost.files import atomic_writes
from gatepost.surfaces.setup import install_record
from gatepost.surfaces.setup.clients import AgentClient, Edit, FileEdits, files
from gatepost.surfaces.setup.file_edits import EditedFile, restored
from gatepost.surfaces.setup.install_record import WrittenFile
from gatepost.surfaces.setup.json_spans import CannotMerge

_LARGEST: Final = 4_194_304
_IMPORT: Final = "@AGENTS.md"

Settings = Callable[[str | None], Sequence[Edit]]
"""The edits of a file, given its text without ours; None where there is no file."""


class PlannedFile(NamedTuple):
    """A file as it is and as it would be; None where there is none. `problem`: why it stays as it is."""

    path: str
    before: str | None
    after: str | None
    written: WrittenFile | None
    kept: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def changes(self) -> bool:
        """Whether the file would change."""
        return self.before != self.after


def planned_installation(
    root: str, clients: Sequence[AgentClient], command: Sequence[str], settings: Settings | None
) -> list[PlannedFile]:
    """The files of the clients and `gatepost.toml`, with what belongs into them. No `settings`: not that one."""
    record = install_record.load(root)
    wanted: dict[str, tuple[list[Edit], list[str]]] = {}
    for client in clients:
        for file in files(client, command):
            path = _instructions(root, file, clients)
            edits, readers = wanted.setdefault(path, ([], []))
            edits += [edit for edit in file.edits if edit not in edits]
            readers.append(client.name)
    own = [] if settings is None else [_planned(root, FILE, settings, [], record.get(FILE))]
    return own + [
        _planned(root, path, _always(edits), names, record.get(path)) for path, (edits, names) in wanted.items()
    ]


def planned_removal(root: str, clients: Sequence[str]) -> list[PlannedFile]:
    """The files that init wrote for these clients, without what it wrote. No clients: all of them."""
    removed = []
    for written in install_record.load(root).values():
        left = tuple(name for name in written.clients if name not in clients)
        if not clients or (written.clients and not left):
            removed.append(_removal(root, written))
        elif left != written.clients:
            removed.append(_kept(root, written._replace(clients=left)))
    return removed


def carry_out(root: str, plan: Sequence[PlannedFile]) -> None:
    """Write the files, and the record of it. Each file is whole or as it was, whatever happens."""
    record = install_record.load(root)
    able = [file for file in plan if file.problem is None]
    # First of all: if a crash comes between, everything that was written can still be taken out.
    install_record.save(root, record | {file.path: file.written for file in able if file.written is not None})
    emptied: list[str] = []
    for file in able:
        old = record.pop(file.path, None)
        folders = () if old is None else old.folders
        if file.changes and file.after is None:
            os.unlink(_target(root, file.path))
        elif file.changes and file.after is not None:
            folders = (*folders, *_write(root, file.path, file.after))
        if file.written is None:
            emptied += folders
        else:
            record[file.path] = file.written._replace(folders=folders)
    install_record.save(root, _without_folders(root, record, emptied))


def _without_folders(root: str, record: dict[str, WrittenFile], folders: Sequence[str]) -> dict[str, WrittenFile]:
    """Remove folders that init made, if they are empty. One that has another file of ours goes with that file."""
    for folder in sorted(set(folders), key=len, reverse=True):
        try:
            os.rmdir(os.path.join(root, folder))
        except OSError:
            for path, written in record.items():
                if path.startswith(f"{folder}/"):
                    record[path] = written._replace(folders=(*written.folders, folder))
                    break
    return record


def _always(edits: Sequence[Edit]) -> Settings:
    return lambda _: edits


def _planned(root: str, path: str, edits: Settings, readers: list[str], old: WrittenFile | None) -> PlannedFile:
    before = None
    try:
        before = _read(root, path)
        base = before
        if old is not None and before is not None:
            base, _ = restored(before, old)
        made = EditedFile(base or "")
        made.make(edits(base))
    except CannotMerge as error:
        return PlannedFile(path, before, before, old, problem=str(error))
    splices = tuple(made.edited.splices)
    kept = tuple(made.kept)
    if not splices:
        return PlannedFile(path, before, base, None, kept)
    written = WrittenFile(
        path,
        tuple(dict.fromkeys((*(old.clients if old else ()), *readers))),
        splices,
        tuple(made.members),
        tuple(made.items),
        created=base is None,
    )
    return PlannedFile(path, before, made.edited.text, written, kept)


def _kept(root: str, written: WrittenFile) -> PlannedFile:
    """A file that another client reads, too: only the record changes."""
    try:
        text = _read(root, written.path)
    except CannotMerge:
        text = None
    return PlannedFile(written.path, text, text, written)


def _removal(root: str, written: WrittenFile) -> PlannedFile:
    try:
        before = _read(root, written.path)
    except CannotMerge as error:
        return PlannedFile(written.path, None, None, written, problem=str(error))
    if before is None:
        return PlannedFile(written.path, None, None, None)
    try:
        after, whole = restored(before, written)
    except CannotMerge as error:
        return PlannedFile(written.path, before, before, written, problem=str(error))
    problem = None if whole else "was changed since, and not all of what init wrote was found in it"
    return PlannedFile(written.path, before, after, None, (problem,) if problem else ())


def _instructions(root: str, file: FileEdits, clients: Sequence[AgentClient]) -> str:
    """The file for a client's instructions: `AGENTS.md` where `CLAUDE.md` or `GEMINI.md` only lead there."""
    if file.path not in {client.instructions for client in clients}:
        return file.path
    try:
        text = _read(root, file.path) or ""
    except CannotMerge:
        return file.path
    return "AGENTS.md" if _IMPORT in text.split() or _is_link_to_agents(root, file.path) else file.path


def _is_link_to_agents(root: str, path: str) -> bool:
    return os.path.realpath(os.path.join(root, path)) == os.path.realpath(os.path.join(root, "AGENTS.md"))


def _target(root: str, path: str) -> str:
    """Where a file really is. A link must not lead out of the project."""
    real = os.path.realpath(os.path.join(root, path))
    if not real.startswith(os.path.join(os.path.realpath(root), "")):
        raise CannotMerge("is a link that leads out of this folder")
    return real


def _read(root: str, path: str) -> str | None:
    target = _target(root, path)
    try:
        with open(os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotMerge(f"cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise CannotMerge(f"is larger than {_LARGEST:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CannotMerge("is not UTF-8 text") from None


def _write(root: str, path: str, text: str) -> tuple[str, ...]:
    """Write a file whole. Returns the folders that had to be made, the outermost first."""
    target = _target(root, path)
    folders = tuple(_missing_folders(root, path))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        old = os.stat(target) if os.path.exists(target) else None
        atomic_writes.replace(folder, os.path.basename(target), [text.encode()], old)
    finally:
        os.close(folder)
    return folders


def _missing_folders(root: str, path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for length in range(1, len(parts) + 1):
        folder = "/".join(parts[:length])
        if not os.path.lexists(os.path.join(root, folder)):
            yield folder
