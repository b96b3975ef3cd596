"""Every key of the terminal interface, once: bindings, key bars and the help screen are made from these tables."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from textual.binding import Binding, BindingType

Hint = tuple[str, str]
"""A key as people write it, and what it does."""


class Key(NamedTuple):
    """A key, or several that do the same, and its action."""

    press: str
    """Textual's names for the keys, separated by commas."""
    action: str
    """Empty where a widget on the screen binds the key itself."""
    label: str = ""
    """What the key bar says; empty where the bar does not name the key."""
    help: str = ""
    """What the help screen says; empty where another row speaks for this one."""
    shown: str = ""
    """How the key is written on the screen, where that is not the first name in `press`."""
    priority: bool = False

    @property
    def name(self) -> str:
        """The key as people write it."""
        first = self.press.partition(",")[0]
        return self.shown or _NAMES.get(first, first.title() if len(first) > 1 else first)


_NAMES: Final = {
    "escape": "Esc",
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "full_stop": ".",
}


def bindings(keys: Sequence[Key]) -> list[BindingType]:
    """The keys as Textual binds them."""
    bound = (key for key in keys if key.action)
    return [Binding(key.press, key.action, key.label, show=False, priority=key.priority) for key in bound]


def hints(keys: Sequence[Key], **labels: str) -> tuple[Hint, ...]:
    """The key bar's words. A label given for an action replaces the table's; an empty one leaves the key out."""
    named = ((key.name, labels.get(key.action, key.label)) for key in keys)
    return tuple((name, label) for name, label in named if label)


