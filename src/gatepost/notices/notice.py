"""A notice: a message to a person, as text and as JSON."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct, field

from gatepost.wire.secrets import redacted_in

_LONGEST: Final = 2_000
_CUT: Final = "…"


class NoticeStep(Struct, frozen=True):
    """The step that a notice is about."""

    step_id: str
    path: str
    title: str


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened, which a person may want to know.

    `id` is the same for every attempt to deliver it. `title` and `text` are for people, the rest is for programs.
    `actor` is who did it, `reason` why a step waits, `since` when that began.
    """

    kind: str
    id: str
    workspace: str
    at: str
    title: str
    text: str
    actor: str | None = None
    plan: str | None = None
    task: str | None = None
    root_title: str | None = None
    step: NoticeStep | None = None
    ask: str | None = None
    options: tuple[str, ...] = ()
    for_: str | None = field(default=None, name="for")
    checkpoints: tuple[str, ...] = ()
    reason: str | None = None
    since: str | None = None

    def body(self) -> bytes:
        """The notice as JSON, without credentials and with long texts cut."""
        plain, _ = redacted_in(msgspec.to_builtins(self))
        return msgspec.json.encode(_cut(plain))

    def words(self) -> dict[str, str]:
        """The names that a command's words can contain, and their values."""
        plain, _ = redacted_in(
            {"kind": self.kind, "workspace": self.workspace, "title": self.title, "text": self.text}
        )
        cut: dict[str, str] = _cut(plain)
        return cut


class NotDelivered(Exception):
    """A notice was not delivered. `again` says that another attempt may help."""

    def __init__(self, why: str, *, again: bool) -> None:
        super().__init__(why)
        self.again = again


def _cut(data: Any) -> Any:
    if isinstance(data, str):
        return data if len(data) <= _LONGEST else data[: _LONGEST - 1] + _CUT
    if isinstance(data, dict):
        return {name: _cut(value) for name, value in data.items()}
    return [_cut(value) for value in data] if isinstance(data, list) else data
