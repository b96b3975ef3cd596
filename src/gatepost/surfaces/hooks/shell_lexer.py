"""Splits shell commands into words, as a shell would. Nothing is run or looked up.

Unknown parts (a variable from elsewhere, a command's output) become `UNKNOWN` in their word.
"""

from __future__ import annotations

from gatepost.surfaces.hooks.case_patterns import Nesting
from gatepost.surfaces.hooks.escapes import unescaped
from gatepost.surfaces.hooks.written_paths import WILD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

UNKNOWN: Final = "\0"
MOST_LOOKED_UP: Final = 1_000
LONGEST_VALUE: Final = 1_000

_BLANK: Final = frozenset(" \t\r")
_ENDS: Final = frozenset(";&|()\n")
_LIVE: Final = frozenset("*?[]{},")
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

# `<<'EOF'`, but not `<<<`.
_DOCUMENT: Final = r"<<(?!<)-?[ \t]*('[^'\n]*'|\"[^\"\n]*\"|[^\s;&|<>()]+)"


class Word:
    """One word.

    `pattern` has wildcards and braces only where a shell expands them; `wild` says whether it has any.
    """

    __slots__ = ("pattern", "quoted", "text", "wild")

    def __init__(self, text: str, pattern: str, *, quoted: bool, wild: bool) -> None:
        self.text = text
        self.pattern = pattern
        self.quoted = quoted
        self.wild = wild


