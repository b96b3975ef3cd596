"""Going through a line once, sign by sign: slower than `re`, but nothing makes it run away."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from gatepost.files.expressions import COMPILER, PARSER, Parsed, name_of, parsed

_MOST_VISITS: Final = 10**7
_MOST_KEPT: Final = 20_000
_MOST_NODES: Final = 10_000


def automaton(pattern: str) -> "Automaton | None":
    """The automaton of a valid pattern; none if the pattern is not for it."""
    tree = parsed(pattern)
    try:
        return None if tree is None else Automaton(tree)
    except TooInvolved:
        return None


class TooInvolved(Exception):
    """More than can be gone through sign by sign: by what it asks, or by how much."""


class _Node(NamedTuple):
    """A place in a pattern: a sign is read there, or something asked about the signs on both sides, or neither."""

    ways: tuple[int, ...]
    reads: "_Sign | None" = None
    asks: "Callable[[_Before, str], bool] | None" = None


_Sign = Callable[[str], bool]
_Before = tuple[bool, ...]
"""What is true of the sign before a place: first, that there is none; then each of what a pattern asks."""


class _State(dict[str, "_State"]):
    """Where one may be in a pattern after some signs, and where each next sign has been seen to lead from there."""

    __slots__ = ("before", "places")

    def __init__(self, places: frozenset[int], before: _Before) -> None:
        super().__init__()
        self.places = places
        self.before = before


class Automaton:
    """Goes through a line once, sign by sign, in all ways at once: slower than `re`, but it cannot run away.

    Finds what `re` finds. Looking back at groups, looking around further than a sign, and what gives nothing back
    are not for it.
    """

    def __init__(self, tree: Parsed) -> None:
        self._tree = tree
        self._nodes: list[_Node] = [_Node(())]
        self._signs: dict[str, _Sign] = {}
        self._asked: list[_Sign] = []
        self._start = self._sequence(tree, (), 0)
        self._found = _State(frozenset({0}), ())
        self._forget()

    def finds(self, line: str) -> bool:
        """Whether the expression is found in a line."""
        left = _MOST_VISITS
        state = self._first
        for sign in line:
            following = state.get(sign)
            if following is None:
                following, visits = self._step(state, sign)
                left -= visits
                if left < 0:
                    raise TooInvolved
            if following is self._found:
                return True
            state = following
        return self._step(state, "")[0] is self._found

    def _forget(self) -> None:
        self._kept = 0
        self._states: dict[tuple[frozenset[int], _Before], _State] = {}
        self._first = _State(frozenset(), (True, *(False for _ in self._asked)))

    def _step(self, state: _State, sign: str) -> tuple[_State, int]:
        """Where a sign leads to, none being the end of the line; and how many places that had to be looked at."""
        # A match may begin anywhere.
        waiting = [*state.places, self._start]
        seen = set(waiting)
        places: set[int] = set()
        while waiting:
            node = self._nodes[waiting.pop()]
            if node.reads is not None:
                if node.reads(sign):
                    places.update(node.ways)
            elif node.asks is None or node.asks(state.before, sign):
                fresh = [way for way in node.ways if way not in seen]
                seen.update(fresh)
                waiting += fresh
            if 0 in seen:
                break
        following = self._found if 0 in seen else self._state(frozenset(places), sign)
        if sign:
            state[sign] = following
        return following, len(seen)

    def _state(self, places: frozenset[int], sign: str) -> _State:
        self._kept += 1
        if self._kept > _MOST_KEPT:
            self._forget()
        before = (False, *(asked(sign) for asked in self._asked))
        return self._states.setdefault((places, before), _State(places, before))

    def _sequence(self, tree: Parsed, flags: "_Flags", then: int) -> int:
        """The place where a sequence begins that leads to `then`."""
        for code, value in reversed(list(tree)):
            then = self._item(code, value, flags, then)
        return then

    def _item(self, code: object, value: Any, flags: "_Flags", then: int) -> int:
        match name_of(code):
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self._add(_Node((then,), reads=self._sign(code, value, flags)))
            case "AT":
                return self._add(_Node((then,), asks=self._border(name_of(value), flags)))
            case "SUBPATTERN":
                _, added, removed, inner = value
                return self._sequence(inner, (*flags, (added, removed)) if added or removed else flags, then)
            case "BRANCH":
                return self._add(_Node(tuple(self._sequence(inner, flags, then) for inner in value[1])))
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(value, flags, then)
            case "ASSERT" | "ASSERT_NOT" as name:
                direction, inner = value
                return self._add(
                    _Node((then,), asks=self._glance(direction, inner, flags, wanted=name == "ASSERT"))
                )
            case "FAILURE":
                return self._add(_Node(()))
        raise TooInvolved

    def _repeat(self, value: Any, flags: "_Flags", then: int) -> int:
        least, most, inner = value
        behind = then
        if most is PARSER.MAXREPEAT:
            then = self._add(_Node(()))
            self._nodes[then] = _Node((self._sequence(inner, flags, then), behind))
        else:
            for _ in range(most - least):
                then = self._add(_Node((self._sequence(inner, flags, then), behind)))
        for _ in range(least):
            then = self._sequence(inner, flags, then)
        return then

    def _border(self, name: str, flags: "_Flags") -> Callable[[_Before, str], bool]:
        match name:
            case "AT_BEGINNING" | "AT_BEGINNING_STRING":
                return lambda before, _: before[0]
            case "AT_END" | "AT_END_STRING":
                return lambda _, sign: not sign
            case "AT_BOUNDARY" | "AT_NON_BOUNDARY":
                word = self._sign(PARSER.IN, [(PARSER.CATEGORY, PARSER.CATEGORY_WORD)], flags)
                place, change = self._place_of(word), name == "AT_BOUNDARY"
                return lambda before, sign: (before[place] != word(sign)) is change
        raise TooInvolved

    def _glance(
        self, direction: int, inner: Parsed, flags: "_Flags", *, wanted: bool
    ) -> Callable[[_Before, str], bool]:
        if len(inner) != 1 or name_of(inner[0][0]) not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            raise TooInvolved
        code, value = inner[0]
        next_to = self._sign(code, value, flags)
        if direction > 0:
            return lambda _, sign: next_to(sign) is wanted
        place = self._place_of(next_to)
        return lambda before, _: before[place] is wanted

    def _place_of(self, sign: _Sign) -> int:
        """Where, among what is known of the sign before, the answer to this stands."""
        if sign not in self._asked:
            self._asked.append(sign)
        return self._asked.index(sign) + 1

    def _sign(self, code: object, value: Any, flags: "_Flags") -> _Sign:
        """Whether one sign is what an item of a pattern reads: asked of `re`, for there it is defined."""
        key = repr((code, value, flags))
        if key not in self._signs:
            item = PARSER.SubPattern(self._tree.state, [(code, value)])
            for added, removed in reversed(flags):
                item = PARSER.SubPattern(self._tree.state, [(PARSER.SUBPATTERN, (None, added, removed, item))])
            matches = COMPILER.compile(item).fullmatch
            self._signs[key] = lru_cache(maxsize=4_096)(lambda sign: matches(sign) is not None)
        return self._signs[key]

    def _add(self, node: _Node) -> int:
        if len(self._nodes) >= _MOST_NODES:
            raise TooInvolved
        self._nodes.append(node)
        return len(self._nodes) - 1


_Flags = tuple[tuple[int, int], ...]
"""The flags that groups set and take away, from the outermost to the innermost."""
