"""The filesystem in memory: against a plain model, with its session, and under several threads."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from gatepost.domain.refusals import InvalidInput, NotFound, Refusal, TooLarge, ToolValidationError
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import MAX_CONTENT
from gatepost.testing.filesystem_probes import refuses, state

NAMES = ("a", "b", "c")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
Model = dict[str, str | None]
"""Paths, and the texts of files."""


class Ends:
    """Something that ends, as a session does."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[], None]] = []

    def on_end(self, callback: Callable[[], None], /) -> None:
        self.callbacks.append(callback)

    def end(self) -> None:
        for callback in self.callbacks:
            callback()


def below(model: Model, path: str) -> Model:
    return {name: text for name, text in model.items() if name == path or name.startswith(f"{path}/")}


def parents(path: str) -> list[str]:
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names))]


def through_a_file(model: Model, path: str) -> bool:
    return any(model.get(parent) is not None for parent in parents(path))


def with_parents(model: Model, path: str) -> Model:
    return {**model, **{parent: None for parent in parents(path) if parent not in model}}


class MemoryMachine(RuleBasedStateMachine):
    """A filesystem, its snapshots and its clones, each beside a dictionary that is copied whole every time."""

    @initialize()
    def begin(self) -> None:
        self.fs = InMemoryFilesystem()
        self.model: Model = {}
        self.moments: list[tuple[object, Model]] = []
        self.twins: list[tuple[InMemoryFilesystem, Model]] = []

    @rule(path=PATHS, text=st.sampled_from(["", "x", "y\n"]), append=st.booleans())
    def write(self, path: str, text: str, append: bool) -> None:
        possible = not through_a_file(self.model, path) and (path not in self.model or self.model[path] is not None)
        if self.tried(possible, lambda: self.fs.write(path, text, "append" if append else "overwrite")):
            before = (self.model.get(path) or "") if append else ""
            self.model = {**with_parents(self.model, path), path: before + text}

    @rule(path=PATHS, old=st.sampled_from(["x", "y\n", "xx"]), new=st.sampled_from(["", "xy\n"]), dry=st.booleans())
    def edit(self, path: str, old: str, new: str, dry: bool) -> None:
        text = self.model.get(path) or ""
        often = sum(text.startswith(old, at) for at in range(len(text)))
        if self.tried(often == 1, lambda: self.fs.edit(path, [(old, new)], dry_run=dry)) and not dry:
            self.model = {**self.model, path: text.replace(old, new)}

    @rule(path=PATHS)
    def mkdir(self, path: str) -> None:
        possible = not through_a_file(self.model, path) and self.model.get(path) is None
        if self.tried(possible, lambda: self.fs.mkdir(path)):
            self.model = {**with_parents(self.model, path), path: None}

    @rule(path=PATHS, recursive=st.booleans())
    def delete(self, path: str, recursive: bool) -> None:
        doomed = below(self.model, path)
        possible = path in self.model and (recursive or len(doomed) == 1)
        if self.tried(possible, lambda: self.fs.delete(path, recursive)):
            self.model = {name: text for name, text in self.model.items() if name not in doomed}

    @rule(old=PATHS, new=PATHS, keep=st.booleans())
    def transfer(self, old: str, new: str, keep: bool) -> None:
        possible = (
            old in self.model
            and new not in self.model
            and not through_a_file(self.model, new)
            and not new.startswith(f"{old}/")
        )
        if self.tried(possible, lambda: (self.fs.copy if keep else self.fs.move)(old, new)):
            tree = below(self.model, old)
            rest = self.model if keep else {name: text for name, text in self.model.items() if name not in tree}
            moved = {new + name[len(old) :]: text for name, text in tree.items()}
            self.model = {**with_parents(rest, new), **moved}

    @rule()
    def snapshot(self) -> None:
        self.moments.append((self.fs.snapshot(), self.model))

    @rule(number=st.integers(min_value=0, max_value=9))
    def restore(self, number: int) -> None:
        if self.moments:
            moment, self.model = self.moments[number % len(self.moments)]
            self.fs.restore(moment)

    @rule()
    def clone(self) -> None:
        self.twins.append((self.fs.clone(), self.model))

    @rule(number=st.integers(min_value=0, max_value=9))
    def swap(self, number: int) -> None:
        """Go on with a clone, and leave this one as it is: its snapshots are no longer of use."""
        if self.twins:
            place = number % len(self.twins)
            twin = self.twins[place]
            self.twins[place] = (self.fs, self.model)
            self.fs, self.model = twin
            self.moments = []

    @invariant()
    def every_filesystem_is_as_its_model(self) -> None:
        for fs, model in [(self.fs, self.model), *self.twins]:
            found = state(fs)
            assert found == model
            assert list(found) == sorted(model, key=lambda path: path.split("/")) == list(fs.glob("**"))

    def tried(self, possible: bool, call: Callable[[], object]) -> bool:
        """Make a call, which must be refused exactly if it is not possible."""
        try:
            call()
        except Refusal:
            assert not possible
            return False
        assert possible
        return True


