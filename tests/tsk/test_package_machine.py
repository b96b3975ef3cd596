"""Changes, edits from outside, crashes and starts in any order, against a plain model of texts and files."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.tsk.projects import SECTIONS, project

selectors = st.sampled_from(SECTIONS)
bodies = st.sampled_from(["a", "b\n", "c\r\n", "d  "])
Step = dict[str, tuple[str, str]]


class Packages(RuleBasedStateMachine):
    """The log has the truth; a file has it too, unless it was edited, or a crash came before it was written."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.opened = project(Path(self.folder.name))
        self.here = self.opened.__enter__()
        self.log = dict.fromkeys(SECTIONS, "")
        self.edits: dict[str, str | None] = {}
        self.behind: set[str] = set()
        self.unsettled: set[str] = set()
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self.outsiders = 0

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)
        self.folder.cleanup()

    @initialize()
    def begin(self) -> None:
        self.here.new()

    @rule(selector=selectors, body=bodies | st.just(""))
    def change(self, selector: str, body: str) -> None:
        given = {"content": body} if body else {"clear": True}
        if selector in self.edits:
            self.here.no("PACKAGE_TAMPERED", "change_mind", selector=selector, **given)
            return
        changed = self.here.ok("change_mind", selector=selector, **given).get("changed", True)
        assert changed == (self.log[selector] != body)
        if changed:
            self._did({selector: (self.log[selector], body)})
            self._faced()

    @rule(first=bodies, second=bodies)
    def change_two_at_once(self, first: str, second: str) -> None:
        bodies = {"goals": first, "progress": second}
        calls = [{"tool": "change_mind", "arguments": {"selector": s, "content": b}} for s, b in bodies.items()]
        if self.edits.keys() & bodies.keys():
            self.here.no("BATCH_FAILED", "tasks_batch", operations=calls)
            return
        if self.here.ok("tasks_batch", operations=calls).get("changed", True):
            self._did({s: (self.log[s], b) for s, b in bodies.items() if self.log[s] != b})
            self._faced()

    @rule(selector=selectors, body=bodies)
    def crash_after_the_commit(self, selector: str, body: str) -> None:
        if selector not in self.edits and self.log[selector] != body:
            self.here.unfaced("change_mind", selector=selector, content=body)
            self._did({selector: (self.log[selector], body)})
            self.behind.add(selector)

    @rule()
    def start_anew(self) -> None:
        self.here.start()
        self._faced()

    @rule(selector=selectors, old=st.booleans())
    def edit(self, selector: str, old: bool) -> None:
        self.outsiders += 1
        text = f"outsider {self.outsiders}\n"
        if old and selector not in self.behind | self.unsettled:
            text = next((step[selector][0] for step in reversed(self.done) if selector in step), text)
        self.here.file(selector).write_bytes(text.encode())
        self.edits.pop(selector, None)
        if text != self.log[selector]:
            self.edits[selector] = text
            self.behind.discard(selector)

    @rule(selector=selectors)
    def lose_a_file(self, selector: str) -> None:
        self.here.file(selector).unlink(missing_ok=True)
        self.edits[selector] = None
        self.behind.discard(selector)

    @rule(selector=selectors | st.none())
    def adopt(self, selector: str | None) -> None:
        if selector is not None and selector in self.edits and self.edits[selector] is None:
            self.here.no("INVALID_INPUT", "taskdoc_adopt", selector=selector)
            return
        texts = {s: text for s, text in self.edits.items() if text is not None}
        chosen = [s for s in SECTIONS if s in texts and selector in (None, s)]
        adopted = self.here.ok("taskdoc_adopt", **({} if selector is None else {"selector": selector}))
        assert adopted["adopted"] == chosen
        if chosen:
            self._did({s: (self.log[s], texts[s]) for s in chosen})
            self._faced()

    @rule(selector=selectors)
    def restore(self, selector: str) -> None:
        restored = self.here.ok("taskdoc_restore", selector=selector)
        assert restored.get("changed", True) == (selector in self.edits)
        if restored.get("changed", True):
            self.undone.clear()
            del self.edits[selector]
            self.behind.add(selector)
            self._faced()

    @precondition(lambda self: self.done and not self.done[-1].keys() & self.edits.keys())
    @rule()
    def undo(self) -> None:
        self._reverse("tasks_undo", self.done, self.undone, 0)

    @precondition(lambda self: self.undone and not self.undone[-1].keys() & self.edits.keys())
    @rule()
    def redo(self) -> None:
        self._reverse("tasks_redo", self.undone, self.done, 1)

    @invariant()
    def readers_get_the_logs_text(self) -> None:
        if self.here.package().exists():
            assert self.here.texts() == self.log

    @invariant()
    def what_was_edited_is_told_and_nothing_else(self) -> None:
        if self.here.package().exists():
            assert self.here.edited() == set(self.edits)

    @invariant()
    def a_file_is_the_logs_text_unless_it_was_edited(self) -> None:
        for selector in SECTIONS if self.here.package().exists() else ():
            if selector not in self.behind:
                wanted = self.edits.get(selector, self.log[selector])
                file = self.here.file(selector)
                assert (file.read_bytes() if file.exists() else None) == (
                    None if wanted is None else wanted.encode()
                )

    def _reverse(self, tool: str, taken: list[Step], given: list[Step], side: int) -> None:
        self.here.ok(tool)
        step = taken.pop()
        given.append(step)
        self.log |= {selector: texts[side] for selector, texts in step.items()}
        self.unsettled |= step.keys()
        self._faced()

    def _did(self, step: Step) -> None:
        self.log |= {selector: after for selector, (_, after) in step.items()}
        self.unsettled |= step.keys()
        self.done.append(step)
        self.undone.clear()

    def _faced(self) -> None:
        self.edits = {s: text for s, text in self.edits.items() if text != self.log[s]}
        self.behind = set()
        # `meta.json` still tells what an edited file was: a text that the log had since would pass for a crash.
        self.unsettled &= self.edits.keys()


@pytest.mark.requirement("taskdoc.tamper.readers-get-log", "taskdoc.tamper.detected")
@pytest.mark.requirement("taskdoc.tamper.never-overwritten", "taskdoc.package.crash-is-no-edit")
def test_readers_get_the_logs_text_and_files_have_it_unless_they_were_edited() -> None:
    chosen = settings(max_examples=30, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(Packages, settings=chosen)
