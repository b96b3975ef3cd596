"""Regular expressions over lines: the answer of `re.search` on every line, without asking line by line."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from gatepost.domain.refusals import InvalidInput
from gatepost.files.ambiguity import effort, explodes
from gatepost.files.confinement import confined
from gatepost.files.expressions import COMPILER, PARSER, Parsed, name_of, parsed, words

MAX_PATTERN: Final = 1_000

_TRIALS_PER_SIGN: Final = 250
"""What `re` may try, at worst, for each character of a line; beyond that, a line is gone through sign by sign."""
_AT_ONCE: Final = 2**16
"""Characters of a text that `re` may search in one go: no other thread runs meanwhile."""
_TRIALS_AT_ONCE: Final = 2_000
"""The same for such a text. It is more, for to look for long lines has to be cheaper than to search."""
_MOST_TRIALS: Final = 10**8
"""What `re` may try, at worst, in one line for a pattern that it alone understands."""
_MOST_VISITS: Final = 10**7
_MOST_KEPT: Final = 20_000
_MOST_NODES: Final = 10_000
_LONGEST: Final = 2**25
"""No text has as many characters."""


class Search:
    """A regular expression that finds lines.

    A line ends with a line feed, or a carriage return and a line feed; its end is no part of it. `^` and `$` are
    the borders of a line, and nothing matches across them.
    """

    __slots__ = ("_automaton", "_bearable", "_confined", "_pattern", "_reach", "_reach_at_once", "_words")

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self._words = words(pattern)
        # `re` skips to where a match can begin only if it knows the first characters; if not, it is slow over a
        # whole text, and to look for words is faster.
        self._confined = confined(pattern) if self._words.in_front and not self._words.enough else None
        cost = effort(pattern)
        self._reach = _longest(lambda length: cost.over(length) // length, _TRIALS_PER_SIGN)
        self._reach_at_once = _longest(lambda length: cost.over(length) // length, _TRIALS_AT_ONCE)
        self._bearable = _longest(cost.over, _MOST_TRIALS)
        self._automaton = _automaton(pattern) if self._reach < _LONGEST else None

    def lines(self, text: str, path: str = "a text") -> Iterator[tuple[int, str]]:
        """The lines that the expression is found in, with their numbers from 1.

        Refuses a line too long for the expression; `path` is where that stands.
        """
        # To ask for one character is far faster than to replace two that are not there.
        plain = text.replace("\r\n", "\n") if "\r" in text else text
        if self._confined is not None and self._fits_at_once(plain):
            return _all_at_once(self._confined, plain)
        texts, any_case = self._words.texts, self._words.any_case
        if not texts or (any_case and not plain.isascii()):
            return self._among_all(plain, path)
        return self._among_those_with(texts, plain, plain.lower() if any_case else plain, path)

    def _fits_at_once(self, text: str) -> bool:
        return len(text) <= _AT_ONCE and not _has_longer(text, self._reach_at_once)

    def _among_all(self, text: str, path: str) -> Iterator[tuple[int, str]]:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        matches, reach = self._pattern.search, self._reach
        for number, line in enumerate(lines, 1):
            if matches(line) if len(line) <= reach else self._is_in_long(line, path):
                yield number, line

    def _among_those_with(
        self, texts: Sequence[str], text: str, folded: str, path: str
    ) -> Iterator[tuple[int, str]]:
        """Go from one line with a needed word to the next; lines are counted only up to those that do match.

        `folded` is the text to look for the words in.
        """
        find = partial(folded.find, texts[0]) if len(texts) == 1 else _Nearest(texts, folded)
        enough, others = self._words.enough, self._words.others
        matches, reach = self._pattern.search, self._reach
        number, counted, begin = 1, 0, 0
        while (found := find(begin)) >= 0:
            start = text.rfind("\n", begin, found) + 1 or begin
            end = text.find("\n", found)
            line = text[start:end] if end >= 0 else text[start:]
            if enough or (
                (not others or self._has_others(folded, start, end))
                and (matches(line) if len(line) <= reach else self._is_in_long(line, path))
            ):
                number += text.count("\n", counted, start)
                counted = start
                yield number, line
            begin = end + 1 if end >= 0 else len(text)

    def _has_others(self, folded: str, start: int, end: int) -> bool:
        """Whether a line holds all that a match needs besides the words that it was found by."""
        until = end if end >= 0 else len(folded)
        return all(any(folded.find(text, start, until) >= 0 for text in need) for need in self._words.others)

    def _is_in_long(self, line: str, path: str) -> bool:
        """The answer for a line over which `re` could take too long."""
        if self._automaton is not None:
            try:
                return self._automaton.finds(line)
            except _TooInvolved:
                pass
        if len(line) > self._bearable:
            raise _bad(
                f"could take for ever over a line of {len(line):,} characters in {path}: it has several repeats, "
                "such as `.*`, whose borders can lie anywhere in the line",
                "Begin `pattern` with `^`, use fewer `.*`, or let each stop at something, as `[^;]*;` does; or "
                "leave that file out with `glob`.",
            )
        return self._pattern.search(line) is not None


def compiled(pattern: str) -> Search:
    """An expression, ready to search with; refuses what is none, and what could take for ever."""
    if not isinstance(pattern, str):
        raise _bad(f"must be a text, not {type(pattern).__name__}")
    if len(pattern) > MAX_PATTERN:
        raise _bad(f"has {len(pattern):,} characters; at most {MAX_PATTERN:,} are taken")
    try:
        return _compiled(pattern)
    except re.error as wrong:
        raise _bad(f"is no regular expression: {wrong}") from None
    except OverflowError as wrong:
        raise _bad(f"counts further than can be counted: {wrong}") from None
    except RecursionError:
        raise _bad("is nested too deeply") from None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Search:
    search = Search(pattern)
    if explodes(pattern):
        raise _bad(
            "repeats something that can itself be read in several ways, as `(a+)+` does, and could take for ever; "
            "let each round of the repeat begin or end with something that stands nowhere else in it"
        )
    return search


def _longest(cost: Callable[[int], int], most: int) -> int:
    """The greatest length that costs no more than that."""
    return bisect_right(range(1, _LONGEST + 1), most, key=cost)


def _has_longer(text: str, length: int) -> bool:
    """Whether a line is longer than that; looks at few places of a text whose lines are short."""
    begin = 0
    while len(text) - begin > length:
        feed = text.rfind("\n", begin, begin + length + 1)
        if feed < 0:
            return True
        begin = feed + 1
    return False


def _all_at_once(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Go from match to match of a confined expression, after each one on with the next line."""
    number, begin = 1, 0
    while found := pattern.search(text, begin):
        start = text.rfind("\n", begin, found.start()) + 1 or begin
        end = text.find("\n", start)
        number += text.count("\n", begin, start)
        if end < 0:
            yield number, text[start:]
            return
        yield number, text[start:end]
        number, begin = number + 1, end + 1


