"""What file tools keep out of: the store's own folder, and taskdoc packages.

One choke point: `paths.segments` asks it of every path, walks ask it of every name.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

from gatepost.domain.refusals import ForbiddenPath

_HOME: Final = ".gatepost"
_PACKAGE: Final = ".tsk"


def closed(name: str) -> bool:
    """Whether nothing of this name may be opened, made or looked into. Look-alikes count."""
    plain = unicodedata.normalize("NFKC", name).casefold().rstrip(". ")
    return plain == _HOME or plain.endswith(_PACKAGE)


def admit(segments: Sequence[str]) -> None:
    """Refuse a path that leads to or into something closed; whether it exists makes no difference."""
    for name in segments:
        if closed(name):
            raise forbidden("/".join(segments))


def forbidden(path: str) -> ForbiddenPath:
    """The one refusal for all that is closed."""
    return ForbiddenPath(
        f"`path`: {path} is closed to file tools: `.gatepost` and `*.tsk` belong to Gatepost.",
        "Leave it alone; work on other paths.",
    )
