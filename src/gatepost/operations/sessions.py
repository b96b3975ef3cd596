"""Sessions that have ended: their todo lists are cleared by their own process or by the next one."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.records import StepReleased
from gatepost.domain.todos import Todos
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE
from gatepost.operations.todos import clear, is_over

_PAGE = 500
_SWEEPER = Caller("gatepost")


def sweep(engine: Engine, workspace: str) -> int:
    """Clear the lists whose processes are all gone. Answers how many there were."""
    return _clear(engine, workspace, _SWEEPER, lambda todos: is_over(todos, processes.gone), "swept")


def end(engine: Engine, workspace: str, caller: Caller) -> int:
    """Clear the lists that live in the caller's process alone: it is about to go."""

    def over(todos: Todos) -> bool:
        return caller.process in todos.processes and not is_shared(todos, caller.process)

    return _clear(engine, workspace, caller, over, "ended")


def release(engine: Engine, workspace: str, caller: Caller) -> None:
    """Release everything that the caller holds: it has said that it is going."""

    def held(reader: Reader) -> list[str]:
        return reader.postings(((terms.held_by(caller.holder_name),),), "", LAST_PLACE, _PAGE)

    def change(draft: Draft) -> int:
        found = held(draft)
        for place in found:
            item: Found[Any] | None = draft.at(place)
            if item is not None:
                draft.put(place, replace(item.value, claim=None))
                draft.log(
                    places.root_of(place), StepReleased(because="ended"), item if places.depth(place) else None
                )
        return len(found)

    while engine.read(workspace, caller, held):
        if not engine.write("tasks_release", workspace, caller, change):
            return


def is_shared(todos: Todos, process: str | None) -> bool:
    """Whether a process other than this one wrote to the list, and lives."""
    return any(one != process and not processes.gone(one) for one in todos.processes)


def _clear(engine: Engine, workspace: str, caller: Caller, over: Callable[[Todos], bool], because: str) -> int:
    found = engine.read(workspace, caller, lambda reader: _over(reader, over))
    if not found:
        return 0

    def change(draft: Draft) -> int:
        left = _over(draft, over)
        for place in left:
            clear(draft, place, because)
        return len(left)

    return engine.write("todo_clear", workspace, caller, change)


def _over(reader: Reader, over: Callable[[Todos], bool]) -> list[str]:
    """The lists of sessions that are over, however many live beside them."""
    first, end = places.all_named(places.SESSION)
    found: list[str] = []
    while page := reader.postings(((terms.OWNED,),), first, end, _PAGE):
        found += [place for place in page if _is_over(reader, place, over)]
        first = page[-1] + "\0"
    return found


def _is_over(reader: Reader, place: str, over: Callable[[Todos], bool]) -> bool:
    item = reader.at(place)
    return item is not None and isinstance(item.value, Todos) and over(item.value)
