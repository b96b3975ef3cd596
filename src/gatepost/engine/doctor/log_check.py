"""Check the log: its hash chain, its gap-free numbers and its images."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import astuple, replace

from gatepost.domain import documents, moves, places
from gatepost.domain.documents import Document
from gatepost.domain.events import is_event
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.engine import chain
from gatepost.engine.chain import OperationRecord
from gatepost.engine.doctor.findings import DoctorFinding
from gatepost.engine.doctor.readable_tables import ReadableTables
from gatepost.engine.rows import LOG, Head, OperationRow


class LogCheck:
    """One pass over the log. `findings` makes the pass; the other members give what it learned."""

    def __init__(self, tables: ReadableTables) -> None:
        self._tables = tables
        self._head = tables.head()
        self.checked = {"events": 0, "operations": 0}
        self.broken: set[int] = set()
        """The operations whose rows differ from what was committed."""
        self.ends: dict[str, tuple[int | None, int]] = {}
        """A hash of each place's text after its last image, and the operation of that image."""
        self._spoilt: set[str] = set()
        """The places whose last image cannot be decoded."""
        self._seq = self._end = 0
        self._hash = ""
        self._homes: dict[str, str] = {}
        """Where each step and task node came last."""
        self._revisions: dict[str, int] = {}
        self._undone: dict[int, int | None] = {}
        self._says_undone: dict[int, int] = {}
        self._undoes: dict[int, int] = {}

    def findings(self) -> Iterator[DoctorFinding]:
        """Everything wrong with the log and its images."""
        for record in chain.records(chain.Log(*(self._tables.rows(table) for table in LOG))):
            self.checked["operations"] += 1
            yield from self._link(record)
            yield from self._numbers(record)
            yield from self._bodies(record)
            yield from self._images(record)
            yield from self._touches(record)
            self._note_undoing(record.operation)
        yield from self._names()
        yield from self._last()
        yield from self._undoings()
        yield from self._counters()

    def _link(self, record: OperationRecord) -> Iterator[DoctorFinding]:
        """Check that each hash covers the operation's rows and the previous hash."""
        operation = record.operation
        if operation.hash != chain.hashed(self._tables.workspace, self._hash, record):
            self.broken.add(operation.operation)
            says = "its rows or the hash before it differ from what was committed"
            yield DoctorFinding("BROKEN_CHAIN", f"operation {operation.operation}", says)
        self._hash = operation.hash

    def _numbers(self, record: OperationRecord) -> Iterator[DoctorFinding]:
        """Check that `seq` has no gaps and that operations cover it."""
        operation = record.operation
        if operation.operation != self._end + 1 or operation.last_seq < operation.operation:
            says = f"follows one that ended at {self._end}"
            yield DoctorFinding("OPERATION_GAP", f"operation {operation.operation}", says)
        self._end = operation.last_seq
        for event in record.events:
            self.checked["events"] += 1
            if event.seq != self._seq + 1:
                yield DoctorFinding("SEQ_GAP", f"seq {event.seq}", f"follows {self._seq}")
            self._seq = event.seq

    def _bodies(self, record: OperationRecord) -> Iterator[DoctorFinding]:
        """Check that events and evidence can be decoded."""
        for event in record.events:
            if not is_event(event.body):
                yield DoctorFinding("UNREADABLE_EVENT", f"seq {event.seq}", "its body cannot be decoded")
        for artifact in record.artifacts:
            if not _is_json(artifact.body):
                where = f"{places.shown(artifact.place)} seq {artifact.seq}"
                yield DoctorFinding("UNREADABLE_EVIDENCE", where, "its body cannot be decoded")

    def _images(self, record: OperationRecord) -> Iterator[DoctorFinding]:
        """Check that each image continues the one before it."""
        for place, operation, before, after in map(astuple, record.images):
            if mark_of(before) != self.ends.get(place, (None, 0))[0]:
                says = f"operation {operation} does not continue the one before it"
                yield DoctorFinding("TORN_HISTORY", places.shown(place), says)
            self.ends[place] = (mark_of(after), operation)
            left = None if after is None else decoded(after)
            if (left is None) == (after is None):
                self._spoilt.discard(place)
            else:
                self._spoilt.add(place)
            if before is None and isinstance(left, Step | Node):
                self._homes[left.id] = place

    def _names(self) -> Iterator[DoctorFinding]:
        """Check that each id leads to where its step or task node came last."""
        for name, place in self._homes.items():
            if self._tables.find(name) != place:
                yield DoctorFinding("LOST_NAME", places.shown(place), f"{name} does not lead here", mendable=True)

    def _touches(self, record: OperationRecord) -> Iterator[DoctorFinding]:
        """Check that revisions rise by one. Where something was moved to, its revision goes on."""
        arrived = _arrivals(record)
        for place, operation, revision in sorted(record.touches, key=lambda touch: touch[0] in arrived):
            least = self._revisions.get(place, 0) + 1
            if place in arrived:
                least = max(least - 1, self._revisions.get(arrived[place], 0))
            if revision != least and not (place in arrived and revision == least + 1):
                says = f"operation {operation} gave revision {revision}"
                yield DoctorFinding("REVISION_GAP", places.shown(place), says)
            self._revisions[place] = revision

    def _note_undoing(self, operation: OperationRow) -> None:
        number, of = operation.operation, operation.of
        if operation.undone_by is not None:
            self._says_undone[number] = operation.undone_by
        if of is None:
            return
        self._undone[of] = number
        if operation.kind == "undo":
            self._undoes[number] = of
        elif of in self._undoes:
            self._undone[self._undoes[of]] = None

    def _last(self) -> Iterator[DoctorFinding]:
        head = self._head
        if self._seq != head.seq:
            says = f"is the last event, but the workspace counts {head.seq}"
            yield DoctorFinding("SEQ_HEAD", f"seq {self._seq}", says)
        if self._end != self._seq:
            says = f"is where operations end, but events end at {self._seq}"
            yield DoctorFinding("OPERATION_GAP", f"seq {self._end}", says)
        if self._hash != head.hash:
            yield DoctorFinding("BROKEN_CHAIN", "the end of the log", "differs from the one in the workspace's row")

    def _undoings(self) -> Iterator[DoctorFinding]:
        """Check that undone operations match the undo operations after them."""
        for number in sorted({*self._says_undone, *self._undone}):
            says, right = self._says_undone.get(number), self._undone.get(number)
            if says != right:
                message = f"is said to be undone by {says}, but the log says {right}".replace("None", "nothing")
                yield DoctorFinding("UNDO_DIFFERS", f"operation {number}", message, mendable=True)

    def _counters(self) -> Iterator[DoctorFinding]:
        """Check that the workspace counts every plan, task, step and node ever created."""
        right = counters(self._tables, self._head)
        for name in ("plans", "tasks", "nodes"):
            says, is_right = getattr(self._head, name), getattr(right, name)
            if says != is_right:
                message = f"counts {says} {name}, but {is_right} were created"
                yield DoctorFinding("MISCOUNTED", "the workspace", message, mendable=True)

    def knows(self, place: str) -> bool:
        """Whether the log is intact from the place's last image on, so that it determines the document.

        A broken operation after that may have lost an image of this place.
        """
        whole = place in self.ends and self.ends[place][1] > max(self.broken, default=0)
        return whole and place not in self._spoilt

    def undone(self) -> dict[int, int | None]:
        """Which operation undid which, according to the log."""
        return self._undone


