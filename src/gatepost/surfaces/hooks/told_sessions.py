"""Which state of a store each session was told about, in the user's cache. Losing it costs one repetition."""

from __future__ import annotations

import json

from gatepost.surfaces.hooks import cache_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_FOLDER: Final = "sessions"
_MOST: Final = 20


def tell(store: str, session: str, length: int) -> bool:
    """Remember how long the logs are that a session hears about now. True if it has heard of this length before."""
    known = _read(store)
    if known.get(session) == length:
        return True
    known.pop(session, None)
    kept = dict(list(known.items())[1 - _MOST :])
    cache_files.save(_FOLDER, store, json.dumps({**kept, session: length}).encode())
    return False


def _read(store: str) -> dict[str, int]:
    try:
        found = json.loads(cache_files.read(_FOLDER, store))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
