"""Repair damaged images from the images before and after them, where the hash proves the result."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatepost.engine import chain
from gatepost.engine.chain import OperationRecord
from gatepost.engine.doctor.log_check import LogCheck
from gatepost.engine.doctor.readable_tables import ReadableTables
from gatepost.engine.rows import LOG, ImageRow

_MOST: Final = 100
_LARGEST: Final = 200
"""Limits on broken operations, and on images in one: each guess costs a hash of all its images."""


class _Broken(NamedTuple):
    before: str
    record: OperationRecord


def repaired_images(tables: ReadableTables, history: LogCheck) -> dict[tuple[int, str], ImageRow]:
    """The repairable images by operation and place, exactly as they were committed."""
    found: dict[tuple[int, str], ImageRow] = {}
    if not 0 < len(history.broken) <= _MOST:
        return found
    broken = list(_broken(tables, history))
    neighbours = _neighbours(tables, {image.place for _, record in broken for image in record.images})
    for before, record in broken:
        for images in _guesses(record, neighbours):
            if chain.hashed(tables.workspace, before, replace(record, images=images)) == record.operation.hash:
                found |= {(record.operation.operation, image.place): image for image in images}
                break
    return found


def _broken(tables: ReadableTables, history: LogCheck) -> Iterator[_Broken]:
    before = ""
    for record in chain.records(chain.Log(*(tables.rows(table) for table in LOG))):
        if record.operation.operation in history.broken and 0 < len(record.images) <= _LARGEST:
            yield _Broken(before, record)
        before = record.operation.hash


def _neighbours(tables: ReadableTables, wanted: set[str]) -> dict[tuple[int, str], ImageRow]:
    """Each image with the texts that its neighbours imply: the image before it at the same place says what was
    there before, the next one (or else the document) what was there after."""
    found: dict[tuple[int, str], ImageRow] = {}
    last: dict[str, ImageRow] = {}
    for row in tables.rows("images"):
        image = ImageRow(*row)
        if image.place in wanted:
            before = last.get(image.place)
            if before is not None:
                key = before.operation, before.place
                found[key] = replace(found[key], after=image.before)
            found[image.operation, image.place] = replace(image, before=None if before is None else before.after)
            last[image.place] = image
    texts = {place: text for place, text in tables.rows("documents") if place in wanted}
    for place, image in last.items():
        key = image.operation, place
        found[key] = replace(found[key], after=texts.get(place))
    return found


def _guesses(record: OperationRecord, neighbours: dict[tuple[int, str], ImageRow]) -> Iterator[list[ImageRow]]:
    """The images of an operation with one of them changed, in each way that its neighbours allow."""
    for index, image in enumerate(record.images):
        said = neighbours[image.operation, image.place]
        for guess in (replace(image, before=said.before), replace(image, after=said.after), said):
            if guess != image:
                yield [*record.images[:index], guess, *record.images[index + 1 :]]