class SimpleCommand:
    """One simple command: its words, its redirections, and its here-documents."""

    __slots__ = ("chooses", "fed", "piped", "targets", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.targets: list[Word] = []
        self.fed: list[str] = []
        self.piped = False
        """Whether another command reads its output."""
        self.chooses = False
        """Whether its words are the patterns of a `case`, not a command."""


class Script:
    """The commands of a script in order, and the source of those inside `$(…)` and backticks."""

    __slots__ = ("commands", "inner")

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.inner: list[str] = []


def cut(text: str) -> Script:
    """The commands of a script. Broken quoting is not an error here: the shell will refuse it."""
    return _Cutter(text).run()


class _Cutter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._script = Script()
        self._command = SimpleCommand()
        self._variables: dict[str, str] = {}
        self._signs: list[str] = []
        self._shapes: list[str] = []
        self._begun = False
        self._quoted = False
        self._wild = False
        self._redirect = ""
        self._raw: list[str] = []
        self._start = 0
        self._nesting = Nesting()
        self._looked_up = 0
        self._awaited: list[tuple[str, bool, SimpleCommand]] = []

    def run(self) -> Script:
        while self._at < len(self._text):
            self._step(self._text[self._at])
        self._end_command()
        return self._script

    def _step(self, sign: str) -> None:
        if sign in "<>" or (sign == "&" and self._text.startswith("&>", self._at)):
            self._open_redirect(sign)
        elif sign in _ENDS:
            self._separate(sign)
        elif sign in _BLANK:
            self._end_word()
            self._at += 1
        elif sign == "#" and not self._begun:
            self._at = self._find("\n", self._at)
        else:
            if not self._begun:
                self._begun, self._start = True, self._at
            self._piece(sign)

    def _piece(self, sign: str) -> None:
        if sign == "'":
            end = self._find("'", self._at + 1)
            self._add_quoted(self._text[self._at + 1 : end])
            self._at = end + 1
        elif sign == '"':
            self._at += 1
            self._double()
        elif sign == "\\":
            self._escape()
        elif sign in "$`":
            self._dollar(live=True)
        else:
            self._add(sign, live=True)
            self._at += 1

    def _double(self) -> None:
        self._quoted = True
        while self._at < len(self._text):
            sign = self._text[self._at]
            if sign == '"':
                self._at += 1
                return
            if sign in "$`":
                self._dollar(live=False)
            elif sign == "\\" and self._text[self._at + 1 : self._at + 2] in ("$", "`", '"', "\\", "\n"):
                self._escape()
            else:
                self._add(sign, live=False)
                self._at += 1

    def _escape(self) -> None:
        sign = self._text[self._at + 1 : self._at + 2]
        if sign != "\n":
            self._add(sign, live=False)
        self._at += 2

    def _dollar(self, *, live: bool) -> None:
        text, start = self._text, self._at
        following = text[start + 1 : start + 2]
        if text[start] == "`":
            end = _backtick(text, start + 1)
            self._script.inner.append(text[start + 1 : end].replace("\\`", "`"))
            self._add_unknown(end + 1)
        elif following == "(":
            end = _closing(text, start + 2, "(", ")")
            self._script.inner.append(text[start + 2 : end])
            self._add_unknown(end + 1)
        elif following == "{":
            end = _closing(text, start + 2, "{", "}")
            self._parameter(text[start + 2 : end], live=live)
            self._at = end + 1
        elif following == "'" and live:
            end = self._ansi_end(start + 2)
            self._add_quoted(unescaped(text[start + 2 : end]))
            self._at = end + 1
        elif following in _NAME and following:
            end = start + 1
            while end < len(text) and text[end] in _NAME:
                end += 1
            self._value(text[start + 1 : end], live=live)
            self._at = end
        else:
            self._add("$", live=False)
            self._at += 1

    def _parameter(self, inner: str, *, live: bool) -> None:
        """`${name}`, or with a default: `${name:-a.tsk}`."""
        length = 0
        while length < len(inner) and inner[length] in _NAME:
            length += 1
        name, rest = inner[:length], inner[length:].lstrip(":")
        if rest[:1] in ("-", "=", "+") and rest[:1]:
            self._script.inner.append(rest[1:])
        self._value(name, live=live)

    def _value(self, name: str, *, live: bool) -> None:
        """A variable's value, if the script sets it. Limited, because `A=$A$A` doubles with every line."""
        value = self._variables.get(name, UNKNOWN) if self._looked_up < MOST_LOOKED_UP else UNKNOWN
        self._looked_up += 1
        for sign in value:
            self._add(sign, live=live and sign in WILD)

    def _add(self, sign: str, *, live: bool) -> None:
        self._signs.append(sign)
        self._shapes.append(sign if live or sign not in _LIVE else _dead(sign))
        self._wild = self._wild or (live and sign in "*?[{")

    def _add_quoted(self, text: str) -> None:
        self._quoted = True
        for sign in text:
            self._add(sign, live=False)

    def _add_unknown(self, goes_on: int) -> None:
        self._add(UNKNOWN, live=False)
        self._at = goes_on

    def _end_word(self) -> None:
        if not self._begun:
            return
        word = Word("".join(self._signs), "".join(self._shapes), quoted=self._quoted, wild=self._wild)
        self._signs, self._shapes, self._begun, self._quoted, self._wild = [], [], False, False, False
        redirect, self._redirect = self._redirect, ""
        if redirect in ("<<", "<<-"):
            self._awaited.append((word.text, word.quoted, self._command))
        elif redirect == "<<<":
            self._command.fed.append(word.text)
        elif redirect:
            self._command.targets.append(word)
        else:
            self._command.words.append(word)
            self._raw.append(self._text[self._start : self._at])
            self._remember(word.text)

    def _remember(self, text: str) -> None:
        name, is_assignment, value = text.partition("=")
        if is_assignment and name and _NAME.issuperset(name) and len(value) <= LONGEST_VALUE:
            self._variables[name] = value

    def _open_redirect(self, sign: str) -> None:
        if self._begun and "".join(self._signs).isdigit():
            self._signs, self._shapes, self._begun = [], [], False
        self._end_word()
        end = self._at + (sign == "&")
        while end < len(self._text) and self._text[end] in "<>" and end - self._at < 3:
            end += 1
        self._redirect = self._text[self._at : end]
        if self._redirect == "<<" and self._text[end : end + 1] == "-":
            end, self._redirect = end + 1, "<<-"
        elif self._text[end : end + 1] in ("&", "|"):
            end += 1
        self._at = end

    def _separate(self, sign: str) -> None:
        within = self._begun or self._text[self._at - 1 : self._at] == "("
        self._end_word()
        if self._nesting.begins_case(self._raw):
            self._command.chooses = True
        elif sign == ")" and self._nesting.ends_pattern():
            self._choose()
        if sign == "(":
            self._nesting.open(within_word=within)
        self._end_command(piped=sign == "|" and not self._text.startswith("||", self._at))
        self._at += 2 if self._text.startswith(("||", "&&", "|&"), self._at) else 1
        if sign == "\n":
            self._take_documents()

    def _end_command(self, *, piped: bool = False) -> None:
        self._end_word()
        self._redirect = ""
        if self._command.words or self._command.targets or self._command.fed or piped or self._awaits():
            self._command.piped = piped
            self._script.commands.append(self._command)
            self._command, self._raw = SimpleCommand(), []

    def _choose(self) -> None:
        """Everything between the head of the `case` and `)` is a pattern, including words before a `|`."""
        self._command.chooses = True
        for command in reversed(self._script.commands):
            if not command.piped or command.chooses:
                return
            command.chooses = True

    def _awaits(self) -> bool:
        return any(command is self._command for _, _, command in self._awaited)

    def _take_documents(self) -> None:
        """Read the here-documents that start here. An unquoted one is expanded, so its `$(…)` run."""
        for mark, quoted, command in self._awaited:
            start = self._at
            while self._at < len(self._text):
                end = self._find("\n", self._at)
                line, begun = self._text[self._at : end], self._at
                self._at = min(end + 1, len(self._text))
                if line.strip("\t") == mark:
                    command.fed.append(self._text[start:begun])
                    break
            else:
                command.fed.append(self._text[start:])
            if not quoted:
                self._script.inner += substitutions(command.fed[-1])
        self._awaited = []

    def _find(self, sign: str, start: int) -> int:
        found = self._text.find(sign, start)
        return len(self._text) if found < 0 else found

    def _ansi_end(self, start: int) -> int:
        index = start
        while index < len(self._text) and self._text[index] != "'":
            index += 2 if self._text[index] == "\\" else 1
        return min(index, len(self._text))


def substitutions(text: str) -> list[str]:
    """The commands that run when a text is expanded without word splitting."""
    found: list[str] = []
    index = 0
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text.startswith("$(", index):
            end = _closing(text, index + 2, "(", ")")
            found.append(text[index + 2 : end])
            index = end
        elif text[index] == "`":
            end = _backtick(text, index + 1)
            found.append(text[index + 1 : end])
            index = end
        index += 1
    return found


def _dead(sign: str) -> str:
    """A literal wildcard character, in brackets so that it matches only itself."""
    return f"[{sign}]" if sign in "*?[" else UNKNOWN if sign in "{}," else sign


def _backtick(text: str, start: int) -> int:
    index = start
    while index < len(text) and text[index] != "`":
        index += 2 if text[index] == "\\" else 1
    return min(index, len(text))


def _closing(text: str, start: int, opening: str, closing: str) -> int:
    """The end of the bracket open at the start, past quotes and here-documents; else the end of the text."""
    depth, index, quote = 1, start, ""
    marks: list[str] = []
    while index < len(text):
        sign = text[index]
        if sign == "\\" and quote != "'":
            index += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in (opening, closing):
            depth += 1 if sign == opening else -1
            if not depth:
                return index
        elif sign == "\n" and marks:
            index = _after_documents(text, index, marks) - 1
            marks = []
        elif sign == "<" and text.startswith("<<", index):
            mark, index = _mark_of_document(text, index)
            marks += mark
        index += 1
    return len(text)


def _mark_of_document(text: str, index: int) -> tuple[list[str], int]:
    """The delimiter of the here-document that `<<` opens, if any, and the position after it."""
    import re

    found = re.compile(_DOCUMENT).match(text, index)
    return ([found[1].strip("'\"\\")], found.end() - 1) if found else ([], index + 1)


def _after_documents(text: str, index: int, marks: list[str]) -> int:
    """The position before the line after the last of these here-documents."""
    for mark in marks:
        line = None
        while line != mark and index < len(text):
            end = text.find("\n", index + 1)
            end = len(text) if end < 0 else end
            line, index = text[index + 1 : end].strip("\t"), end
    return index
