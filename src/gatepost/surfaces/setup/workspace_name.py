"""The name of a project's workspace: that of its git remote, or of its folder."""

import os
import re
import subprocess
from typing import Final

from gatepost.domain.names import WORKSPACE

_PATIENCE_S: Final = 10
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")


def workspace_name(root: str) -> str:
    """A name for the workspace, like `acme/repo`."""
    found = name_of_remote(_remote(root)) or _fit(os.path.basename(os.path.realpath(root)))
    return found or "project"


def name_of_remote(url: str) -> str | None:
    """Owner and repository in a remote's address; None if it has no such name."""
    path = re.sub(r"^[a-z+]+://[^/]*/|^[^/@:]+@[^/:]+:", "", url.strip())
    parts = [_fit(part) for part in path.removesuffix("/").removesuffix(".git").split("/")]
    named = "/".join([part for part in parts if part][-2:])
    is_address = path != url.strip()
    return named if is_address and re.match(WORKSPACE, named) else None


def _remote(root: str) -> str:
    command = ["git", "-C", root, "config", "--get", "remote.origin.url"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout


def _fit(name: str) -> str:
    fit = re.sub(r"\.{2,}", ".", _UNFIT.sub("-", name)).strip("-.")[:60]
    return fit if fit and re.match(WORKSPACE, fit) else ""