class _Nearest:
    """Finds whichever of several texts comes next, and looks for none of them twice over the same ground."""

    def __init__(self, texts: Sequence[str], ground: str) -> None:
        self._ground = ground
        self._coming = {text: ground.find(text) for text in texts}

    def __call__(self, begin: int) -> int:
        for text, at in self._coming.items():
            if 0 <= at < begin:
                self._coming[text] = self._ground.find(text, begin)
        return min((at for at in self._coming.values() if at >= 0), default=-1)


def _automaton(pattern: str) -> "_Automaton | None":
    tree = parsed(pattern)
    try:
        return None if tree is None else _Automaton(tree)
    except _TooInvolved:
        return None


class _TooInvolved(Exception):
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


class _Automaton:
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
                    raise _TooInvolved
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
        raise _TooInvolved

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
        raise _TooInvolved

    def _glance(
        self, direction: int, inner: Parsed, flags: "_Flags", *, wanted: bool
    ) -> Callable[[_Before, str], bool]:
        if len(inner) != 1 or name_of(inner[0][0]) not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            raise _TooInvolved
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
            raise _TooInvolved
        self._nodes.append(node)
        return len(self._nodes) - 1


_Flags = tuple[tuple[int, int], ...]
"""The flags that groups set and take away, from the outermost to the innermost."""


def _bad(problem: str, recovery: str | None = None) -> InvalidInput:
    return InvalidInput([("pattern", problem)], recovery)
