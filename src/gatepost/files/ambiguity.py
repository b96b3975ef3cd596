"""Expressions that could take for ever: those that can read one and the same text in more and more ways.

`re` tries every way before it gives up, and nobody can stop it. A loop such as `(a+)+` doubles the ways with every
character. It is found by Glushkov's construction: each character of the pattern is a place, and places follow one
another. If two different ways lead from some place of a loop back to one place over the same characters, the loop
explodes; so it does if one place follows another twice over, or nothing at all can be read in two ways.

Loops that do not explode still multiply with one another, as `.*a.*b.*c` does: a power of the text's length, which
`effort` tells.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import takewhile
from math import comb
from operator import or_
from typing import Any, Final, NamedTuple

from gatepost.files.expressions import LEAVES, Parsed, ignores_case, items, name_of, parsed, parts

_MANY: Final = 5
"""From so many rounds on, a bounded repeat of something that varies counts as a loop."""
_COPIES: Final = 8
"""So many rounds of a bounded repeat stand for all of them."""
_MOST_PLACES: Final = 2_000
_PATIENCE: Final = 200_000
_SAMPLES: Final = [*map(chr, range(128)), *"éßÉ€世\u0660\u3000"]
"""Characters of every kind; those that a pattern names are added."""

_MOST_WAYS: Final = 10**12
"""More ways than that make no difference any more."""
_SHORT: Final = 50
"""Characters that are compared in no time."""
_ROUND: Final = 8
"""What a round of a loop over more than one character costs `re`, compared with a round over one."""

_REPEATS: Final = {"MAX_REPEAT", "MIN_REPEAT"}
_ALL_REPEATS: Final = {*_REPEATS, "POSSESSIVE_REPEAT"}
_BEGINNINGS: Final = {"AT_BEGINNING", "AT_BEGINNING_STRING"}
_NO_WAY_BACK: Final = {"ATOMIC_GROUP", "POSSESSIVE_REPEAT"}
_WIDTHLESS: Final = {"ASSERT", "ASSERT_NOT", "AT", "FAILURE"}


def explodes(pattern: str) -> bool:
    """Whether a valid pattern has a loop whose ways to read a text can double with every character."""
    tree = parsed(pattern)
    if tree is None:
        return False
    alphabet = _Alphabet(tree)
    try:
        return any(_Loop(body, alphabet).explodes() for body in _outer_loops(tree))
    except _Involved:
        return True


def _outer_loops(tree: Parsed, *, inside: bool = False) -> Iterator[Parsed]:
    """The bodies of the loops that are in no other loop; what gives nothing back is looked at for itself."""
    for code, value in tree:
        name = name_of(code)
        loop = name in _REPEATS and _is_loop(value)
        if loop and not inside:
            yield value[2]
        apart = name in _NO_WAY_BACK or name in _WIDTHLESS
        for inner in parts(name, value):
            yield from _outer_loops(inner, inside=not apart and (inside or loop))


def _is_loop(value: Any) -> bool:
    least, most, body = value
    low, high = body.getwidth()
    return bool(most >= _MANY and (low != high or most - least >= _MANY))


class Effort(NamedTuple):
    """How much `re` may have to try before it gives a text up: a bound, seldom reached."""

    ways: int = 1
    degree: int = 0
    """How many borders of loops are free to lie anywhere in the text, each behind the one before."""

    def over(self, length: int) -> int:
        """So many trials, for a text of this length."""
        return self.ways * comb(length + self.degree, self.degree)

    def times(self, other: "Effort") -> "Effort":
        """The other, once for each way of this."""
        return Effort(min(self.ways * other.ways, _MOST_WAYS), self.degree + other.degree)

    def or_else(self, other: "Effort") -> "Effort":
        """Whichever is more."""
        return Effort(max(self.ways, other.ways), max(self.degree, other.degree))


def effort(pattern: str) -> Effort:
    """What a search with a valid pattern that does not explode can cost; nothing much if it cannot be seen."""
    tree = parsed(pattern)
    if tree is None:
        return Effort()
    readings = _Readings(tree)
    cost = readings.of(tree, 0).cost
    if len(tree) > 0 and name_of(tree[0][0]) == "AT" and name_of(tree[0][1]) in _BEGINNINGS:
        return cost
    return Effort(degree=1).or_else(cost) if readings.begin_apart(tree) else Effort(degree=1).times(cost)


class _Reading(NamedTuple):
    """How a part of a pattern can be read, seen from what stands behind it."""

    first: int
    """The characters that can come where it begins."""
    ways: Effort = Effort()
    """In so many ways it can end; each is one more beginning for what stands behind it."""
    cost: Effort = Effort()
    """So much is tried, with it and with all behind it in the same part, from one beginning."""


class _Readings:
    """Counts the ways to read a text, from the end of a pattern to its beginning.

    With each part goes which characters can come behind it. A loop over other characters than those has one end.
    """

    def __init__(self, tree: Parsed) -> None:
        self._alphabet = _Alphabet(tree)
        self._groups = {value[0]: value[3] for name, value in items(tree) if name == "SUBPATTERN"}

    def of(self, tree: Parsed, behind: int) -> _Reading:
        """A sequence, where one of these characters comes behind it."""
        whole = _Reading(behind)
        for code, value in reversed(list(tree)):
            one = self._item(name_of(code), value, whole.first)
            whole = _Reading(one.first, one.ways.times(whole.ways), one.cost.or_else(one.ways.times(whole.cost)))
        return whole

    def begin_apart(self, tree: Parsed) -> bool:
        """Whether a pattern begins with a character that no loop reads: so what it reads from one beginning on does
        not hold the next one, but for what it spells out."""
        looped = 0
        for name, value in items(tree):
            if name == "GROUPREF" or (name in _ALL_REPEATS and _is_loop(value)):
                looped |= self._leaves([(name, value)] if name == "GROUPREF" else items(value[2]))
        spelt = takewhile(lambda item: name_of(item[0]) == "LITERAL", tree)
        return any(not self._alphabet.mask("LITERAL", value) & looped for _, value in spelt)

    def _item(self, name: str, value: Any, behind: int) -> _Reading:
        match name:
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(value, behind)
            case "GROUPREF":
                return self._reference(self._groups[value], behind)
            case "BRANCH" | "SUBPATTERN" | "GROUPREF_EXISTS":
                return self._choice(name, value, behind)
            case _:
                return self._apart(name, value, behind)

    def _apart(self, name: str, value: Any, behind: int) -> _Reading:
        """What is read in one way, or is tried for itself, and what it then found stands."""
        everything = self._alphabet.everything
        if name == "POSSESSIVE_REPEAT" and _is_loop(value):
            cost = self._along(value[2])
        else:
            cost = reduce(
                Effort.or_else, (self.of(inner, everything).cost for inner in parts(name, value)), Effort()
            )
        # What has no width can fail before any character, so that whatever precedes it may have to give back.
        mask = 0 if name in _WIDTHLESS else self._alphabet.mask(name, value)
        mask = mask or everything
        return _Reading(mask | behind if _can_be_empty(name, value) else mask, cost=cost)

    def _choice(self, name: str, value: Any, behind: int) -> _Reading:
        choices = [self.of(inner, behind) for inner in parts(name, value)]
        if name == "GROUPREF_EXISTS" and value[2] is None:
            choices.append(_Reading(behind))
        count = Effort(len(choices))
        return _Reading(
            reduce(or_, (choice.first for choice in choices)),
            count.times(reduce(Effort.or_else, (choice.ways for choice in choices))),
            count.times(reduce(Effort.or_else, (choice.cost for choice in choices))),
        )

    def _reference(self, group: Parsed, behind: int) -> _Reading:
        """To compare with what a group found takes as long as that is."""
        least, most = group.getwidth()
        mask = self._leaves(items(group))
        return _Reading(mask if least else mask | behind, cost=Effort(degree=int(most > _SHORT)))

    def _repeat(self, value: Any, behind: int) -> _Reading:
        least, most, body = value
        one = self.of(body, self._alphabet.everything)
        has_one_end = _is_leaf(body) and not one.first & behind
        first = one.first if least and body.getwidth()[0] else one.first | behind
        if _is_loop(value):
            # Within a loop that does not explode, one way leads from place to place.
            ways = Effort() if has_one_end else Effort(1 if _is_leaf(body) else _ROUND, degree=1)
            # At the end of a pattern, to have gone along it is to have found a match.
            return _Reading(first, ways, self._along(body) if behind or not _is_leaf(body) else Effort())
        if has_one_end:
            return _Reading(first)
        rounds = Effort(min(one.ways.ways ** min(most, 40), _MOST_WAYS), one.ways.degree * most)
        ways = rounds.times(Effort(most - least + 1))
        return _Reading(first, ways, ways.or_else(rounds.times(one.cost)))

    def _along(self, body: Parsed) -> Effort:
        """What it costs to go along a loop: each character once, but what looks ahead or may fail, every time."""
        looks = [item for item in items(body) if item[0] in ("ASSERT", "ASSERT_NOT", "ATOMIC_GROUP")]
        costs = (self._apart(name, value, 0).cost for name, value in looks)
        return Effort(1 if _is_leaf(body) else _ROUND, degree=1).times(reduce(Effort.or_else, costs, Effort()))

    def _leaves(self, among: Iterable[tuple[str, Any]]) -> int:
        masks = (self._alphabet.mask(name, value) for name, value in among if name in LEAVES)
        return reduce(or_, masks, 0)


def _is_leaf(body: Parsed) -> bool:
    return len(body) == 1 and name_of(body[0][0]) in LEAVES


class _Involved(Exception):
    """A loop with more places than anyone can judge."""


class _Shape(NamedTuple):
    """Where a part of a pattern can begin and end, and whether it can be nothing."""

    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    empty: bool = True


class _Loop:
    """The places of one loop."""

    def __init__(self, body: Parsed, alphabet: "_Alphabet") -> None:
        self._alphabet = alphabet
        self._masks: list[int] = []
        self._follow: list[dict[int, None]] = []
        self._twice = False
        self._again(self._sequence(body))

    def explodes(self) -> bool:
        """Whether the ways through it multiply; beyond all patience, that is assumed."""
        if self._twice:
            return True
        follow = [tuple(places) for places in self._follow]
        waiting = [pair for places in dict.fromkeys(follow) for pair in self._forks(places, places)]
        seen = set(waiting)
        while waiting and len(seen) < _PATIENCE:
            one, other = waiting.pop()
            if not self._follow[one].keys().isdisjoint(self._follow[other]):
                return True
            fresh = [pair for pair in self._forks(follow[one], follow[other]) if pair not in seen]
            seen.update(fresh)
            waiting += fresh
        return bool(waiting)

    def _forks(self, ones: Sequence[int], others: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Pairs of different places that one character can lead to."""
        for one in ones:
            for other in others:
                if one != other and self._masks[one] & self._masks[other]:
                    yield (one, other) if one < other else (other, one)

    def _sequence(self, tree: Parsed) -> _Shape:
        shape = _Shape()
        for code, value in tree:
            shape = self._then(shape, self._item(name_of(code), value))
        return shape

    def _item(self, name: str, value: Any) -> _Shape:
        if name in _WIDTHLESS:
            return _Shape()
        if name in _REPEATS:
            return self._repeat(value)
        if name in LEAVES or name in _NO_WAY_BACK:
            return self._place(name, value)
        choices = [self._sequence(inner) for inner in parts(name, value)]
        self._twice = self._twice or sum(choice.empty for choice in choices) > 1
        return _Shape(
            tuple(place for choice in choices for place in choice.first),
            tuple(place for choice in choices for place in choice.last),
            any(choice.empty for choice in choices) or (name == "GROUPREF_EXISTS" and value[2] is None),
        )

    def _repeat(self, value: Any) -> _Shape:
        least, most, body = value
        if _is_loop(value):
            shape = self._sequence(body)
            self._again(shape)
            self._twice = self._twice or shape.empty
            return shape._replace(empty=shape.empty or least == 0)
        needed = min(least, _COPIES)
        shape = _Shape()
        last: dict[int, None] = {}
        for done in range(1, needed + most - least + 1):
            shape = self._then(shape, self._sequence(body))
            if done >= needed:
                last.update(dict.fromkeys(shape.last))
        self._twice = self._twice or (shape.empty and most > least)
        return _Shape(shape.first, tuple(last), shape.empty or least == 0)

    def _place(self, name: str, value: Any) -> _Shape:
        if len(self._masks) >= _MOST_PLACES:
            raise _Involved
        place = len(self._masks)
        self._masks.append(self._alphabet.mask(name, value))
        self._follow.append({})
        return _Shape((place,), (place,), empty=_can_be_empty(name, value))

    def _then(self, one: _Shape, other: _Shape) -> _Shape:
        self._link(one.last, other.first)
        return _Shape(
            one.first + other.first if one.empty else one.first,
            one.last + other.last if other.empty else other.last,
            one.empty and other.empty,
        )

    def _again(self, shape: _Shape) -> None:
        self._link(shape.last, shape.first)

    def _link(self, ones: Sequence[int], others: Sequence[int]) -> None:
        for one in ones:
            self._twice = self._twice or not self._follow[one].keys().isdisjoint(others)
            self._follow[one].update(dict.fromkeys(others))


