"""Texts of other tools, made to fit the fields of calls. What has to be cut is said."""

import re
from hashlib import sha256
from typing import Final

from gatepost.interchange.items import Criterion, Item, Loss

_TITLE: Final = 300
_PROSE: Final = 32_000
_NOTE: Final = 16_000
_ITEM: Final = 2_000
_TAG: Final = 64
_LIST: Final = 50
_FORBIDDEN: Final = re.compile("[\0\ud800-\udfff]")
_NOT_IN_A_LINE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_CUT: Final = "…"
_DIGEST: Final = 8


class Fitting:
    """Makes texts fit, and keeps what it had to cut."""

    def __init__(self) -> None:
        self.losses: list[Loss] = []

    def prose(self, text: str, where: str) -> str | None:
        """A text of several lines, or None if it is blank."""
        return self._cut(_plain(text), _PROSE, where) if text.strip() else None

    def note(self, text: str, where: str) -> str:
        """A note."""
        return self._cut(_plain(text), _NOTE, where)

    def list_items(self, items: tuple[Criterion, ...] | tuple[str, ...], where: str) -> list[str]:
        """Criteria, tests or blockers."""
        texts = [item.text if isinstance(item, Criterion) else item for item in items]
        found = [self._cut(_plain(text), _ITEM, where) for text in texts if text.strip()]
        self.losses += [Loss("list items beyond the fiftieth", f"{where}: {text[:60]}") for text in found[_LIST:]]
        return found[:_LIST]

    def _cut(self, text: str, most: int, where: str) -> str:
        if len(text) <= most:
            return text
        self.losses.append(Loss("texts that were cut", f"{where}: {len(text):,} characters, {most:,} kept"))
        return text[: most - 1] + _CUT


def title(item: Item) -> str:
    """The title of a step, on one line: with its source's id before it, so that it can be found again."""
    return line(f"{item.key} {item.title}" if item.key else item.title)


def line(text: str) -> str:
    """A text on one line, as long as a title can be."""
    found = _NOT_IN_A_LINE.sub(" ", text).strip() or "Without a title"
    return found if len(found) <= _TITLE else found[: _TITLE - 1] + _CUT


def is_cut(text: str) -> bool:
    """Whether a title does not hold all of a text."""
    return len(_NOT_IN_A_LINE.sub(" ", text).strip()) > _TITLE


def tag(text: str) -> str:
    """A text as a tag. A long one ends with a digest of all of it, so that two do not become one."""
    found = _NOT_IN_A_LINE.sub(" ", text).strip()
    if len(found) <= _TAG:
        return found
    digest = sha256(found.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
    return f"{found[: _TAG - _DIGEST - 1].strip()}~{digest}"


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
