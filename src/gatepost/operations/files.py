"""Files for agents that have no file tools of their own: the verbs of `files/verbs.py`, offered where asked for."""

from typing import Any

import msgspec

from gatepost.files.verbs import VERBS, Verb
from gatepost.operations.registry import Command, Operation


def _offered(verb: Verb) -> Operation:
    """A verb as an operation: the same parameters, and the workspace that every call names."""
    fields = [(field.name, field.type, field.default) for field in msgspec.structs.fields(verb.params)]
    command: Any = msgspec.defstruct(
        verb.params.__name__, _defaulted(fields), bases=(Command,), module=__name__, frozen=True, kw_only=True
    )

    return Operation(
        name=verb.name,
        about=verb.about,
        command=command,
        reply=verb.reply,
        handler=verb.run,
        writes=verb.writes,
        destructive=verb.destructive,
        toolsets=("files",) if verb.writes else ("files", "files-read"),
        clearable=frozenset(),
        files=True,
    )


def _defaulted(fields: list[tuple[str, Any, Any]]) -> list[Any]:
    return [
        (name, kind) if default is msgspec.NODEFAULT else (name, kind, default) for name, kind, default in fields
    ]


(
    file_read,
    file_write,
    file_edit,
    file_list,
    file_glob,
    file_grep,
    file_stat,
    file_mkdir,
    file_move,
    file_copy,
    file_delete,
) = map(_offered, VERBS)
