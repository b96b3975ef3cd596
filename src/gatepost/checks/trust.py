"""Trust is the user's, not the project's: which commands may run here, and whether `gatepost.toml` is obeyed.

Every question reads the decision again. A person can trust a folder, or take it back, while a server runs.
"""

import os
import shlex
from collections.abc import Sequence
from typing import Final

from gatepost.checks import allowed_commands, settings_file, trust_record
from gatepost.checks.allowed_commands import Words
from gatepost.checks.settings_file import BadSettings, SettingsFile
from gatepost.checks.trust_record import DamagedRecord, TrustRecord
from gatepost.domain.proof_refusals import NotTrusted
from gatepost.files.worktrees import linked_worktree

_LONGEST: Final = 200


class Trust:
    """What a person decided about the project at a root. `root` is resolved: a folder that moved is another one."""

    def __init__(self, root: str) -> None:
        self.root: Final = os.path.realpath(root)
        self._shown: Final = os.fsencode(self.root).decode(errors="replace")

    def refused(self, argv: Sequence[str]) -> NotTrusted | None:
        """Why a command may not run here, or None if it may."""
        try:
            record = decision(self.root)
        except DamagedRecord as error:
            return self._refusal(argv, f"the record of what you trust cannot be used: {error}.")
        if allowed_commands.permits(record.allow, argv):
            return None
        try:
            file = settings_file.read(self.root)
            listed = file is not None and allowed_commands.permits(entries(file), argv)
        except BadSettings as error:
            return self._refusal(argv, f"nobody allowed it, and the project's settings cannot be used: {error}")
        if file is None or not listed:
            return self._refusal(argv, "nobody allowed this command here.")
        if record.sha256 == file.sha256:
            return None
        state = "nobody trusted that file" if record.sha256 is None else "that file changed since it was trusted"
        return self._refusal(argv, f"gatepost.toml allows it, but {state}.", listed=True)

    def why_not(self, file: SettingsFile | None, store: str | None) -> str | None:
        """Why the settings of a file that need trust are not obeyed, or None if they are.

        `store` is the store outside the root that they lead to, if they do.
        """
        try:
            record = decision(self.root)
        except DamagedRecord as error:
            return f"the record of what you trust cannot be used: {error}"
        if is_trusted(record, file, store):
            return None
        if record.sha256 is None and record.store is None:
            return "nobody has trusted this project's settings"
        return "this project's settings have changed since they were trusted"

    def require_store(self, file: SettingsFile | None, store: str) -> None:
        """Refuse a store outside the root that nobody trusted."""
        why = self.why_not(file, store)
        if why is not None:
            raise NotTrusted(
                f"The project's store is outside its folder, at {store}, and {why}.",
                "Nothing was read or written. A person can look at the settings and trust them: run `gatepost"
                f" trust` in {self._shown}. Or choose a store with --store or GATEPOST_STORE.",
            )

    def _refusal(self, argv: Sequence[str], why: str, *, listed: bool = False) -> NotTrusted:
        entry = allowed_commands.entry_for(argv)
        line = shlex.join(argv)
        shown = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
        allow = None if entry is None else f"gatepost trust --allow {shlex.quote(entry)}"
        ways = ["`gatepost trust`, which shows what the file asks for"] if listed else []
        ways += [f"`{allow}`"] if allow else ["`gatepost trust --allow` with the command's first words"]
        return NotTrusted(
            f"{shown} did not run: {why}",
            f"Ask your user to run {', or '.join(ways)}, in {self._shown}, then call again.",
            "gatepost trust" if listed else allow,
        )


def decision(root: str) -> TrustRecord:
    """What a person decided about a resolved folder. If nobody decided about a linked worktree, the decision about
    its main folder applies: a branch checked out there would be trusted, too."""
    found = trust_record.load(root)
    linked = None if found != TrustRecord() else linked_worktree(root)
    return found if linked is None else trust_record.load(linked.main)


def entries(file: SettingsFile) -> tuple[Words, ...]:
    """The commands that a file allows. Raises BadSettings."""
    try:
        found = tuple(allowed_commands.split(line) for line in file.allow)
    except ValueError as error:
        raise BadSettings(f"{file.path}: [checks] allow: {error}.") from None
    if len(found) > allowed_commands.MOST:
        raise BadSettings(f"{file.path}: [checks] allow may have at most {allowed_commands.MOST} commands.")
    return found


def is_trusted(record: TrustRecord, file: SettingsFile | None, store: str | None) -> bool:
    """Whether this is the very file that a person trusted, and it leads to the very store."""
    return record.sha256 == (None if file is None else file.sha256) and store in (None, record.store)
