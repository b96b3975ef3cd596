"""Calls in atomic batches: as many as fit into one, without those that are refused."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.client.protocol import Client
from gatepost.domain.refusals import INVALID, Refusal
from gatepost.interchange.item_calls import Call

_MOST: Final = 200
_LARGEST: Final = 1_000_000
_BRACKET: Final = 6
"""A server limits the lists and objects of a request, too."""
_FAILED: Final = "BATCH_FAILED"


class Group(NamedTuple):
    """Calls that belong together: all of them are made, or none. `key` names them."""

    key: str
    calls: Sequence[Call]


class BatchSender:
    """Makes groups of calls, several groups in one batch."""

    def __init__(self, client: Client, workspace: str, *, rehearsed: bool = False) -> None:
        self._client = client
        self._workspace = workspace
        self._rehearsed = rehearsed
        self.refused: dict[str, Refusal] = {}
        """Why a group was not made, by its key."""
        self._kept: dict[str, list[Call]] = {}
        """The calls of groups too large for one batch that were made, though a later one was refused."""

    def send(
        self, groups: Sequence[Group], tell: Callable[[int], object]
    ) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Make the groups, and give the replies of each. `tell` hears how many have been dealt with."""
        for batch in _batches(groups):
            yield from self._made(batch)
            tell(len(batch))

    def _made(self, batch: list[Group]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        if len(batch) == 1 and len(batch[0].calls) > _MOST:
            yield from self._in_parts(batch[0])
            return
        while batch:
            calls = [call for group in batch for call in group.calls]
            try:
                results = self._asked(calls) if calls else []
            except Refusal as refusal:
                if refusal.code == _FAILED:
                    at = _owner(batch, int(refusal.details.get("operation_index", 0)))
                elif refusal.family == INVALID and len(batch) == 1:
                    at = 0
                else:
                    raise
                self.refused[batch[at].key] = _inner(refusal)
                batch = [*batch[:at], *batch[at + 1 :]]
                continue
            start = 0
            for group in batch:
                yield group.key, results[start : start + len(group.calls)]
                start += len(group.calls)
            return

    def _in_parts(self, group: Group) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """A group that is too large for one batch. If a part is refused, the parts before it stay."""
        results: list[dict[str, Any]] = []
        before = self._kept.setdefault(group.key, [])
        calls = [call for call in group.calls if call not in before]
        for start in range(0, len(calls), _MOST):
            part = Group(group.key, calls[start : start + _MOST])
            made = dict(self._made([part]))
            if group.key in self.refused:
                return
            before += part.calls
            results += made[group.key]
        yield group.key, results

    def _asked(self, calls: list[Call]) -> list[dict[str, Any]]:
        arguments = {"workspace": self._workspace, "operations": calls}
        ask = self._client.rehearse if self._rehearsed else self._client.text
        results: list[dict[str, Any]] = msgspec.json.decode(ask("tasks_batch", arguments))["results"]
        return results


def _batches(groups: Sequence[Group]) -> Iterator[list[Group]]:
    batch: list[Group] = []
    count = size = 0
    for group in groups:
        weight = sum(map(_weight, group.calls))
        if batch and (count + len(group.calls) > _MOST or size + weight > _LARGEST):
            yield batch
            batch, count, size = [], 0, 0
        batch.append(group)
        count, size = count + len(group.calls), size + weight
    if batch:
        yield batch


def _weight(call: Call) -> int:
    text = msgspec.json.encode(call)
    return max(len(text), _BRACKET * (text.count(b"[") + text.count(b"{")))


def _owner(batch: Sequence[Group], index: int) -> int:
    """The group that a call of a batch belongs to."""
    for at, group in enumerate(batch):
        index -= len(group.calls)
        if index < 0:
            return at
    return len(batch) - 1


def _inner(refusal: Refusal) -> Refusal:
    """What the refused call was told."""
    inner = refusal.details.get("error")
    if not isinstance(inner, dict):
        return refusal
    found = Refusal(str(inner.get("message")), str(inner.get("recovery")))
    found.code = str(inner.get("code"))
    return found
