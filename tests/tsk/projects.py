"""A project folder with taskdocs on disk: started, edited from outside, and started again as after a crash."""

import hashlib
import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gatepost.domain.taskdocs import SELECTORS
from gatepost.engine import doctor
from gatepost.engine.engine import Engine
from gatepost.engine.package_findings import BLOCKING
from gatepost.engine.packages import Packages
from gatepost.engine.port import Store
from gatepost.operations.taskdoc_packages import settle
from gatepost.tsk.packages import DiskPackages
from tests.givens import WORKSPACE, TickingClock, World, new_store

SECTIONS = ("goals", "constraints", "progress")
FILES = [".gitignore", "constraints.md", "goals.md", "meta.json", "progress.md"]

MUST_BE_SETTLED = {f"PACKAGE_{kind.upper()}" for kind in BLOCKING}


class Project(World):
    """A world whose taskdocs have packages. A refused call is checked to leave the files alone, too."""

    def __init__(self, store: Store, root: Path, workspace: str = WORKSPACE, *, tracked: bool = False) -> None:
        super().__init__(store, workspace)
        self.root = root
        self.tracked = tracked
        self._clock = TickingClock()
        self.restart()

    def restart(self) -> None:
        """A new start: nothing is remembered but what is stored."""
        self.engine = Engine(self.store, self._clock, str(self.root / ".gatepost"))
        self.use(DiskPackages(str(self.root), SELECTORS, tracked=self.tracked))

    def use(self, packages: Packages) -> None:
        """Go on with these packages. The engine remembers what it has checked."""
        self.engine.find_packages = lambda: packages

    def start(self) -> None:
        """A new start that looks at the packages, as a server does before it serves."""
        self.restart()
        settle(self.engine, self.workspace, self.caller)

    def beside(self, workspace: str) -> "Project":
        """Another workspace of the same store and folder."""
        return Project(self.store, self.root, workspace)

    def everything(self, workspace: str | None = None) -> dict[str, Any]:
        """All that is stored, and all that stands on disk."""
        return {**super().everything(workspace), "files": self.tree()}

    def store_rows(self) -> list[Any]:
        """Every row that is kept of the workspace."""
        return [row for name, rows in super().everything().items() if name != "head" for row in rows]

    def tree(self) -> dict[str, tuple[int, bytes | None]]:
        """Each thing on disk below `tasks`: its mode, and its bytes if it is a file."""
        found: dict[str, tuple[int, bytes | None]] = {}
        for path in sorted((self.root / "tasks").rglob("*")):
            kind = path.lstat()
            found[str(path.relative_to(self.root))] = (
                kind.st_mode,
                path.read_bytes() if stat.S_ISREG(kind.st_mode) else None,
            )
        return found

    def package(self, name: str = "auth") -> Path:
        return self.root / "tasks" / f"{name}.tsk"

    def file(self, selector: str, name: str = "auth") -> Path:
        return self.package(name) / f"{selector}.md"

    def meta(self, name: str = "auth") -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.package(name) / "meta.json").read_bytes())
        return read

    def new(self, name: str = "auth", **texts: str) -> None:
        """A taskdoc with these sections."""
        self.ok("taskdoc_create", name=name)
        for selector, text in texts.items():
            self.change(selector, text, name)

    def change(self, selector: str, text: str, name: str = "auth") -> dict[str, Any]:
        given = {"content": text} if text else {"clear": True}
        return self.ok("change_mind", taskdoc=name, selector=selector, **given)

    def text(self, selector: str, name: str = "auth") -> str:
        """What readers get."""
        found: str = self.ok("recall_mind", taskdoc=name, selector=selector)["content"]
        return found

    def texts(self, name: str = "auth") -> dict[str, str]:
        return {selector: self.text(selector, name) for selector in SECTIONS}

    def edited(self, name: str = "auth") -> set[str]:
        """The sections that somebody must settle, by every report alike."""
        told = self.ok("recall_mind", taskdoc=name)["sections"]
        whole = {selector for selector, said in told.items() if said.get("edited")}
        each = {s for s in SECTIONS if "edited" in self.ok("recall_mind", taskdoc=name, selector=s)}
        linted = {row["selector"] for row in self.lint() if row["taskdoc"] == name and "selector" in row}
        [listed] = [row for row in self.ok("taskdoc_list")["items"] if row["name"] == name]
        examined = {row.where for row in self.doctor() if row.code in MUST_BE_SETTLED and name in row.where}
        assert whole == each == linted == set(listed["edited"]), "the reports differ"
        assert len(examined) == len(whole), "the doctor differs"
        return whole

    def lint(self) -> list[dict[str, Any]]:
        found = self.ok("tasks_lint")["findings"]
        return [row for row in found if row["code"] in MUST_BE_SETTLED]

    def doctor(self) -> list[doctor.DoctorFinding]:
        return doctor.examine(self.store, self.workspace, self.engine.packages).findings

    def standing(self, name: str = "auth") -> list[Path]:
        """What a package holds, but for what a crash may have left of a file that was not renamed yet."""
        return sorted(path for path in self.package(name).iterdir() if path.suffix != ".tmp")

    def unfaced(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A call whose process dies after the commit, before anything is written to disk."""
        whole, self.engine = self.engine, Engine(self.store, self._clock)
        try:
            return self.ok(tool, **arguments)
        finally:
            self.engine = whole

    def check_face(self, name: str = "auth") -> None:
        """The package is the log's face: three files and `meta.json`, no more and no less, all of them right."""
        assert [path.name for path in self.standing(name)] == FILES
        assert stat.S_IMODE(self.package(name).stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in self.standing(name)} == {0o600}
        for selector in SECTIONS:
            said = self.ok("recall_mind", taskdoc=name, selector=selector)
            text = said["content"].encode()
            assert self.file(selector, name).read_bytes() == text
            assert self.meta(name)["sections"][selector] == {
                "revision": said["revision"],
                "actor": said["actor"],
                "at": said["updated_at"],
                "sha256": hashlib.sha256(text).hexdigest(),
            }
        assert self.edited(name) == set()


@contextmanager
def project(folder: Path, store: str = "memory") -> Iterator[Project]:
    """A project in an empty folder; its store stands beside it."""
    root = folder / "project"
    root.mkdir(exist_ok=True)
    opened = new_store(store, folder)
    try:
        yield Project(opened, root)
    finally:
        opened.close()
