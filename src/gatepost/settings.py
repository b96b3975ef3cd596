"""Settings: flags over `GATEPOST_*` variables over `gatepost.toml` at the root over defaults.

Kept free of heavy imports: every start of `gatepost mcp` passes through here.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gatepost.wire.secrets import Policy

NAMES = ("store", "workspace", "actor", "synchronous", "tools", "secrets", "taskdocs")
POLICIES: tuple[Policy, ...] = ("refuse", "redact", "allow")
FILE = "gatepost.toml"
SERVERS = ("http://", "https://")


class BadSettings(Exception):
    """A setting cannot be used. The message names it, its value and what is allowed."""


class Settings:
    """The settings by name. What is not set is `None`, except `store`, `root` and `home`, the root's `.gatepost`.

    `faced` says that the store is this project's own, so that taskdocs have their packages here: it lies below the
    root, the project's settings name it, or the root was given with it. `tracked` says that git keeps the packages.
    `bound` is the only workspace that a server takes: the one that a flag or a variable names. The project's file
    merely says which workspace is meant where a call names none.
    """

    __slots__ = (
        "actor",
        "bound",
        "faced",
        "home",
        "root",
        "secrets",
        "store",
        "synchronous",
        "tools",
        "tracked",
        "workspace",
    )

    def __init__(self, root: str, found: Mapping[str, str], *, own: bool = False, bound: bool = True) -> None:
        self.root = root
        self.home = os.path.join(root, ".gatepost")
        self.store = found.get("store") or os.path.join(self.home, "gatepost.db")
        self.faced = own or self.store.startswith(os.path.join(root, ""))
        self.workspace = _checked(found.get("workspace"))
        self.bound = self.workspace if bound else None
        self.actor = found.get("actor")
        self.tools = found.get("tools")
        self.synchronous = (found.get("synchronous") or "FULL").upper()
        if self.synchronous not in ("FULL", "NORMAL"):
            raise BadSettings(
                f"The setting `synchronous` (GATEPOST_SYNCHRONOUS) is {self.synchronous}. Set it to FULL or NORMAL."
            )
        self.secrets = _policy(found.get("secrets") or "refuse")
        self.tracked = _is_tracked(found.get("taskdocs") or "ignored")


def settings(flags: Mapping[str, str | None], root: str | None = None, *, start: str | None = None) -> Settings:
    """All settings, each from the first place that has it. A root that is not given is looked for from `start`."""
    top = os.path.abspath(root or os.environ.get("GATEPOST_ROOT") or find_root(start or os.getcwd()))
    found = _from_file(os.path.join(top, FILE))
    if "store" in found:
        found["store"] = located(found["store"], top)
    given = {name: flags.get(name) or os.environ.get(f"GATEPOST_{name.upper()}") for name in NAMES}
    found |= {name: value for name, value in given.items() if value}
    if given["store"]:
        found["store"] = located(given["store"], os.getcwd())
    own = bool(root or os.environ.get("GATEPOST_ROOT")) or not given["store"]
    return Settings(top, found, own=own, bound=bool(given["workspace"]))


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
    """A store's location, made absolute: `memory:`, a server's address, `sqlite://` and a path, or a file."""
    if store == "memory:" or store.startswith(SERVERS):
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
            f"This version does not know {kind}:// stores. Use a file path, sqlite:///path or http://host:4870."
        )
    return os.path.join(folder, os.path.expanduser(store))


def _from_file(path: str) -> dict[str, str]:
    if not os.path.exists(path):
        return {}
    import tomllib

    try:
        with open(path, "rb") as file:
            read = tomllib.load(file)
    except (OSError, ValueError) as error:
        raise BadSettings(f"{path} cannot be read: {error}") from None
    for name, value in read.items():
        if name not in NAMES:
            raise BadSettings(f"{path}: `{name}` is not a setting. The settings are {', '.join(NAMES)}.")
        if not isinstance(value, str):
            raise BadSettings(f"{path}: `{name}` must be a string.")
    return dict(read)
