"""A session's life: its name, its family, its copies and its end."""

import re
from collections.abc import Callable

import pytest

from gatepost.domain.refusals import ToolValidationError
from gatepost.runtime import (
    Dispatcher,
    ReducerContext,
    Session,
    SessionEnded,
    SessionFinished,
    append,
    upsert_by,
)
from tests.runtime.values import Broken, Card, Count, Increment, Note, count, key_of


def test_a_session_without_a_name_gets_one_of_its_own() -> None:
    one, other = Session(), Session()

    assert re.fullmatch(r"session-[0-9a-f]{12}", one.id)
    assert one.id != other.id


@pytest.mark.parametrize("name", ["a", "A.b_c:d-9", "x" * 64])
def test_a_session_takes_a_name_that_can_be_a_scope(name: str) -> None:
    assert Session(id=name).id == name


@pytest.mark.parametrize("name", ["", "x" * 65, "with space", "slash/", "ü", "line\n", 7])
def test_a_name_that_can_be_no_scope_is_refused(name: str) -> None:
    with pytest.raises(ToolValidationError, match="cannot name a session"):
        Session(id=name)


@pytest.mark.requirement("session.tree.parents-and-children")
def test_a_session_knows_its_parent_its_root_and_its_children_until_their_end() -> None:
    root = Session()
    child, other = Session(parent=root), Session(parent=root)
    grandchild = Session(parent=child)

    assert root.parent is None
    assert grandchild.parent is child
    assert root.root is child.root is grandchild.root is root
    assert list(root.children) == [child, other]
    assert list(child.children) == [grandchild]
    child.end()

    assert list(root.children) == [other]
    assert list(child.children) == []


@pytest.mark.requirement("session.tree.parents-and-children")
def test_a_child_has_slices_and_a_dispatcher_of_its_own() -> None:
    parent = Session()
    child = Session(parent=parent)
    heard: list[object] = []
    parent.dispatcher.subscribe(object, heard.append)

    child.dispatch(Note("below"))

    assert parent[Note].all() == ()
    assert heard == []


def test_a_parent_and_a_child_may_dispatch_to_each_other() -> None:
    parent = Session()
    child = Session(parent=parent)
    parent.dispatcher.subscribe(Increment, lambda event: child.dispatch(Count(event.by)))
    child.dispatcher.subscribe(Count, lambda event: parent.dispatch(Note(str(event.number))))

    parent.dispatch(Increment(3))

    assert child[Count].all() == (Count(3),)
    assert parent[Note].all() == (Note("3"),)


def test_an_ended_session_takes_no_children() -> None:
    parent = Session()
    parent.end()

    with pytest.raises(SessionEnded):
        Session(parent=parent)

    assert parent.children == ()


def test_the_end_takes_the_children_first_newest_first_and_is_told_to_each_dispatcher() -> None:
    dispatcher = Dispatcher()
    closed: list[str] = []
    dispatcher.subscribe(SessionFinished, lambda event: closed.append(event.session_id))
    root = Session(id="root", dispatcher=dispatcher)
    one = Session(id="one", parent=root, dispatcher=dispatcher)
    Session(id="two", parent=root, dispatcher=dispatcher)
    Session(id="one.one", parent=one, dispatcher=dispatcher)

    root.end()

    assert closed == ["two", "one.one", "one", "root"]
    assert root.ended
    assert one.ended


def test_a_child_that_ends_its_elder_brother_leaves_no_one_behind() -> None:
    root = Session()
    children = [Session(parent=root) for _ in range(4)]
    children[3].on_end(children[0].end)

    root.end()

    assert [child.ended for child in children] == [True] * 4
    assert root.children == ()


@pytest.mark.requirement("workspace.time.utc")
def test_the_end_is_announced_once_with_a_time_in_utc() -> None:
    session = Session(id="s1")
    heard: list[SessionFinished] = []
    session.dispatcher.subscribe(SessionFinished, heard.append)

    session.end()
    session.end()

    (closed,) = heard
    assert closed.session_id == "s1"
    offset = closed.at.utcoffset()
    assert offset is not None
    assert not offset


def test_after_the_end_reading_gives_nothing() -> None:
    session = furnished()
    notes = session[Note]

    session.end()

    assert notes.all() == ()
    assert notes.latest() is None
    assert session[Card].where(lambda card: card.worth > 0) == ()


@pytest.mark.parametrize(
    "use",
    [
        lambda session: session.dispatch(Note("late")),
        lambda session: session.dispatch(Increment()),
        lambda session: session[Note].register(Note, append),
        lambda session: session.snapshot(),
        lambda session: session.restore(Session().snapshot()),
        lambda session: session.clone(),
        lambda session: session.on_end(print),
    ],
)
def test_after_the_end_using_a_session_is_refused_with_the_next_step(use: Callable[[Session], object]) -> None:
    session = furnished()
    session.end()

    with pytest.raises(SessionEnded, match=f"{session.id} has ended: start a new Session"):
        use(session)

    assert session[Note].all() == ()


def test_a_context_manager_ends_its_session_also_when_its_body_fails() -> None:
    session = Session()

    with pytest.raises(Broken), session:
        broken(Note("n"))

    assert session.ended


