"""A command line that is still being written: what its words were for, and what may come next."""

from argparse import Action

from gatepost.surfaces.cli.command_list import declared


class CommandLine:
    """The words behind a command, read by the command's own parser as far as they go.

    `given` has what each option and position was given; `waiting` is the option whose value comes next; `closed`
    says that `--` was written, behind which nothing is an option.
    """

    def __init__(self, command: str, words: list[str]) -> None:
        self._actions = declared(command).actions()
        self._by_name = {name: action for action in self._actions for name in action.option_strings}
        self.given: dict[str, list[str]] = {}
        self.waiting: Action | None = None
        self.closed = False
        for word in words:
            self._read(word)

    def first(self, dest: str) -> str | None:
        """What was given for this, if anything was."""
        return next(iter(self.given.get(dest, ())), None)

    def wants(self, name: str) -> Action | None:
        """The option of this name, if it takes a value."""
        action = self._by_name.get(name)
        return action if action is not None and action.nargs != 0 else None

    def expected(self) -> Action | None:
        """The position that the next word would stand in."""
        for action in self._actions:
            taken = len(self.given.get(action.dest, ()))
            if not action.option_strings and (action.nargs == "*" or not taken):
                return action
        return None

    def options(self) -> list[tuple[str, str]]:
        """The options that may still come, by their long names, and what each does."""
        return [
            (action.option_strings[0], _plain(action.help))
            for action in self._actions
            if action.option_strings and (action.dest not in self.given or type(action).__name__ == "_AppendAction")
        ]

    def _read(self, word: str) -> None:
        if self.waiting is not None and not (self.waiting.nargs == "?" and word.startswith("-")):
            self._give(self.waiting, word)
            self.waiting = None
        elif word == "--" and not self.closed:
            self.closed = True
        elif word.startswith("-") and word != "-" and not self.closed:
            self._read_option(word)
        else:
            action = self.expected()
            if action is not None:
                self._give(action, word)

    def _read_option(self, word: str) -> None:
        self.waiting = None
        name, equals, value = word.partition("=")
        action = self._by_name.get(name)
        if action is None:
            return
        if equals or action.nargs == 0:
            self._give(action, value)
        else:
            self.waiting = action

    def _give(self, action: Action, value: str) -> None:
        self.given.setdefault(action.dest, []).append(value)


def _plain(help_text: str | None) -> str:
    return (help_text or "").replace("%%", "%")