def counters(tables: ReadableTables, head: Head) -> Head:
    """A workspace's counters, from its rows. Every new root is touched, and every step has a name."""
    highest = {places.PLAN: 0, places.TASK: 0}
    for place, _, _ in tables.rows("touches"):
        if place[0] in highest and not places.depth(place):
            highest[place[0]] = max(highest[place[0]], int(place[2:]))
    nodes = sum(1 for _ in tables.rows("names"))
    return replace(head, plans=highest[places.PLAN], tasks=highest[places.TASK], nodes=nodes)


def _arrivals(record: OperationRecord) -> dict[str, str]:
    """The places where an operation put something that was elsewhere, and where that was."""
    came = [image for image in record.images if image.before is None]
    left = [image for image in record.images if image.after is None]
    return moves.arrivals(
        (image.place, decoded(image.before or ""), decoded(image.after or ""))
        for image in ((*came, *left) if came and left else ())
    )


def mark_of(text: str | None) -> int | None:
    """A hash to compare a text by: keeping all texts would take as much memory as the store."""
    return None if text is None else hash(text)


def decoded(text: str) -> Document | None:
    """A document, or none if it cannot be decoded."""
    try:
        return documents.from_text(text)
    except msgspec.MsgspecError:
        return None


def _is_json(body: str) -> bool:
    try:
        msgspec.json.decode(body)
    except msgspec.MsgspecError:
        return False
    return True