BACK: Final = Key("escape", "dismiss", "back")
RADAR: Final = Key("r", "go('radar')", "radar", "Radar: what to do now, why, and how to verify it.")
HELP: Final = Key("question_mark", "go('help')", "help", "This help.")
GLOBAL: Final = (
    Key("t", "go('tree')", "tree", "The step tree of the leading task."),
    Key("o", "go('lists')", "lists", "All todo lists."),
    Key("d", "go('docs')", "docs", "Taskdocs: goals, constraints, progress."),
    RADAR,
    Key("a", "go('log')", "log", "Activity: the event log, live."),
    Key("w", "go('inbox')", "inbox", "Inbox: questions, sign-offs and plans that wait for you."),
    HELP,
    Key("q,ctrl+c", "go('quit')", "quit", "Quit."),
    Key("ctrl+z", "suspend_process", "", "Suspend. Type fg in the shell to return."),
)
HOME: Final = (
    Key("enter", "resume", "", "Continue typing."),
    Key("i", "compose", "note", "Write a note on the current step."),
    Key("colon", "compose(':')", "command", "Type a command."),
)
COMPOSER: Final = (
    Key("enter", "submit", "send", "Send the line."),
    Key("tab", "complete(1)", "complete", "Complete the word; press again for the next match."),
    Key("shift+tab", "complete(-1)"),
    Key("up,ctrl+p", "recall(-1)", "earlier", "Earlier lines; Down brings back later ones."),
    Key("down,ctrl+n", "recall(1)"),
    Key("ctrl+c", "abandon", "", "Clear the line.", priority=True),
    Key("escape", "leave", "leave", "Stop typing. The text stays."),
)
ROWS: Final = (
    Key("j,down", "move(1)", "move", "Move down or up; the arrow keys work too.", "j k"),
    Key("k,up", "move(-1)"),
    Key("g,home", "jump(0)", "", "Go to the first or last row.", "g G"),
    Key("G,end", "jump(-1)"),
    Key("pagedown,ctrl+f,ctrl+d", "page(1)", "", "A page down or up.", "PgDn PgUp"),
    Key("pageup,ctrl+b,ctrl+u", "page(-1)"),
    Key("enter", "choose", "", "Open the row."),
)
MOVE: Final = Key("j", "", "move", shown="j k")
DETAIL: Final = Key("enter", "", "detail")
TEXT: Final = (
    Key("j", "scroll_down", "scroll", "Scroll down or up.", "j k"),
    Key("k", "scroll_up"),
    Key("g", "scroll_home", "ends", "Go to the beginning or the end.", "g G"),
    Key("G", "scroll_end"),
    Key("space", "page_down", "", "A page down."),
)
TEXT_SCREEN: Final = (Key("escape,q,enter", "dismiss", "back"),)
LISTS: Final = (
    Key("tab", "switch(1)", "list", "Next list, or a list by its number.", "Tab 1-9", priority=True),
    Key("shift+tab", "switch(-1)", priority=True),
    Key("0", "show(0)", "all", "All lists together."),
    *(Key(str(number), f"show({number})") for number in range(1, 10)),
    MOVE,
    Key("slash", "search", "search", "Search the items."),
    DETAIL,
    Key("f", "follow", "follow", "Follow the work: the cursor moves to what is in progress."),
    BACK._replace(action="back"),
)
SEARCH: Final = (Key("ctrl+c", "abandon", priority=True),)
STEP_ACTIONS: Final = (
    Key("c", "do('close')", "close", "Close the step: confirm its checkpoints one by one."),
    Key("b", "do('block')", "block", "Block the step with a reason, or unblock it."),
    Key("n", "do('note')", "note", "Add a note."),
    Key("x", "do('reopen')", "reopen", "Reopen a closed step."),
    Key("s", "do('sign')", "sign off", "Sign off what somebody else confirmed, one checkpoint at a time."),
    Key("T", "do('take')", "", "Take the step over from its holder, with a reason."),
    Key("u", "do('undo')", "undo", "Undo the task's last change. What changes is shown first."),
    Key("U", "do('redo')", "", "Redo what was undone."),
)
NOW: Final = Key("full_stop", "now", "now", "Go to the step in progress.")
STEP_TREE: Final = (
    *(key._replace(label="", help="") for key in ROWS[:6]),
    Key("right,l", "into", "", "Open a branch or enter it; close it or leave it.", "l h"),
    Key("left,h", "out"),
    Key("space", "fold", "", "Open or close a branch."),
    NOW,
)
TREE: Final = (
    Key("enter", "detail", "more", "The step in full."),
    *(key._replace(label="") if key.press in ("x", "s") else key for key in STEP_ACTIONS),
    Key("H", "history", "", "The task's history: what was done, and undo of any change."),
    Key("p", "pick", "tasks", "Choose another task."),
    BACK,
)
STEP: Final = (
    *STEP_ACTIONS,
    Key("m", "older", "older", "Look further back in the log."),
    Key("f", "unfold", "all", "Show long evidence in full."),
    BACK,
)
TASKDOC_TABS: Final = 4
TASKDOC: Final = (
    Key("1", "open(0)", "tab", "A section by its number.", f"1-{TASKDOC_TABS}"),
    *(Key(str(at + 1), f"open({at})") for at in range(1, TASKDOC_TABS)),
    Key("tab", "turn(1)"),
    Key("shift+tab", "turn(-1)"),
    Key("e", "edit", "edit", "Edit the section in your editor."),
    Key("h", "history", "history", "The section's history."),
    Key("A", "adopt", "adopt", "Adopt the text on disk."),
    Key("R", "restore", "restore", "Restore the log's text."),
    Key("X", "drop", "", "Discard your unsent text."),
    Key("left_square_bracket", "other(-1)", "other taskdoc", "Previous or next taskdoc.", "[ ]"),
    Key("right_square_bracket", "other(1)"),
    BACK,
)
SECTION_HISTORY: Final = (
    Key("j", "", "revision", shown="j k"),
    Key("v", "compare", "against now", "Compare with the current text, or with the revision before."),
    Key("R", "restore", "restore", "Restore this revision."),
    Key("m", "older", "older", "Read older revisions."),
    Key("tab", "", "scroll the text"),
    BACK,
)
RADAR_SCREEN: Final = (
    Key("enter", "open", "open", "Open the step in its tree."),
    Key("j", "", "scroll", shown="j k"),
    Key("escape,r,ctrl+r,q", "dismiss", "close", shown="r Esc"),
)
ACTIVITY: Final = (
    Key("space,p", "hold", "pause", "Pause the log, or continue."),
    Key("s", "turn", "order", "Newest last or first."),
    MOVE,
    DETAIL,
    BACK,
)
INBOX: Final = (
    Key("enter", "", "answer, sign off, approve", "Answer the question, sign off the step, or approve the plan."),
    MOVE,
    Key("o", "open", "open", "Open the step in its tree."),
    BACK,
)
TASKS: Final = (
    Key("enter", "", "open"),
    MOVE,
    BACK,
)
DIALOG: Final = (
    Key("ctrl+r", "app.go('radar')", "radar", "The radar. What you typed stays."),
    Key("escape", "dismiss", "back", "Leave. Drafts are kept."),
)
CONFIRM: Final = (Key("enter", "send", "send", "Send."), *DIALOG)
TEXT_DIALOG: Final = (
    Key("enter", "send", "send"),
    Key("ctrl+j", "new_line", "new line", "A new line of text; Alt+Enter works too."),
    *DIALOG,
)
CLOSE_STEP: Final = (
    Key("enter", "finish", "close the step", "Confirm the checkpoint; at the end, close the step."),
    Key("v", "keep", "confirm only", "At the end: confirm what you checked and leave the step open."),
    Key("ctrl+n", "skip", "not checked", "Skip the checkpoint.", priority=True),
    Key("ctrl+p", "previous", "previous", "The previous checkpoint.", priority=True),
    *DIALOG,
)
SIGN_OFF: Final = (
    Key("enter", "finish", "sign off", "Sign off the checkpoint; at the end, send it."),
    *CLOSE_STEP[2:4],
    *DIALOG,
)
TASK_HISTORY: Final = (
    Key("enter", "", "undo it", "Show what undoing this change would do."),
    MOVE,
    Key("m", "older", "older", "Read older changes."),
    BACK,
)
REVIEW: Final = (Key("r,ctrl+r", "app.go('radar')", "radar"), Key("escape", "dismiss", "back"))

SECTIONS: Final = (
    ("Everywhere", (*GLOBAL, BACK._replace(help="Go back."))),
    ("Home", HOME),
    ("Typing", COMPOSER),
    ("Rows", ROWS),
    ("Text", TEXT),
    ("Todo lists", LISTS),
    ("Step tree and step", (*TREE, *STEP_TREE, *STEP[len(STEP_ACTIONS) :])),
    ("Taskdoc", TASKDOC),
    ("Section history", SECTION_HISTORY),
    ("Radar", RADAR_SCREEN),
    ("Activity", ACTIVITY),
    ("Inbox", (INBOX[0], INBOX[2])),
    ("Dialogs", (*CONFIRM, *TEXT_DIALOG[:2])),
    ("Close step", CLOSE_STEP[:4]),
    ("Task history", TASK_HISTORY[:3]),
)
"""The tables as the help screen shows them."""
