"""Judges shell commands by their words. This catches direct access; a shell cannot be controlled completely.

A word that names a package, or leads into one through a link, is an objection. Words that are known to be text are
not: the arguments of `echo`, a commit message, the pattern of a `grep`, a here-document that no program runs.

It needs to be right only for what people and agents commonly type (decision 0047): the post-tool hook restores
whatever a command did to a package.
"""

from __future__ import annotations

from gatepost.surfaces.hooks.disk_paths import DiskPaths, Unreadable
from gatepost.surfaces.hooks.patches import named_files
from gatepost.surfaces.hooks.person_acts import check_assignment, check_own
from gatepost.surfaces.hooks.program_text import code_names_closed, sed_names_closed, without_patterns
from gatepost.surfaces.hooks.shell_lexer import UNKNOWN, SimpleCommand, Word, commands_in
from gatepost.surfaces.hooks.word_roles import (
    CODE,
    DECLARE,
    INSIDE,
    MOVERS,
    NAME,
    OWN,
    PATCHERS,
    PATTERNED,
    PROGRAMS,
    RUNNERS,
    SED,
    SHELLS,
    SPEAKERS,
    SPEC,
    TEXT,
    name_of,
    program_of,
    roles,
)
from gatepost.surfaces.hooks.written_paths import names_closed, pattern_names_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


MOST_LOOKED_UP: Final = 300
SEGMENTS_OF_ONE: Final = 16
MOST_DIRECTORIES: Final = 4
_JOINTS: Final = str.maketrans(":,=", "\0\0\0")
_JOINTS_OF_PATTERNS: Final = str.maketrans(":=", "//")  # a comma separates alternatives in braces


def command_leads_inside(text: str, paths: DiskPaths) -> bool:
    """Whether a shell command names something closed.

    Raises `Unreadable` if it is nested too deeply, and `PersonOnly` if only a person may run it.
    """
    return _CommandJudge(paths).source(text, 0)


def words_lead_inside(words: list[str], paths: DiskPaths) -> bool:
    """The same for a list of words that runs without a shell."""
    return _CommandJudge(paths).script([SimpleCommand([Word(text) for text in words])], 0, captured=False)


