"""Names from a server, for completion. A server that does not answer soon is not waited for."""

from gatepost.client.remote import RemoteClient
from gatepost.client.requests import decoded
from gatepost.replies.overview import OverviewReply
from gatepost.replies.resume import ResumeReply

_PATIENCE = 2.0
_LIMITS = {"limit": 200}


class ServerReader:
    """One workspace of a server: the chosen one, or the only one there is."""

    def __init__(self, address: str, token: str | None, workspace: str | None) -> None:
        self._client = RemoteClient(address, token=token, timeout=_PATIENCE)
        self._chosen = workspace

    def workspaces(self) -> list[str]:
        """Their names."""
        return self._client.workspaces()

    def roots(self, _begun: str, *kinds: str) -> list[tuple[str, str]]:
        """Plans or tasks, with their titles: what is open first."""
        seen = self._overview()
        rows = {"PLAN": seen.plans, "TASK": seen.tasks}
        return [(row.id, row.title) for kind in kinds for row in rows[kind]]

    def steps(self, task: str, begun: str) -> list[tuple[str, str]]:
        """A task's steps, by path or by id as it was begun, with their titles."""
        by_id = begun[:1] in ("S", "N")
        above = "" if by_id else begun.rpartition(".")[0]
        asked = {"workspace": self._workspace(), "task": task, **({"path": above} if above else {}), **_LIMITS}
        reply = decoded(self._client, self._client.text("tasks_resume", asked), ResumeReply)
        return [(step.step_id if by_id else step.path, step.title) for step in reply.steps]

    def sessions(self) -> list[str]:
        """The names of todo lists."""
        return [row.session for row in self._overview().sessions]

    def taskdocs(self) -> list[str]:
        """The names of taskdocs."""
        return [row.name for row in self._overview().taskdocs]

    def labels(self, kind: str) -> list[str]:
        """The tags or domains that are in use."""
        seen = self._overview()
        rows = (*seen.plans, *seen.tasks)
        found = (
            [row.domain for row in rows] if kind == "domain" else [tag for row in rows for tag in row.tags or ()]
        )
        return sorted({label for label in found if label is not None})

    def _overview(self) -> OverviewReply:
        asked = {"workspace": self._workspace(), **_LIMITS}
        return decoded(self._client, self._client.text("workspace_overview", asked), OverviewReply)

    def _workspace(self) -> str:
        if self._chosen is not None:
            return self._chosen
        (only,) = self._client.workspaces()
        return only
