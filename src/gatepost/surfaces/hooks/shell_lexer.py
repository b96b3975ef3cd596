"""Splits shell commands into words, as a shell would. Nothing is run or looked up.

Unknown parts (a variable from elsewhere, a command's output) become `UNKNOWN` in their word.
"""

from __future__ import annotations

import re

from gatepost.surfaces.hooks.disk_paths import Unreadable
from gatepost.surfaces.hooks.written_paths import unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

UNKNOWN: Final = "\0"
DEEPEST: Final = 12
LONGEST_VALUE: Final = 256

_BLANK: Final = frozenset(" \t\r")
_ENDS: Final = frozenset(";&|()\n")
_WILD: Final = frozenset("*?[{")
_PLAIN: Final = re.compile(r"[^\s'\"\\$`;&|()<>}]+")
_REDIRECT: Final = re.compile(r"&?(?:<<<|<<-|[<>]{1,2})[&|]?")
_PARAMETER: Final = re.compile(r"\$(?:(\w+)|\{[#!]?(\w*)(:?[-=+])?)")
# Quoted wildcards match only themselves; that they match any character here is on the safe side.
_QUOTED: Final = str.maketrans(dict.fromkeys("*?[]{},", "?"))
_CASE_PATTERN: Final = re.compile(r"\s*\(?[^()&;<>`$\n]*\)")


class Word:
    """One word, and the same as a pattern if a shell would expand its wildcards or braces."""

    __slots__ = ("pattern", "text")

    def __init__(self, text: str, pattern: str = "") -> None:
        self.text = text
        self.pattern = pattern


class SimpleCommand:
    """One simple command: its words, its redirections, its here-documents, and the scripts in its `$(…)`."""

    __slots__ = ("fed", "inner", "piped", "targets", "words")

    def __init__(self, words: list[Word] | None = None) -> None:
        self.words = words or []
        self.targets: list[Word] = []
        self.fed: list[str] = []
        self.inner: list[list[SimpleCommand]] = []
        self.piped = False
        """Whether another command reads its output."""


def commands_in(script: str, depth: int = 0) -> list[SimpleCommand]:
    """The commands of a script in order. Broken quoting is not an error here: the shell will refuse it.

    Raises `Unreadable` if the script is nested too deeply.
    """
    return _Lexer(script, 0, {}, depth).script("")


class _OpenWord:
    """The word that is being read."""

    __slots__ = ("begun", "patterns", "quoted", "texts", "wild")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.patterns: list[str] = []
        self.begun = self.quoted = self.wild = False