class _CommandJudge:
    """Judges one command line; `cd` changes the directory for what follows.

    A `cd` may fail or happen in a subshell, so paths are judged from where it was before, too.
    """

    def __init__(self, paths: DiskPaths) -> None:
        self._paths = paths
        self._all_paths = [paths]
        self._looked_up = 0

    def source(self, text: str, depth: int) -> bool:
        """Whether a script names something closed."""
        return self.script(commands_in(text, depth), depth, captured=False)

    def script(self, commands: list[SimpleCommand], depth: int, *, captured: bool) -> bool:
        """`captured`: the output of the commands becomes part of another command."""
        pipeline: list[SimpleCommand] = []
        for command in commands:
            pipeline.append(command)
            if not command.piped:
                if self._pipeline(pipeline, depth, captured=captured):
                    return True
                pipeline = []
        return self._pipeline(pipeline, depth, captured=captured)

    def _pipeline(self, commands: list[SimpleCommand], depth: int, *, captured: bool) -> bool:
        """If one command runs its input, no word in the pipeline counts as text."""
        listening = [command for command in commands if program_of(command.words)[0] not in SPEAKERS]
        runs = next((name for command in listening for name in map(name_of, command.words) if name in RUNNERS), "")
        return any(self._command(command, depth, runs=runs, captured=captured) for command in commands)

    def _command(self, command: SimpleCommand, depth: int, *, runs: str, captured: bool) -> bool:
        if any(self.script(inner, depth + 1, captured=True) for inner in command.inner):
            return True
        if any(self._leads_inside(target) for target in command.targets):
            return True
        program, rest = program_of(command.words)
        begin = len(command.words) - len(rest)
        for word in command.words if program in DECLARE else command.words[:begin]:
            check_assignment(word)
        check_own(program, rest)
        if any(self._fed(text, program, runs, depth) for text in command.fed):
            return True
        if program in OWN or not command.words:
            return False
        if program in SPEAKERS and not captured:
            return any(self._spoken(word, runs, depth) for word in command.words)
        if program in MOVERS:
            return self._moved(rest)
        if self._is_inside("."):
            return True
        used = captured or bool(runs)
        return any(self._word(word, role, depth, used=used) for word, role in roles(program, command.words, begin))

    def _word(self, word: Word, role: str, depth: int, *, used: bool) -> bool:
        """`used`: the output becomes part of another command, which may open a printed name."""
        if role in (TEXT, INSIDE):
            return role == INSIDE
        check_assignment(word)
        if role in (NAME, SPEC) and not used:
            return role == NAME and self._asks_inside(word)
        if role in SHELLS:
            return self.source(word.text, depth + 1)
        if role in PATCHERS:
            return self._patch(word.text)
        if role in (CODE, PATTERNED):
            code = word.text if role == CODE else without_patterns(word.text)
            return code_names_closed(code, self._paths)
        if role == SED:
            return sed_names_closed(word.text)
        return self._leads_inside(word)

    def _fed(self, text: str, program: str, runs: str, depth: int) -> bool:
        """A here-document or here-string: text, unless a program runs it."""
        if program in PATCHERS:
            return self._patch(text)
        return self._run(text, runs, depth)

    def _spoken(self, word: Word, runs: str, depth: int) -> bool:
        """Printed words are text, but a wildcard looks inside a package, and a program may run the output."""
        folders = word.pattern.rpartition("/")[0]
        return (
            (bool(folders) and self._paths.expands_inside(folders, last=True))
            or (bool(runs) and self._leads_inside(word))
            or self._run(word.text, runs, depth)
        )

    def _run(self, text: str, runs: str, depth: int) -> bool:
        if runs in SHELLS:
            return self.source(text, depth + 1)
        if runs in PROGRAMS:
            return code_names_closed(text, self._paths)
        return bool(runs) and any(names_closed(word) for word in text.split())

    def _patch(self, text: str) -> bool:
        return any(self._is_inside(name) for name in named_files(text))

    def _moved(self, words: list[Word]) -> bool:
        """`cd` into a package is refused. Otherwise, later words are judged from the new directory."""
        for word in words:
            if self._leads_inside(word):
                return True
            path = _from_here(word.text)
            if not path.startswith("-") and UNKNOWN not in path:
                self._go_to(self._paths.moved(path))
        return False

    def _go_to(self, paths: DiskPaths) -> None:
        outside = [known for known in self._all_paths[:MOST_DIRECTORIES] if not known.leads_inside(".")]
        self._paths, self._all_paths = paths, [paths, *outside]

    def _leads_inside(self, word: Word) -> bool:
        """A word as a path: as a whole, and in the parts of `--file=x`, `HEAD:x` and `a,b`."""
        text = word.text
        if self._paths.knows_as_remote(text):
            return False
        if any(self._paths.names_inside(piece) for piece in text.translate(_JOINTS).split("\0")):
            return True
        if "\n" in text:
            return False
        if word.pattern:
            return self._expands_inside(word)
        whole = "" if "=" in text and names_closed(text) else _from_here(text)
        return self._is_inside(whole) or self._is_inside(text.partition("=")[2])

    def _asks_inside(self, word: Word) -> bool:
        """Whether a word names something inside a package, not only the package."""
        if word.pattern:
            pattern = _from_here(word.pattern.rstrip("/"))
            return UNKNOWN not in pattern and self._paths.expands_inside(pattern, last=False)
        folder = word.text.rstrip("/").rpartition("/")[0]
        return self._paths.names_inside(folder) or self._is_inside(folder)

    def _expands_inside(self, word: Word) -> bool:
        pattern = _from_here(word.pattern.partition("=")[2] if word.pattern.startswith("-") else word.pattern)
        plain = pattern.translate(_JOINTS_OF_PATTERNS)
        if "[:" not in pattern and pattern_names_closed(plain) and not self._paths.is_elsewhere(plain):
            return True
        return UNKNOWN not in pattern and self._paths.expands_inside(pattern, last=True)

    def _is_inside(self, path: str) -> bool:
        """Checks on disk. Words that do not exist there are not paths, and the number of lookups is limited."""
        self._looked_up += 1 + path.count("/") // SEGMENTS_OF_ONE
        if not path or UNKNOWN in path or self._looked_up > MOST_LOOKED_UP:
            return names_closed(path)
        try:
            return any(paths.leads_inside(path) for paths in self._all_paths)
        except Unreadable:
            return False


def _from_here(path: str) -> str:
    """`$PWD/x` and other words that start with an unknown value, taken as relative to the working directory."""
    return f".{path[1:]}" if path.startswith(f"{UNKNOWN}/") else path
