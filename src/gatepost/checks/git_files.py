"""What git knows about a working tree, from one call that runs no program of the repository's choice.

`git status` and `git ls-files --modified` compare contents, and for that they run the filters that the repository's
configuration names. So git lists what its index remembers, and the comparison with the disk is ours.
"""

import json
import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from gatepost.files.git_head import git_folder

LONGEST_S: Final = 10.0
LARGEST_INDEX: Final = 64 * 2**20
"""In bytes: about half a million files."""

# No pager, no lock on the index, no monitor, no hook, and no repository that merely lies around in a folder.
_FLAGS: Final = (
    *("--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "safe.bareRepository=explicit"),
)
_LIST: Final = ("ls-files", "-z", "-t", "--stage", "--debug", "--others", "--exclude-standard")
EXCLUDES_FILE: Final = "core.excludesfile"
_SETTINGS: Final = f"core.autocrlf,core.eol,{EXCLUDES_FILE},core.filemode,extensions.objectformat,include*.path"
_ENVIRONMENT: Final = {
    # A partial clone fetches what is missing, by any program that its configuration names.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # Git reports these settings with the listing, so that no second call has to ask for them.
    "GIT_TRACE2_EVENT": "2",
    "GIT_TRACE2_CONFIG_PARAMS": _SETTINGS,
    "LC_ALL": "C",
}

_record = re.compile(
    r"(\w) (\d+) ([0-9a-f]+) (\d)\t([^\0]+)\0"
    r"(?:  ctime: (\d+:\d+)\n  mtime: (\d+:\d+)\n  dev: \d+\tino: (\d+)\n.*\n  size: (\d+)\t.*\n)?(?:  .*\n)*"
    r"|\? ([^\0]+)\0"
    r"|([^\0]+)"
)
"""A tracked file with what git remembers of it on disk, an untracked file, or what is not known here."""
_SUBMODULE: Final = "160000"
_BITS: Final = 2**32 - 1


class Unknown(Exception):
    """Why nobody can say what the tree is like, as a sentence."""


class Tracked(NamedTuple):
    """A file in git's index, and what git remembers of it on disk."""

    mode: str
    blob: str
    on_disk: tuple[str, ...]
    sparse: bool

    @property
    def is_submodule(self) -> bool:
        """Whether it is a commit of another repository."""
        return self.mode == _SUBMODULE


class Listing(NamedTuple):
    """The files below a folder, by path: tracked ones, and untracked ones (None) that are not ignored.

    `folder` is git's own, or none without git. `written_ns` is the time of the index: git cannot vouch for a file
    that is not older.
    """

    files: dict[str, Tracked | None]
    folder: str | None = None
    settings: Mapping[str, str] = {}
    written_ns: int = 0

    def vouches_for(self, tracked: Tracked, seen: os.stat_result) -> bool:
        """Whether the index has the id of what is on disk now. If in doubt, it does not."""
        # Git asks the mtime alone, which anyone can set. A write after the index was written has a later ctime.
        return max(seen.st_mtime_ns, seen.st_ctime_ns) < self.written_ns and tracked.on_disk == (
            _printed(seen.st_ctime_ns),
            _printed(seen.st_mtime_ns),
            str(seen.st_ino & _BITS),
            str(seen.st_size & _BITS),
        )


def listed(root: str) -> Listing | None:
    """The files below a folder. None if it is in no repository."""
    folder = git_folder(root)
    if folder is None:
        return None
    written_ns = _written(os.path.join(folder, "index"))
    data, said = _asked(root, *_LIST)
    files: dict[str, Tracked | None] = {}
    for tag, mode, blob, stage, path, *on_disk, other, unknown in _record.findall(os.fsdecode(data)):
        if unknown:
            raise Unknown("Git lists files in a format that this version of Gatepost does not know.")
        if path:
            # Of a file that waits to be merged, the index has several forms, and none may be on disk.
            files[path] = Tracked(mode, blob, tuple(on_disk) if stage == "0" else (), tag == "S")
        elif not other.endswith("/"):
            # A folder is a repository of its own that is no submodule, often another agent's working tree.
            files[other] = None
    return Listing(files, folder, _reported(said), written_ns)


def _printed(time_ns: int) -> str:
    seconds, rest = divmod(time_ns, 10**9)
    return f"{seconds}:{rest}"


def staged(root: str) -> list[str]:
    """The files below a folder whose index differs from the commit."""
    data, _ = _asked(root, "diff-index", "--cached", "--name-only", "--relative", "-z", "HEAD", "--")
    return [os.fsdecode(path) for path in data.split(b"\0") if path]


def _written(index: str) -> int:
    try:
        found = os.stat(index)
    except OSError:
        return 0
    if found.st_size > LARGEST_INDEX:
        raise Unknown("The repository has too many files to check each one.")
    return found.st_mtime_ns


def _asked(root: str, *words: str) -> tuple[bytes, bytes]:
    """What git printed, and what it said on standard error."""
    # Few processes ever judge a proof.
    import shutil
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    program = shutil.which("git")
    # A relative entry of PATH could lead into the repository.
    if program is None or not os.path.isabs(program):
        raise Unknown("Git is not installed, or not on the PATH.")
    try:
        process = subprocess.Popen(  # noqa: S603 - git by its absolute path, and words of ours
            [program, *_FLAGS, *words],
            cwd=root,
            env=environment | _ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise Unknown(f"Git could not be started: {error.strerror}.") from error
    with process:
        try:
            printed, said = process.communicate(timeout=LONGEST_S)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Unknown(f"Git did not answer within {LONGEST_S:g} s.") from error
            raise
    if process.returncode:
        raise Unknown(f"Git refused to read the folder: {_complaint(said)}")
    return printed, said


def _complaint(said: bytes) -> str:
    lines = (line.decode("utf-8", "replace").strip() for line in said.split(b"\n"))
    return next((line for line in lines if line and not line.startswith("{")), "it gave no reason.")


def _reported(said: bytes) -> dict[str, str]:
    """The settings among git's events, by name in lower case. The last value is the one that holds."""
    settings: dict[str, str] = {}
    for line in said.split(b"\n"):
        if b'"def_param"' in line:
            with suppress(ValueError):
                event = json.loads(line)
                name, value = str(event.get("param")).lower(), str(event.get("value"))
                settings[name] = value if name == EXCLUDES_FILE else value.lower()
    return settings
