"""Sessions that have ended: their todo lists are cleared, by themselves or by whoever comes next."""

from collections.abc import Callable

from gatepost.domain import places, terms
from gatepost.domain.todos import Todos
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.reader import Reader
from gatepost.operations.todos import clear

_MOST = 1_000
_SWEEPER = Caller("gatepost")


def sweep(engine: Engine, workspace: str) -> int:
    """Clear the lists of sessions whose process is gone. Answers how many there were."""
    return _clear(engine, workspace, _SWEEPER, processes.gone, "swept")


def end(engine: Engine, workspace: str, caller: Caller) -> int:
    """Clear the lists of the sessions that live in the caller's process: it is about to go."""
    return _clear(engine, workspace, caller, lambda process: process == caller.process, "ended")


def _clear(engine: Engine, workspace: str, caller: Caller, over: Callable[[str], bool], because: str) -> int:
    if not engine.read(workspace, caller, lambda reader: _over(reader, over)):
        return 0

    def change(draft: Draft) -> int:
        found = _over(draft, over)
        for place in found:
            clear(draft, place, because)
        return len(found)

    return engine.write("todo_clear", workspace, caller, change)


def _over(reader: Reader, over: Callable[[str], bool]) -> list[str]:
    found = map(reader.at, reader.postings(((terms.OWNED,),), *places.all_named(places.SESSION), _MOST))
    return [
        item.place
        for item in found
        if item is not None
        and isinstance(item.value, Todos)
        and item.value.process is not None
        and over(item.value.process)
    ]
