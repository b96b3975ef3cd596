"""What tests of reports start from: a plan with every kind of proof, and ways to read a document again."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gatepost.client.local import LocalClient
from gatepost.surfaces.report.model import Report
from gatepost.surfaces.report.reader import read_report
from tests.givens import CONFIRMED, PROVEN, WORKSPACE, World

FRAGMENTS = (
    *("</details>", "</pre>", "<script>alert(1)</script>", "<!--", "]]>", "<img src=x onerror=alert(1)>", "&lt;b>"),
    *("```", "````", "`", "~~~", "***", "__x__", "\n\n# heading", "\n---\n", "\n- item", "\n    code", "> quote"),
    *(
        "| a | b |",
        "@team",
        "fixes #12",
        "GH-7",
        "https://example.org",
        "www.example.org",
        "$x$",
        "[a](b)",
        "![a](b)",
    ),
    *(
        "\u202e",
        "\u2066",
        "\x1b[2J",
        "\x00",
        "\r",
        "\r\n",
        "\t",
        "\u2028",
        '" onload="x',
        "'",
        "\\",
        "<",
        "&",
        "1. ",
    ),
)
TEXTS = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=10)), min_size=1, max_size=6).map("".join)
VISIBLE_TEXTS = TEXTS.filter(str.strip)

_HEARD = frozenset(
    (
        "title",
        "note",
        "reason",
        "content",
        "command",
        "detail",
        "actor",
        "description",
        "question",
        "because",
        "text",
    )
)
_LISTED = frozenset(("criteria", "tests", "blockers", "run"))


def crew(world: World) -> str:
    """A plan with proofs of every kind, a forced step, a blocked one, a question, notes, and stale proofs."""
    plan = world.plan(description="Why.", contract="None.")
    check = {"run": "true -q", "for": "tests"}
    steps: list[dict[str, Any]] = [
        {"title": "machine", "criteria": ["It holds"], "checks": [check], "required": ["docs"]},
        {"title": "evidenced", "tests": ["It runs"], "steps": [{"title": "noted"}, {"title": "asserted"}]},
        {"title": "forced"},
        {"title": "blocked"},
        {"title": "open"},
    ]
    task = world.task(title="First", plan=plan, description="What.", steps=steps)
    item = {"kind": "cmd_output", "command": "make", "content": "captured output", "exit_code": 0}
    world.ok("tasks_evidence_capture", task=task, path="s:1", items=[item], checkpoints=["tests"])
    world.ok("tasks_evidence_capture", task=task, items=[{"kind": "url", "url": "https://example.org/1"}])
    world.ok("tasks_close_step", task=task, path="s:1.s:0", checkpoints=PROVEN)
    world.ok("tasks_close_step", task=task, path="s:1.s:1", checkpoints=CONFIRMED)
    world.ok("tasks_close_step", task=task, path="s:1", checkpoints=PROVEN)
    person = world.caller._replace(actor="human:ana")
    agent, world.caller = world.caller, person
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"docs": {"confirmed": True, "note": "Read it."}})
    world.caller = agent
    world.ok(
        "tasks_close_step", task=task, path="s:0", run_checks=True, checkpoints={"criteria": {"confirmed": True}}
    )
    world.ok("tasks_progress", task=task, path="s:2", completed=True, force=True, reason="No time")
    world.ok("tasks_block", task=task, path="s:3", reason="Which one?")
    world.ok("tasks_note", task=task, path="s:4", note="Mind the gap.")
    world.task("other", title="Second", plan=plan, depends_on=[task])
    world.checks.digest = "two"
    return plan


def report_of(world: World, target: str) -> Report:
    """The report of a plan or task."""
    found = read_report(LocalClient(world.engine, world.caller), WORKSPACE, target)
    assert found is not None
    return found


def with_texts(data: Any, text: str, key: str = "") -> Any:
    """Plain data of a report in which everything that somebody wrote is another text."""
    if isinstance(data, dict):
        return {name: with_texts(value, text, name) for name, value in data.items()}
    if isinstance(data, list):
        return [text if key in _LISTED and isinstance(it, str) else with_texts(it, text) for it in data]
    if isinstance(data, str) and (key in _HEARD or key == "blocked"):
        return text
    return data


class Page(HTMLParser):
    """An HTML document as a browser would read it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.strange: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.left_open = self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.strange.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.strange.append(data)

    def handle_pi(self, data: str) -> None:
        self.strange.append(data)

    def unknown_decl(self, data: str) -> None:
        self.strange.append(data)


def blocks(markdown: str) -> Iterator[str]:
    """What a Markdown text consists of, apart from its words."""
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        yield f"{token.type} {token.level}"
        if token.type == "html_block":
            yield from (f"<{tag}>" for tag in Page(token.content).tags)
        for child in token.children or ():
            if child.type not in ("text", "text_special"):
                yield f"  {child.type}"
