"""The radar: now, why, verify, next and blockers, over whatever screen one is on."""

import json
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.dialogs.dialog import refusal
from gatepost.surfaces.tui.read_errors import ReadErrors
from gatepost.surfaces.tui.screens.tree import TreeScreen
from gatepost.surfaces.tui.session import Reader, ask, glyphs_of
from gatepost.surfaces.tui.source import Refused, Source
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines

_BAR: Final = 20
_KEYS: Final = (("enter", "go there"), ("j/k", "scroll"), ("r/esc", "close"))


class RadarScreen(ModalScreen[None]):
    """One look at where the work stands, kept as it is now."""

    DEFAULT_CSS = """
    RadarScreen { background: $surface; }
    RadarScreen #radar { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,r,ctrl+r,q", "leave", "Close"),
        Binding("enter", "go", "Go there"),
    ]

    def __init__(self, source: Source, task: str | None = None) -> None:
        super().__init__()
        self._source = source
        self._named = {} if task is None else {"task": task}
        self._reply: dict[str, Any] | None = None
        self._reading = Reader(self, self._read)
        self._trouble = ReadErrors(self, self._reading.soon)

    def compose(self) -> ComposeResult:
        """One text."""
        yield TopBar("radar")
        yield TextView(id="radar")
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """Read it."""
        self.query_one(TextView).focus()
        self._reading.soon()

    @property
    def ready(self) -> bool:
        """Whether there is something to do things to, or a refusal."""
        return self._reading.answered

    def heard(self, batch: Update) -> None:
        """Anything may move it: what is in focus, what is done, what is waited for."""
        if self.is_mounted and (batch.gap or batch.events):
            self._reading.soon()

    async def _read(self) -> None:
        try:
            self._reply = await ask(self._source, "tasks_radar", **self._named)
        except Refused as no:
            self._trouble.met(no)
            self.query_one(TextView).show(refusal(no))
        else:
            self._trouble.over()
            self.query_one(TextView).show(self._verses(self._reply))

    def _verses(self, reply: dict[str, Any]) -> list[TextLine]:
        target = reply["target"]
        if target is None:
            return text_lines("Nothing is open here. Agents make a plan or a task with tasks_create.")
        return [
            *self._top(target, reply["counts"]),
            *self._now(reply["now"]),
            *_part("Why", [] if reply["why"] is None else text_lines(reply["why"]["text"], indent="  ")),
            *self._verify(reply["verify"]),
            *_next(reply["next"]),
            *self._blockers(reply["blockers"]),
        ]

    def _top(self, target: dict[str, Any], counts: dict[str, int]) -> list[TextLine]:
        glyphs = glyphs_of(self)
        far = f"{glyphs.bar(counts['done'], counts['total'], _BAR)} {counts['done']}/{counts['total']}"
        blocked = f" {glyphs.dot} {glyphs.blocked} {counts['blocked']} blocked" if counts["blocked"] else ""
        return [
            *text_lines(f"{target['id']} {target['title']}", "title"),
            TextLine(
                f"{far} {glyphs.dot} {target['status']} {glyphs.dot} revision {target['revision']}{blocked}", "dim"
            ),
        ]

    def _now(self, now: dict[str, Any] | None) -> list[TextLine]:
        if now is None:
            return _part("Now", [TextLine("  nothing can be worked on", "dim")])
        lines = text_lines(f"{glyphs_of(self).now} {now['title']}", "plain", "  ")
        where = TextLine(f"    {now['task']} {now['path']} {now['step_id']}", "dim")
        mind = [
            verse for text in now.get("blockers", ()) for verse in text_lines(f"to mind: {text}", "plain", "    ")
        ]
        return _part("Now", [*lines, where, *mind])

    def _verify(self, verify: dict[str, Any] | None) -> list[TextLine]:
        if verify is None:
            return []
        glyphs = glyphs_of(self)
        names = dict.fromkeys(("criteria", "tests", *verify["required"], *verify["unconfirmed"]))
        lines: list[TextLine] = []
        for name in names:
            lit = name not in verify["unconfirmed"]
            said = "confirmed" if lit else "not confirmed"
            lines.append(
                TextLine(f"  {glyphs.on if lit else glyphs.off} {name} {said}", "good" if lit else "plain")
            )
            lines += [
                verse for text in verify.get(name, ()) for verse in text_lines(text, "plain", f"    {glyphs.dot} ")
            ]
        return _part("Verify", lines)

    def _blockers(self, blockers: list[dict[str, Any]]) -> list[TextLine]:
        lines: list[TextLine] = []
        for one in blockers:
            if "depends_on" in one:
                said = f"{one['task']} waits for {one['depends_on']} ({one['status']}): {one['title']}"
            else:
                said = f"{one['task']} {one['path']} {one['title']}: {one.get('reason') or 'no reason was given'}"
            lines += text_lines(f"{glyphs_of(self).blocked} {said}", "bad", "  ")
        return _part("Blockers", lines)

    def action_go(self) -> None:
        """To the step that is worked on, in its tree."""
        reply = self._reply
        if reply is None or reply["target"] is None:
            return
        if reply["now"] is not None:
            self._open(reply["now"]["task"], reply["now"]["path"])
        elif reply["target"]["kind"] == "task":
            self._open(reply["target"]["id"], None)

    def _open(self, task: str, path: str | None) -> None:
        """Show a tree: the one that is there comes up again, so that they never pile up."""
        app = self.app
        tree = next((each for each in app.screen_stack if isinstance(each, TreeScreen)), None)
        if tree is None:
            self.dismiss(None)
            app.push_screen(TreeScreen(self._source, task, path))
            return
        while app.screen is not tree:
            app.screen.dismiss(None)
        tree.show(task, path)

    def action_leave(self) -> None:
        """Close it."""
        self.dismiss(None)


def _part(title: str, lines: list[TextLine]) -> list[TextLine]:
    return [TextLine(title, "title"), *lines] if lines else []


def _next(call: dict[str, Any] | None) -> list[TextLine]:
    """What to do next, and the call for it as it stands."""
    if call is None:
        return []
    arguments = {name: value for name, value in call["arguments"].items() if name != "workspace"}
    ready = f"{call['tool']} {safe(json.dumps(arguments, ensure_ascii=False))}"
    return _part("Next", [*text_lines(call["because"], "plain", "  "), TextLine(f"  {ready}", "dim", 4)])
