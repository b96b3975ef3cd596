"""The one rule for names that file tools may not use: the store's folder and taskdoc packages.

The pre-tool hook applies it to every tool call of an agent, so nothing heavy may be imported here.
"""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

HOME: Final = ".gatepost"
PACKAGE: Final = ".tsk"

# Combining marks and invisible characters: they hardly change how a name looks.
_UNSEEN: Final = ("Mn", "Me", "Cf", "Cc")


def closed(name: str) -> bool:
    """Whether nothing of this name may be opened, created or read. Look-alikes count.

    A name that folds to several segments (a full-width slash, a backslash) is closed if one of them is.
    """
    plain = folded(name)
    # Walks check every name they meet, and nearly all end here.
    if PACKAGE not in plain and HOME not in plain:
        return False
    return any(_is_ours(part.rstrip(". \t\r\n")) for part in plain.replace("\\", "/").split("/"))


def folded(name: str) -> str:
    """A name as the rule sees it: compatibility forms, marks, invisible characters and case do not matter."""
    if name.isascii() and name.isprintable():
        return name.casefold()
    apart = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in apart if unicodedata.category(sign) not in _UNSEEN).casefold()


def _is_ours(plain: str) -> bool:
    return plain == HOME or plain.endswith(PACKAGE)
