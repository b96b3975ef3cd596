"""Settings: flags over `GATEPOST_*` variables over `gatepost.toml` at the root over defaults.

Flags and variables are the user's own. The file comes with the project, so what could harm someone who cloned a
hostile one needs their trust: see `checks/trust.py`.

Kept free of heavy imports: every start of `gatepost mcp` passes through here.
"""

from __future__ import annotations

import os

from gatepost.checks.settings_file import FILE, BadSettings, read
from gatepost.wire.locations import DATABASES, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gatepost.checks.settings_file import SettingsFile
    from gatepost.notices.configuration import NotifySettings
    from gatepost.wire.secret_policy import Policy

__all__ = ["FILE", "NAMES", "SERVERS", "BadSettings", "Settings", "find_root", "located", "settings"]

NAMES = ("store", "workspace", "actor", "synchronous", "tools", "secrets", "taskdocs")
NOTIFY = ("url", "secret_file", "command", "events", "stuck_after")
TABLES = {"checks": ("allow",), "policy": ("proof", "signoff", "approval", "stale"), "notify": NOTIFY}
POLICIES: tuple[Policy, ...] = ("refuse", "redact", "allow")
SERVERS = ("http://", "https://")
MEMORY = "memory:"


class Settings:
    """The settings by name. What is not set is `None`, except `store`, `root` and `home`, the root's `.gatepost`.

    `faced` says that the store is this project's own, so that taskdocs have their packages here: it lies below the
    root, the project's settings name it, or the root was given with it. `tracked` says that git keeps the packages.
    `bound` is the only workspace that a server takes: the one that a flag or a variable names. The project's file
    merely says which workspace is meant where a call names none. `own_workspace` is the project's own, as its file
    says, or as the call that named its folder says: in a database, only its taskdocs have packages here. `policy`
    is the file's table of that name, for new workspaces. `notify` says where to send notices of what waits for a
    person. `ignored` says which settings of the file are ignored because nobody trusted it.
    """

    __slots__ = (
        "_outside",
        "_store",
        "actor",
        "bound",
        "faced",
        "home",
        "ignored",
        "is_database",
        "is_server",
        "notify",
        "own_workspace",
        "policy",
        "root",
        "secrets",
        "synchronous",
        "tools",
        "tracked",
        "workspace",
    )

    def __init__(
        self,
        root: str,
        found: Mapping[str, str],
        *,
        own: bool = False,
        bound: bool = True,
        policy: Mapping[str, Any] | None = None,
    ) -> None:
        self.root = root
        self.home = os.path.join(root, ".gatepost")
        self._store = found.get("store") or default_store(root)
        self._outside: tuple[SettingsFile | None, str] | None = None
        self.is_server = self._store.startswith(SERVERS)
        self.is_database = self._store.startswith(DATABASES)
        self.faced = own or self._store.startswith(os.path.join(root, ""))
        self.ignored: str | None = None
        self.policy = policy or {}
        self.notify: NotifySettings | None = None
        self.workspace = _checked(found.get("workspace"))
        self.bound = self.workspace if bound else None
        self.own_workspace: str | None = None
        self.actor = found.get("actor")
        self.tools = found.get("tools")
        self.synchronous = (found.get("synchronous") or "FULL").upper()
        if self.synchronous not in ("FULL", "NORMAL"):
            raise BadSettings(
                f"The setting `synchronous` (GATEPOST_SYNCHRONOUS) is {self.synchronous}. Set it to FULL or NORMAL."
            )
        self.secrets = _policy(found.get("secrets") or "refuse")
        self.tracked = _is_tracked(found.get("taskdocs") or "ignored")

    @property
    def store(self) -> str:
        """The store's location. Raises `NotTrusted` if the project leads out of its folder and nobody trusted it.

        The default store is no way out: it would split a team's tasks in two, and nobody would notice.
        """
        if self._outside is not None:
            from gatepost.checks.trust import Trust

            Trust(self.root).require_store(*self._outside)
            self._outside = None
        return self._store

    @property
    def is_file(self) -> bool:
        """Whether the store is a file, and neither a server, a database nor in memory."""
        return not (self.is_server or self.is_database or self._store == MEMORY)

    @property
    def place(self) -> str:
        """The store's location as it may be shown: without a password."""
        return shown(self.store)

    def distrust(self, file: SettingsFile | None, names: list[str], why: str) -> None:
        """Keep these settings of the file from being obeyed, and say why."""
        if "store" in names:
            self._outside = file, outside(self._store, self.root) or self._store
        others = [f"`{name}`" for name in names if name != "store"]
        if others:
            listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
            self.ignored = f"{listed} in {FILE}: ignored, because {why}. To look at it, run: gatepost trust"


