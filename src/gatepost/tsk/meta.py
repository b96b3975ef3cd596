"""`meta.json`: whose package it is, and who wrote each section when. It vouches for a text by its hash.

A package that git ignores has one stamp for each section, with its revision. A tracked one is laid out so that git
can merge it line by line: no revisions, one line for each stamp, and valid JSON also with the lines of both sides.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gatepost.domain.value import Stamp
from gatepost.engine.packages import SectionFiles

FORMAT: Final = 1
_LONGEST: Final = 80
"""Characters of an actor or a time: what is longer is not one of ours."""
_STAMP: Final = ("section", "sha256", "at", "actor")


Held = Mapping[str, Mapping[str, Stamp]]
"""Stamps by section, and by the hash of the text that each vouches for."""
_NONE: Final[Held] = {}


def rendered(
    name: str, workspace: str, taskdoc: str, faces: SectionFiles, *, tracked: bool, held: Held = _NONE
) -> bytes:
    """What `meta.json` says of these sections; in a tracked package also the stamps that are to be held."""
    from gatepost.domain.taskdocs import fingerprint

    own = {"format": FORMAT, "workspace": workspace, "taskdoc": name, "id": taskdoc}
    if tracked:
        wanted = {it: {fingerprint(face.content): Stamp(face.at, face.actor)} for it, face in faces.items()}
        return _lines(own, {it: {**held.get(it, {}), **stamps} for it, stamps in wanted.items()})
    sections = {
        selector: {
            "revision": face.revision,
            "actor": face.actor,
            "at": face.at,
            "sha256": fingerprint(face.content),
        }
        for selector, face in faces.items()
    }
    import json

    return json.dumps({**own, "sections": sections}, ensure_ascii=False, indent=2).encode() + b"\n"


def _lines(own: Mapping[str, Any], held: Held) -> bytes:
    """One line for each field and stamp. The last, empty stamp lets every other line end with a comma."""
    import json

    fields = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in own.items()]
    stamps = [
        dict(zip(_STAMP, (selector, sha256, stamp.at, stamp.actor), strict=True))
        for selector, known in held.items()
        for sha256, stamp in known.items()
    ]
    rows = sorted(f"{json.dumps(stamp, ensure_ascii=False)},\n" for stamp in stamps)
    return f'{{\n{"".join(fields)}"stamps": [\n{"".join(rows)}{{}}]\n}}\n'.encode()


def read(content: bytes | None) -> dict[str, Any]:
    """What a `meta.json` says; nothing if it says nothing that can be read."""
    import json

    try:
        found = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def revision(meta: Mapping[str, Any], selector: str) -> int | None:
    """The revision that a section has by its `meta.json`, where that says it."""
    found = _part(meta, selector).get("revision")
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def stamps(meta: Mapping[str, Any], selector: str) -> dict[str, Stamp]:
    """The stamps of a section, by the hash of the text that each vouches for. Of several, the first one counts."""
    found: dict[str, Stamp] = {}
    for stamp in _stamps(meta, selector):
        sha256, at, actor = (stamp.get(field) for field in _STAMP[1:])
        if _is_short(sha256) and _is_short(at) and _is_short(actor):
            found.setdefault(str(sha256), Stamp(str(at), str(actor)))
    return found


def _stamps(meta: Mapping[str, Any], selector: str) -> Iterator[Mapping[str, Any]]:
    yield _part(meta, selector)
    listed = meta.get("stamps")
    for stamp in listed if isinstance(listed, list) else ():
        if isinstance(stamp, dict) and stamp.get("section") == selector:
            yield stamp


def _part(meta: Mapping[str, Any], selector: str) -> Mapping[str, Any]:
    sections = meta.get("sections")
    found = sections.get(selector) if isinstance(sections, dict) else None
    return found if isinstance(found, dict) else {}


def _is_short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable()
