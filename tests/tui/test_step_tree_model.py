"""The tree's windows: whatever was deleted, opened or read in whatever order, lines and steps find one another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.replies.tree import TreeReply
from gatepost.surfaces.tui.models.step_tree_model import WINDOW, StepTreeModel, WindowRequest
from tests.tui.givens import a_row


def answer(children: list[int], numbers: int, ask: WindowRequest, below: int) -> TreeReply:
    """What tasks_tree would say of a parent with these living children."""
    first = ask.window * WINDOW
    prefix = f"{ask.path}." if ask.path else ""
    rows = [
        a_row(at, path=f"{prefix}s:{at}", step_id=f"{prefix}{at}", children=below) for at in children if at >= first
    ][:WINDOW]
    return TreeReply(target=None, now=None, children=numbers if children else 0, rows=tuple(rows), has_more=False)


def read_all(model: StepTreeModel, tree: dict[str, tuple[list[int], int]]) -> None:
    """Scroll over everything, until nothing is unknown."""
    for _ in range(1_000):
        asks = [ask for first in range(0, max(model.size, 1), 40) for ask in model.wanted(first, first + 40)]
        if not asks:
            return
        for ask in asks:
            children, numbers = tree.get(ask.path, ([], 0))
            model.keep(ask, answer(children, numbers, ask, 0 if "." in ask.path else 1))
    raise AssertionError("it never ends")


levels = st.integers(1, 3 * WINDOW).flatmap(
    lambda numbers: st.tuples(
        st.sets(st.integers(0, numbers - 1)).map(lambda gone: sorted(set(range(numbers)) - gone)),
        st.just(numbers),
    )
)


@settings(max_examples=60, deadline=None)
@given(root=levels, below=levels, data=st.data())
def test_every_line_is_one_step_in_tree_order_and_every_step_knows_its_line(
    root: tuple[list[int], int], below: tuple[list[int], int], data: st.DataObject
) -> None:
    model = StepTreeModel()
    tree = {"": root}
    for at in root[0]:
        tree[f"s:{at}"] = below
    read_all(model, tree)
    opened = data.draw(st.sets(st.sampled_from(root[0]), max_size=4)) if root[0] else set()
    for at in opened:
        model.toggle(f"s:{at}")
    read_all(model, tree)

    expected = []
    for at in root[0]:
        expected.append(f"s:{at}")
        if at in opened:
            expected += [f"s:{at}.s:{inner}" for inner in below[0]]

    spots = [model.at(line).row for line in range(model.size)]
    assert [row and row.path for row in spots] == expected
    assert [model.index(path) for path in expected] == list(range(len(expected)))


@settings(max_examples=40, deadline=None)
@given(root=levels, later=levels)
def test_what_was_read_again_is_as_it_is_now(root: tuple[list[int], int], later: tuple[list[int], int]) -> None:
    model = StepTreeModel()
    read_all(model, {"": root})
    numbers = max(root[1], later[1])

    model.stale()
    read_all(model, {"": (later[0], numbers)})

    rows = [model.at(line).row for line in range(model.size)]
    assert [row and row.at for row in rows] == later[0]


def test_an_answer_that_was_overtaken_by_news_is_shown_but_asked_for_again() -> None:
    model = StepTreeModel()
    (ask,) = model.wanted(0, 10)
    model.stale()
    assert model.keep(ask, answer([0, 1], 2, ask, 0))
    assert model.size == 2

    assert model.wanted(0, 10) == [ask]
    assert not model.keep(ask, answer([0, 1], 2, ask, 0))
    assert model.wanted(0, 10) == []


def test_only_a_few_windows_are_asked_for_at_once_and_far_ones_are_forgotten() -> None:
    model = StepTreeModel()
    children = list(range(100_000))
    (first,) = model.wanted(0, 10)
    model.keep(first, answer(children, len(children), first, 0))

    assert len(model.wanted(0, 50_000)) <= 4
    model = StepTreeModel()
    for line in range(0, 100_000, 100):
        for ask in model.wanted(line, line + 30):
            model.keep(ask, answer(children[ask.window * WINDOW :][:WINDOW], len(children), ask, 0))
    assert len(model.root.windows) <= 151
    assert model.size == 100_000