def settings(flags: Mapping[str, str | None], root: str | None = None, *, start: str | None = None) -> Settings:
    """All settings, each from the first place that has it. A root that is not given is looked for from `start`."""
    top = root_folder(root, start)
    file, found = in_file(top)
    given = {name: flags.get(name) or os.environ.get(f"GATEPOST_{name.upper()}") for name in NAMES}
    asked = [name for name in asks(top, file, found) if not given.get(name)]
    why = _why_not(top, file, found, asked) if asked else None
    obeyed = {name: value for name, value in found.items() if why is None or name == "store" or name not in asked}
    obeyed |= {name: value for name, value in given.items() if value}
    if given["store"]:
        obeyed["store"] = located(given["store"], os.getcwd())
    named = bool(root or os.environ.get("GATEPOST_ROOT"))
    own = named or not given["store"]
    # A database has the workspaces of many projects: which of them is this folder's, the project says.
    own = own or (obeyed.get("store", "").startswith(DATABASES) and "workspace" in found)
    policy = {} if file is None else file.values.get("policy", {})
    made = Settings(top, obeyed, own=own, bound=bool(given["workspace"]), policy=policy)
    made.own_workspace = found.get("workspace") or (made.workspace if named else None)
    made.notify = notify_settings(top, file if "notify" in asked and why is None else None)
    if why is not None:
        made.distrust(file, asked, why)
    return made


def root_folder(root: str | None, start: str | None = None) -> str:
    """The project's folder: the one that is given, or else looked for from `start`."""
    return os.path.abspath(root or os.environ.get("GATEPOST_ROOT") or find_root(start or os.getcwd()))


def in_file(root: str) -> tuple[SettingsFile | None, dict[str, str]]:
    """A project's file, and the settings in it that are texts, with the store's location made absolute."""
    file = read(root)
    if file is None:
        return None, {}
    found: dict[str, str] = {}
    for name, value in file.values.items():
        if name in TABLES:
            _check_table(file, name, value)
            continue
        if name not in NAMES:
            raise BadSettings(f"{file.path}: `{name[:40]}` is not a setting. {_nearest(name, (*NAMES, *TABLES))}")
        if not isinstance(value, str) or not value.isprintable():
            raise BadSettings(f"{file.path}: `{name}` must be a string without control characters.")
        found[name] = value
    if "store" in found:
        found["store"] = shared(found["store"], root)
    return file, found


def notify_settings(root: str, file: SettingsFile | None) -> NotifySettings | None:
    """Where to send notices. Variables come first, then the file. None if no webhook and no command is set."""
    named = {name: os.environ.get(f"GATEPOST_NOTIFY_{name.upper()}") for name in NOTIFY}
    set_ones = {name: value for name, value in named.items() if value}
    if file is None and not set_ones:
        return None
    from gatepost.notices.configuration import parsed

    table = {} if file is None else file.values["notify"]
    found = parsed({**table, **set_ones}, root, "GATEPOST_NOTIFY_…" if set_ones else f"{FILE}, [notify]")
    # What the user set alone needs no trust, nor does it lose any.
    return found if found is None or file is None else found._replace(trusted_in=root)


def asks(root: str, file: SettingsFile | None, found: Mapping[str, str]) -> dict[str, str]:
    """The settings of a project's file that need a person's trust, and what each of them does.

    Names, the durability of writes and how git sees taskdocs cannot harm someone who cloned the project.
    """
    asked: dict[str, str] = {}
    reached = outside(found.get("store") or default_store(root), root)
    if reached is not None:
        asked["store"] = f"keeps tasks outside this folder: {reached}"
    if "actor" in found:
        asked["actor"] = f"signs the log as {found['actor']}"
    words = [word.strip() for word in found.get("tools", "").split(",")]
    if any(word == "files" or word.startswith("file_") for word in words):
        asked["tools"] = f"lets agents change files in this folder: {found['tools']}"
    if found.get("secrets", "").lower() == "allow":
        asked["secrets"] = "stores passwords and tokens as they are"
    if file is not None and "notify" in file.values:
        from gatepost.notices.configuration import parsed

        tells = parsed(file.values["notify"], root, f"{file.path}, [notify]")
        if tells is not None:
            asked["notify"] = " and ".join(tells.described())
    return asked