def test_callbacks_run_in_order_at_the_end_when_the_slices_are_empty() -> None:
    session = furnished()
    seen: list[object] = []
    session.on_end(lambda: seen.append(session[Note].all()))
    session.on_end(lambda: seen.append("second"))
    unsay = session.on_end(lambda: seen.append("unsaid"))
    unsay()
    unsay()

    session.end()
    session.end()

    assert seen == [(), "second"]


def test_callbacks_that_fail_keep_nothing_from_ending_and_are_raised_together() -> None:
    parent = Session()
    child = Session(parent=parent)
    closed: list[object] = []
    for session in (parent, child):
        session.on_end(breaking)
        session.dispatcher.subscribe(SessionFinished, closed.append)

    with pytest.raises(ExceptionGroup, match=f"2 failures while ending {parent.id}"):
        parent.end()

    assert len(closed) == 2
    assert parent.ended
    assert child.ended
    parent.end()


def test_the_only_callback_that_fails_is_raised_as_it_is() -> None:
    session = Session()
    session.on_end(breaking)

    with pytest.raises(Broken):
        session.end()

    assert session.ended


def test_a_callback_that_ends_the_session_again_or_its_parent_does_no_harm() -> None:
    parent = Session()
    child = Session(parent=parent)
    child.on_end(child.end)
    child.on_end(parent.end)

    child.end()

    assert parent.ended
    assert parent.children == ()


def test_a_subscriber_may_end_the_session_and_what_was_queued_goes_with_it() -> None:
    session = Session()
    session.dispatcher.subscribe(Increment, lambda _: session.dispatch(Note("queued")))
    session.dispatcher.subscribe(Increment, lambda _: session.end())

    session.dispatch(Increment())

    assert session.ended
    assert session[Note].all() == ()
    assert session[Increment].all() == ()


def test_a_reducer_that_ends_its_session_leaves_nothing_in_it() -> None:
    def ending(state: tuple[Note, ...], event: Note, *, context: ReducerContext) -> tuple[Note, ...]:
        context.session.end()
        return (*state, event)

    session = Session()
    session[Note].register(Note, ending)

    with pytest.raises(SessionEnded):
        session.dispatch(Note("n"))

    assert session[Note].all() == ()


@pytest.mark.requirement("session.clone.independent")
def test_a_clone_has_state_and_reducers_of_the_original_and_goes_its_own_way() -> None:
    session = furnished()
    twin = session.clone()

    assert twin.id != session.id
    assert twin[Note].all() == session[Note].all() == (Note("a"), Note("b"))
    for event in (Note("twin"), Card("a", 9), Increment(5)):
        twin.dispatch(event)
    for event in (Note("own"), Card("b", 9), Increment(7)):
        session.dispatch(event)

    assert twin[Note].all() == (Note("a"), Note("b"), Note("twin"))
    assert twin[Card].all() == (Card("a", 9), Card("b", 2))
    assert twin[Count].all() == (Count(7),)
    assert session[Note].all() == (Note("a"), Note("b"), Note("own"))
    assert session[Card].all() == (Card("a", 1), Card("b", 9))
    assert session[Count].all() == (Count(9),)


@pytest.mark.requirement("session.clone.independent")
def test_reducers_and_subscribers_that_come_later_belong_to_one_side_only() -> None:
    session = furnished()
    heard: list[object] = []
    session.dispatcher.subscribe(object, heard.append)
    session.on_end(lambda: heard.append("ended"))
    twin = session.clone()
    session[Count].register(Note, counted)

    twin.dispatch(Note("twin"))

    assert twin[Count].all() == (Count(2),)
    twin.end()

    assert heard == []
    assert not session.ended
    assert session[Note].all() == (Note("a"), Note("b"))
    session.dispatch(Note("own"))

    assert session[Count].latest() == Count(100)


@pytest.mark.requirement("session.clone.independent")
def test_the_original_s_end_leaves_its_clone_alive() -> None:
    session = furnished()
    twin = session.clone()

    session.end()

    assert twin[Note].all() == (Note("a"), Note("b"))


def test_a_clone_takes_the_dispatcher_and_the_parent_that_it_is_given() -> None:
    dispatcher, parent = Dispatcher(), Session()
    heard: list[object] = []
    dispatcher.subscribe(Note, heard.append)
    child = Session(parent=Session())

    twin = child.clone(dispatcher=dispatcher, parent=parent)
    twin.dispatch(Note("n"))

    assert parent.children == (twin,)
    assert heard == [Note("n")]
    assert child.clone().parent is None


def furnished() -> Session:
    """A session with something in every kind of slice."""
    session = Session()
    session[Note].register(Note, append)
    session[Card].register(Card, upsert_by(key_of))
    session[Count].register(Increment, count)
    for event in (Note("a"), Note("b"), Card("a", 1), Card("b", 2), Increment(), Increment()):
        session.dispatch(event)
    return session


def counted(state: tuple[Count, ...], event: Note, *, context: ReducerContext) -> tuple[Count, ...]:
    """A number for each note."""
    return (*state, Count(100))


def broken(event: object) -> None:
    """A subscriber that fails."""
    raise Broken(f"cannot hear {event}")


def breaking() -> None:
    """A callback that fails."""
    raise Broken("at the end")