class _Lexer:
    def __init__(self, text: str, at: int, variables: dict[str, str], depth: int) -> None:
        if depth > DEEPEST:
            raise Unreadable("nested too deeply")
        self._text = text
        self._at = at
        self._variables = variables
        self._depth = depth
        self._commands: list[SimpleCommand] = []
        self._command = SimpleCommand()
        self._awaited: list[tuple[str, bool, SimpleCommand]] = []
        self._redirect = ""
        self._word = _OpenWord()

    def script(self, closer: str) -> list[SimpleCommand]:
        """Read up to the bracket that closes this script, or to the end."""
        opened = 0
        while self._at < len(self._text):
            sign = self._text[self._at]
            if sign == closer and not opened:
                break
            opened = max(0, opened + (sign == "(") - (sign == ")"))
            self._step(sign)
        self._end_command()
        return self._commands

    def _step(self, sign: str) -> None:
        if sign in "<>" or self._text.startswith("&>", self._at):
            self._open_redirect()
        elif sign in _ENDS:
            self._separate(sign)
        elif sign in _BLANK:
            self._end_word()
            self._at += 1
        elif sign == "#" and not self._word.begun:
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        else:
            self._word.begun = True
            self._piece(sign, live=True)

    def _piece(self, sign: str, *, live: bool) -> None:
        """A quoted text, an escape, an expansion or a plain run. `live`: outside of quotes."""
        text, following = self._text, self._text[self._at + 1 : self._at + 2]
        if sign == "\\" and (live or following in ("$", "`", '"', "\\", "\n")):
            self._add(following.strip("\n"), self._at + 2)
        elif sign in "$`":
            self._expansion(live=live)
        elif live and sign == "'":
            end = text.find("'", self._at + 1)
            end = len(text) if end < 0 else end
            self._word.quoted = True
            self._add(text[self._at + 1 : end], end + 1)
        elif live and sign == '"':
            self._at += 1
            self._word.quoted = True
            self.expand('"')
        else:
            run = _PLAIN.match(text, self._at)
            end = run.end() if run else self._at + 1
            self._add(text[self._at : end], end, live=live)

    def expand(self, closer: str) -> list[list[SimpleCommand]]:
        """Read a text whose variables and commands are expanded, up to its closing quote. Returns the commands."""
        while self._at < len(self._text) and self._text[self._at] != closer:
            self._piece(self._text[self._at], live=False)
        self._at += 1
        return self._command.inner

    def _expansion(self, *, live: bool) -> None:
        text, start = self._text, self._at
        if text[start] == "`":
            end = self._unescaped_end(start + 1, "`")
            inner = text[start + 1 : end].replace("\\`", "`")
            self._command.inner.append(_Lexer(inner, 0, self._variables, self._depth + 1).script(""))
            self._add(UNKNOWN, end + 1)
        elif text.startswith("$(", start):
            self._add(UNKNOWN, self._nested(start + 2, ")"))
        elif live and text.startswith("$'", start):
            end = self._unescaped_end(start + 2, "'")
            self._add(unescaped(text[start + 2 : end]), end + 1)
        elif found := _PARAMETER.match(text, start):
            self._parameter(found, live=live)
        else:
            self._add("$", start + 1)

    def _parameter(self, found: re.Match[str], *, live: bool) -> None:
        """`$name` with the value from the script. The default in `${name:-a.tsk}` is judged as a command."""
        plain, name, has_default = found.groups()
        end = found.end()
        if has_default:
            end = self._nested(end, "}")
        elif plain is None:
            end = self._text.find("}", end) + 1 or len(self._text)
        self._add(self._variables.get(plain or name, UNKNOWN), end, live=live)

    def _unescaped_end(self, index: int, closer: str) -> int:
        while index < len(self._text) and self._text[index] != closer:
            index += 2 if self._text[index] == "\\" else 1
        return index

    def _nested(self, start: int, closer: str) -> int:
        inner = _Lexer(self._text, start, self._variables, self._depth + 1)
        self._command.inner.append(inner.script(closer))
        return inner._at + 1

    def _add(self, text: str, goes_on: int, *, live: bool = False) -> None:
        self._word.texts.append(text)
        self._word.patterns.append(text if live else text.translate(_QUOTED))
        self._word.wild = self._word.wild or (live and not _WILD.isdisjoint(text))
        self._at = goes_on

    def _end_word(self) -> None:
        read, self._word = self._word, _OpenWord()
        if not read.begun:
            return
        word = Word("".join(read.texts), "".join(read.patterns) if read.wild else "")
        redirect, self._redirect = self._redirect, ""
        if redirect in ("<<", "<<-"):
            self._awaited.append((word.text, read.quoted, self._command))
        elif redirect == "<<<":
            self._command.fed.append(word.text)
        elif redirect:
            self._command.targets.append(word)
        else:
            self._take_word(word)

    def _take_word(self, word: Word) -> None:
        self._command.words.append(word)
        name, is_assignment, value = word.text.partition("=")
        if is_assignment and name.isidentifier() and len(value) <= LONGEST_VALUE:
            self._variables[name] = value
        if word.text == "in" and [word.text for word in self._command.words[-3:-2]] == ["case"]:
            self._end_command()
            self._skip_case_pattern()

    def _skip_case_pattern(self) -> None:
        """The pattern of a `case` names no file."""
        if found := _CASE_PATTERN.match(self._text, self._at):
            self._at = found.end()

    def _open_redirect(self) -> None:
        if "".join(self._word.texts).isdigit():
            self._word = _OpenWord()
        self._end_word()
        found = _REDIRECT.match(self._text, self._at)
        self._redirect = found[0] if found else ""
        self._at += len(self._redirect)

    def _separate(self, sign: str) -> None:
        self._end_command(piped=sign == "|" and not self._text.startswith("||", self._at))
        if self._text.startswith(";;", self._at):
            self._at += 2
            self._skip_case_pattern()
            return
        self._at += 2 if self._text.startswith(("||", "&&", "|&"), self._at) else 1
        if sign == "\n":
            self._take_documents()

    def _end_command(self, *, piped: bool = False) -> None:
        self._end_word()
        self._redirect = ""
        self._command.piped = piped
        self._commands.append(self._command)
        self._command = SimpleCommand()

    def _take_documents(self) -> None:
        """Read the here-documents that start here. An unquoted one is expanded, so its `$(…)` run."""
        for mark, quoted, command in self._awaited:
            document = re.compile(rf"(.*?)(?:^\t*{re.escape(mark)}$\n?|\Z)", re.DOTALL | re.MULTILINE)
            if found := document.match(self._text, self._at):
                self._at = found.end()
                command.fed.append(found[1])
            if not quoted:
                command.inner += _Lexer(command.fed[-1], 0, self._variables, self._depth + 1).expand("")
        self._awaited = []
