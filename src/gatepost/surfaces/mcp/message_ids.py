"""Find the id of a message that is not valid JSON, so that its sender knows which one it was."""

import json
import re
from typing import Final

HEAD: Final = 64 * 1024
"""An id further back than this is only searched at the message's end."""
_TAIL: Final = 4096

_TOKEN: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+)')
_LAST: Final = re.compile(r'[{,]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]{1,18})\s*\}\s*\Z')


def find_id(text: bytes) -> object:
    """The id in the outermost object, if it can be found."""
    found = _from_start(text[:HEAD].decode("utf-8", "replace"))
    if found is None and text.lstrip()[:1] == b"{":
        last = _LAST.search(text[-_TAIL:].decode("utf-8", "replace"))
        found = None if last is None else last[1]
    return None if found is None else _value(found)


def _from_start(text: str) -> str | None:
    depth, before, key, at = 0, "", "", 0
    while (match := _TOKEN.match(text, at)) is not None:
        word, at = match[1], match.end()
        if depth == 0 and word != "{":
            return None
        if depth == 1 and before == ":" and key == '"id"':
            return word
        depth += (word in ("{", "[")) - (word in ("}", "]"))
        key = before if word == ":" else key if before == ":" else ""
        before = word
    return None


def _value(word: str) -> object:
    try:
        return json.loads(word)
    except ValueError:
        return None