@pytest.mark.requirement(
    "files.failure.changes-nothing", "files.path.file-or-directory", "files.delete.recursive-only"
)
def test_every_history_leaves_what_a_plain_model_has() -> None:
    run_state_machine_as_test(
        MemoryMachine, settings=settings(max_examples=60, stateful_step_count=30, deadline=None)
    )


@pytest.mark.requirement("files.memory.per-session")
@pytest.mark.requirement("files.limit.resulting-file")
def test_a_file_in_memory_has_48_000_characters_and_no_more() -> None:
    fs = InMemoryFilesystem({"f": "ü" * (MAX_CONTENT - 1)})

    for call in (
        lambda: fs.write("f", "xy", "append"),
        lambda: fs.edit("f", [("ü" * (MAX_CONTENT - 1), "x" * 49_000)]),
    ):
        with refuses(fs, TooLarge):
            call()
    fs.write("f", "x", "append")
    for call in (lambda: fs.write("f", "y", "append"), lambda: fs.edit("f", [("x", "xy")])):
        with refuses(fs, TooLarge):
            call()

    assert fs.read("f").content == "ü" * (MAX_CONTENT - 1) + "x"


def test_a_session_s_end_empties_its_filesystem_and_no_other() -> None:
    session = Ends()
    fs, other = InMemoryFilesystem(session=session), InMemoryFilesystem()
    fs.write("a/f", "x")
    other.write("a/f", "x")
    moment, twin = fs.snapshot(), fs.clone()

    session.end()

    assert state(fs) == {}
    assert state(other) == state(twin) == {"a": None, "a/f": "x"}
    with pytest.raises(InvalidInput):
        fs.restore(moment)


@pytest.mark.requirement("files.memory.per-session")
def test_after_its_session_s_end_nothing_is_found_every_change_is_refused_and_a_clone_elsewhere_goes_on() -> None:
    session, other = Ends(), Ends()
    fs = InMemoryFilesystem(session=session)
    fs.write("a/f", "x")
    twin = fs.clone(session=other)

    session.end()

    for change in (
        lambda: fs.write("a/f", "y"),
        lambda: fs.mkdir("b"),
        lambda: fs.move("a", "b"),
        lambda: fs.copy("a", "b"),
        lambda: fs.delete("a", recursive=True),
    ):
        with pytest.raises(ToolValidationError, match="session of these files has ended") as refused:
            change()
        assert "a running session" in refused.value.recovery
    assert (fs.list(), fs.glob("**"), fs.grep("x")) == ((), (), ())
    with pytest.raises(NotFound):
        fs.read("a/f")
    twin.write("a/g", "z")
    assert state(twin) == {"a": None, "a/f": "x", "a/g": "z"}


def test_a_clone_can_be_bound_to_a_session_of_its_own() -> None:
    session = Ends()
    fs = InMemoryFilesystem()
    fs.write("f", "x")
    twin = fs.clone(session=session)

    session.end()

    assert state(twin) == {}
    assert state(fs) == {"f": "x"}


@pytest.mark.requirement("files.snapshot.own-only")
def test_a_snapshot_of_a_clone_is_none_of_the_original_s_and_the_other_way_round() -> None:
    fs = InMemoryFilesystem()
    twin = fs.clone()

    for one, other in ((fs, twin), (twin, fs)):
        with pytest.raises(InvalidInput, match="that this filesystem took"):
            one.restore(other.snapshot())


def test_times_come_from_the_clock_and_tell_when_a_file_or_a_listing_changed() -> None:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    ticks = iter(moment + timedelta(hours=hour) for hour in range(99))
    fs = InMemoryFilesystem(clock=lambda: next(ticks))

    fs.write("a/f", "x")
    made, listing = fs.stat("a/f").modified, fs.stat("a").modified
    fs.write("a/f", "y")

    assert made is not None
    assert fs.stat("a/f").modified != made
    assert fs.stat("a").modified == listing
    fs.delete("a/f")
    assert fs.stat("a").modified != listing


def test_writers_in_many_threads_lose_nothing() -> None:
    fs = InMemoryFilesystem()
    barrier = threading.Barrier(8)

    def work(number: int) -> None:
        barrier.wait()
        for turn in range(100):
            fs.write("shared", "x", "append")
            fs.write(f"own/{number}/{turn}", "x")
            if turn % 10 == 0:
                fs.snapshot()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert fs.read("shared").content == "x" * 800
    assert len(fs.glob("own/*/*")) == 800


def test_a_write_after_a_snapshot_copies_only_the_directories_on_its_way() -> None:
    fs = InMemoryFilesystem()
    fs.write("on/the/way", "x")
    fs.write("beside/it/f", "x")
    moment = fs.snapshot()

    fs.write("on/the/way", "y")

    now = fs.snapshot()
    assert now.root is not moment.root
    assert now.root.children["on"] is not moment.root.children["on"]
    assert now.root.children["beside"] is moment.root.children["beside"]
