"""Texts that try to run script, in every field that the page shows: none runs, loads or becomes markup."""

import re

import pytest
from playwright.sync_api import expect

from gatepost.engine.caller import Caller
from tests.givens import World
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.injection_samples import INJECTIONS

GROUPS = 4
BRIEF = 64
DOC = "evil"
FOREIGN = (
    "script, img, iframe, object, embed, svg a, math, form[action], base, meta, link, style, video, audio, marquee"
)
"""Elements that the page itself has nowhere in its content."""

JUDGE = """() => {
    const wrong = [];
    if (window.__hit !== undefined) wrong.push('it ran');
    for (const root of [document.querySelector('main'), ...document.querySelectorAll('dialog')]) {
        for (const one of root.querySelectorAll(FOREIGN)) wrong.push(`element ${one.outerHTML.slice(0, 200)}`);
        for (const one of root.querySelectorAll('*')) {
            for (const { name, value } of one.attributes) {
                if (/^(on.*|srcdoc|ping)$/.test(name)) wrong.push(`attribute ${name}=${value}`);
            }
        }
        for (const one of root.querySelectorAll('[href]')) {
            const to = one.getAttribute('href');
            if (!/^(#\\/|https?:\\/\\/|mailto:)/.test(to)) wrong.push(`link to ${to}`);
        }
    }
    return wrong;
}""".replace("FOREIGN", repr(FOREIGN))


class Evil:
    """A world in which everybody writes such texts, wherever they may."""

    def __init__(self, world: World, texts: list[str]) -> None:
        self.world = world
        self.texts = texts
        self.plan = self._made("plan", title=line(texts[0]), contract="\n\n".join(texts))
        brief = [line(text) for text in texts if len(text) < BRIEF]
        given = {"description": texts[2], "context": texts[3], "domain": brief[0], "tags": brief[1:9]}
        steps = [step(text) for text in texts]
        self.task = self._made("task", title=line(texts[1]), plan=self.plan, steps=steps, **given)
        for text in texts:
            self._more(text)
        world.ok("tasks_focus_set", task=self.task)

    def _made(self, kind: str, **arguments: object) -> str:
        made: str = self.world.ok("tasks_create", kind=kind, **arguments)["id"]
        return made

    def _more(self, text: str) -> None:
        """Everything else that has words. A session's name cannot be such a text: the store refuses it."""
        world, short = self.world, line(text)
        world.caller = Caller(f"agent:{text}")
        self._made("task", title=short, description=text)
        step = {"task": self.task, "path": "s:0"}
        world.ok("tasks_note", **step, note=text)
        for confirmed in (True, False):
            world.ok("tasks_verify", **step, checkpoints={"tests": {"confirmed": confirmed, "note": text}})
        pieces = [
            {"kind": "cmd_output", "title": short, "content": text, "command": short, "exit_code": 1},
            {"kind": "diff", "title": short, "content": f"+{text}\n-{text}"},
            {"kind": "note", "title": short, "content": text},
            {"kind": "url", "title": short, "url": short},
            {"kind": "file", "title": short, "path": short},
        ]
        checks = [{"title": short, "passed": False, "detail": text}]
        world.ok("tasks_evidence_capture", **step, items=pieces, checks=checks)
        path = f"s:{self.texts.index(text)}"
        if path != step["path"]:
            world.ok("tasks_claim", task=self.task, path=path)
        world.ok("tasks_block", task=self.task, path=path, reason=text, ask=text, options=[short])

    def taskdoc(self) -> None:
        """The sections, each with all the texts, in another order each."""
        world = self.world
        world.ok("taskdoc_create", name=DOC)
        for at, selector in enumerate(("goals", "constraints", "progress")):
            turned = self.texts[at * 7 :] + self.texts[: at * 7]
            for part in (turned[: len(turned) // 2], turned):
                world.ok("change_mind", taskdoc=DOC, selector=selector, content="\n\n".join(part))
        world.ok("todo_write", session="evil", items=self.texts)


def line(text: str) -> str:
    """A text as a title can have it."""
    return " ".join(text.split())


def step(text: str) -> dict[str, object]:
    """A step that has it in every field."""
    short = line(text)
    return {"title": short, "criteria": [short], "tests": [short], "blockers": [short]}


@pytest.fixture(params=range(GROUPS), ids=[f"part {number + 1} of {GROUPS}" for number in range(GROUPS)])
def evil(request: pytest.FixtureRequest, here: Site) -> Evil:
    """Such a world; the corpus in parts."""
    caller = here.world.caller
    accepted = [text for text in INJECTIONS if "\0" not in text]  # which the store refuses
    made = Evil(here.world, accepted[request.param :: GROUPS])
    made.taskdoc()
    here.world.caller = caller
    return made


def plain(text: str) -> str:
    """A text as comparing sees it: spaces are alike."""
    return re.sub(r"\s+", "", text)


def test_no_text_runs_loads_or_becomes_markup_wherever_it_is_shown(here: Site, reader: Reader, evil: Evil) -> None:
    reader.page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    shown = ""
    for view, settled in (
        (("overview",), "Activity"),
        (("inbox",), "Needs you"),
        (("task", evil.task, "s:0"), "Evidence"),
        (("task", evil.task), "About this task"),
        (("task", evil.plan), "Contract"),
        (("task", evil.task, "handoff"), "Remaining"),
        (("taskdoc", DOC), "Constraints"),
        (("taskdoc", DOC, "combined"), "The complete text"),
        (("taskdoc", DOC, "goals", "history"), "Revision 2"),
        (("todos",), "Todos"),
        (("todos", "evil"), "Items"),
        (("todos", evil.task), "Blocked"),
    ):
        page = reader.page if shown else reader.open("overview")
        reader.go(*view)
        expect(page.locator("main")).to_contain_text(settled)
        expect(page.locator("main p.waiting")).to_have_count(0)
        _open_all(reader)
        wrong = page.evaluate(JUDGE)
        assert not wrong, f"{'/'.join(view)}: {wrong}"
        shown += plain(page.locator("main").text_content() or "")

    assert not [text for text in evil.texts if plain(text) not in shown], "what was not shown was not tested"
    reader.go("overview")
    expect(reader.page.get_by_role("region", name="Who is working on what")).to_contain_text(line(evil.texts[-1]))
    reader.page.keyboard.press("Control+k")
    reader.page.keyboard.type("window")
    found = reader.page.get_by_role("dialog").get_by_role("option")
    expect(found.nth(8)).to_be_visible()
    assert not reader.page.evaluate(JUDGE)


def _open_all(reader: Reader) -> None:
    """Open what is folded, and let what comes by the server's rendering come."""
    page = reader.page
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    expect(page.locator("main gp-markdown:not(:has(*)):not(:empty)")).to_have_count(0)