def default_store(root: str) -> str:
    """The store of a project that names none."""
    return shared(os.path.join(".gatepost", "gatepost.db"), root)


def shared(store: str, root: str) -> str:
    """A project's store, made absolute. A linked worktree has the one of its main folder, unless it has its own."""
    own = located(store, root)
    main = None if own.startswith(DATABASES) or os.path.lexists(own) else _main_folder(root)
    return own if main is None else located(store, main)


def outside(store: str, root: str) -> str | None:
    """Where a store is if it is not in the project's folder. Links are followed: a project can bring its own."""
    if store == MEMORY or store.startswith((*SERVERS, *DATABASES)):
        return None if store == MEMORY else shown(store)
    real = os.path.realpath(store)
    if real.startswith(os.path.join(os.path.realpath(root), "")):
        return None
    main = _main_folder(root)
    return None if main is not None and real.startswith(os.path.join(main, "")) else real


def _main_folder(root: str) -> str | None:
    """The folder that a linked worktree belongs to; None for any other folder."""
    if not os.path.isfile(os.path.join(root, ".git")):
        return None
    from gatepost.files.worktrees import linked_worktree

    found = linked_worktree(root)
    return None if found is None else found.main


def _why_not(root: str, file: SettingsFile | None, found: Mapping[str, str], asked: list[str]) -> str | None:
    from gatepost.checks.trust import Trust

    store = outside(found.get("store") or default_store(root), root) if "store" in asked else None
    return Trust(root).why_not(file, store)


def _check_table(file: SettingsFile, name: str, value: object) -> None:
    if not isinstance(value, dict):
        raise BadSettings(f"{file.path}: `{name}` must be a table. Write it as [{name}].")
    for key in value:
        if key not in TABLES[name]:
            raise BadSettings(f"{file.path}: [{name}] has no `{key[:40]}`. {_nearest(key, TABLES[name])}")
    if name == "checks":
        _ = file.allow  # only its form: its words are read where a command is to run


def _nearest(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name[:40], known, n=1)
    return f"Did you mean `{near[0]}`?" if near else f"It can have: {', '.join(known)}."


def _policy(name: str) -> Policy:
    for known in POLICIES:
        if name.lower() == known:
            return known
    raise BadSettings(f"The setting `secrets` (GATEPOST_SECRETS) is {name}. Set it to refuse, redact or allow.")


def _is_tracked(name: str) -> bool:
    if name.lower() not in ("ignored", "tracked"):
        raise BadSettings(f"The setting `taskdocs` (GATEPOST_TASKDOCS) is {name}. Set it to ignored or tracked.")
    return name.lower() == "tracked"


def _checked(workspace: str | None) -> str | None:
    if workspace is not None:
        import re

        from gatepost.domain.names import WORKSPACE

        if re.match(WORKSPACE, workspace) is None:
            raise BadSettings(f"{workspace!a} is not a workspace name. Write it like acme/repo.")
    return workspace


def find_root(start: str) -> str:
    """The nearest folder at or above `start` that has `.gatepost` or `.git`; else `start`."""
    folder = start
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in (".gatepost", ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return start
        folder = above


def located(store: str, folder: str) -> str:
    """A store's location, made absolute: `memory:`, the address of a server or database, `sqlite://` and a path,
    or a file.
    """
    if store == MEMORY or store.startswith((*SERVERS, *DATABASES)):
        return store
    if store.startswith("sqlite://"):
        path = store.removeprefix("sqlite://")
        if not path.startswith("/"):
            raise BadSettings(
                f"{store} is not a store. Write sqlite:// and an absolute path, for example sqlite:///var/gp.db."
            )
        return path
    if "://" in store:
        kind = store.partition("://")[0]
        raise BadSettings(
            f"This version does not know {kind}:// stores."
            " Use a file path, sqlite:///path, postgresql://host/database or http://host:4870."
        )
    return os.path.join(folder, os.path.expanduser(store))