class _Alphabet:
    """Which of some sample characters an item of a pattern can match, as bits."""

    def __init__(self, tree: Parsed) -> None:
        named = (chr(code) for name, value in items(tree) for code in _codes(name, value))
        self._ignore_case = ignores_case(tree)
        self._samples = list(dict.fromkeys([*_SAMPLES, *named]))
        self.everything = (1 << len(self._samples)) - 1

    def mask(self, name: str, value: Any) -> int:
        """One bit for each sample that it can match, at any of its characters; all, where nothing is known."""
        match name:
            case "LITERAL" | "NOT_LITERAL":
                found = self._members([("LITERAL", value)])
                return found if name == "LITERAL" else self.everything & ~found
            case "IN":
                members = [(name_of(code), what) for code, what in value]
                found = self._members([member for member in members if member[0] != "NEGATE"])
                return self.everything & ~found if members[0][0] == "NEGATE" else found
            case "ATOMIC_GROUP" | "POSSESSIVE_REPEAT":
                leaves = (item for inner in parts(name, value) for item in items(inner) if item[0] in LEAVES)
                return reduce(or_, (self.mask(*leaf) for leaf in leaves), 0)
            case "AT" | "FAILURE":
                return 0
            case _:
                return self.everything

    def _members(self, members: list[tuple[str, Any]]) -> int:
        found = 0
        for bit, sample in enumerate(self._samples):
            forms = {sample, sample.lower(), sample.upper()} if self._ignore_case else {sample}
            if any(_belongs(form, name, value) for form in forms for name, value in members):
                found |= 1 << bit
        return found


def _belongs(sample: str, name: str, value: Any) -> bool:
    match name:
        case "LITERAL":
            return sample == chr(value)
        case "RANGE":
            return bool(value[0] <= ord(sample[0]) <= value[1])
        case "CATEGORY":
            return _category(name_of(value)).match(sample) is not None
        case _:
            return True


def _codes(name: str, value: Any) -> Iterator[int]:
    """The characters that an item names."""
    match name:
        case "LITERAL" | "NOT_LITERAL":
            yield value
        case "RANGE":
            yield from value
        case "IN":
            for code, what in value:
                yield from _codes(name_of(code), what)


def _can_be_empty(name: str, value: Any) -> bool:
    if name == "POSSESSIVE_REPEAT":
        return bool(value[0] == 0 or value[2].getwidth()[0] == 0)
    return name == "ATOMIC_GROUP" and bool(value.getwidth()[0] == 0)


@cache
def _category(name: str) -> re.Pattern[str]:
    letter = name.removeprefix("CATEGORY_").removeprefix("NOT_")[0].lower()
    return re.compile("\\" + (letter.upper() if "NOT_" in name else letter))
