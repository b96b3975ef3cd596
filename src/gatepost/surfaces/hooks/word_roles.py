"""Decides which words of a command are paths, text, patterns or programs. When in doubt, a word is a path."""

from __future__ import annotations

from gatepost.domain.protected_names import HOME, PACKAGE, folded
from gatepost.surfaces.hooks.command_options import SEEKERS, texts_among

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from gatepost.surfaces.hooks.shell_lexer import Word

PATH: Final = "path"
NAME: Final = "name"
"""Named but not opened: its content stays unseen."""
SPEC: Final = "spec"
"""A file in git's index or history: nothing on disk is opened."""
TEXT: Final = "text"
CODE: Final = "code"
PATTERNED: Final = "patterned"
"""A program with patterns between slashes."""
SED: Final = "sed"
INSIDE: Final = "inside"
SHELL: Final = "sh"

OWN: Final = frozenset({"gatepost"})
SPEAKERS: Final = frozenset({"echo", "printf", "basename", "dirname"})
MOVERS: Final = frozenset({"cd", "pushd"})
SHELLS: Final = frozenset({SHELL, "bash", "zsh", "dash", "ksh", "fish", "ash", "su", "eval"})
PROGRAMS: Final = frozenset({"python", "pypy", "node", "bun", "deno", "perl", "ruby", "php", "lua", "osascript"})
RUNNERS: Final = (
    SHELLS | PROGRAMS | {"xargs", "parallel", "while", "read", "mapfile", "readarray", "cpio", "source"}
)
PATCHERS: Final = frozenset({"apply_patch", "applypatch", "patch", "git-apply"})

_TAKES_PATCH: Final = ("apply_patch", "applypatch")
_WRAPPERS: Final = frozenset(
    {
        *("sudo", "doas", "env", "time", "nohup", "nice", "command", "exec", "builtin", "timeout", "setsid"),
        *("then", "do", "else", "elif", "if", "while", "until", "!", "{"),
        *("uv", "uvx", "poetry", "run"),
    }
)
# Git commands that read history or change the index without touching files.
_READING_GIT: Final = frozenset(
    {
        *("log", "show", "diff", "shortlog", "rev-list", "reflog", "blame", "annotate", "whatchanged", "describe"),
        *("add", "stage", "status", "commit", "reset", "ls-files", "ls-tree", "check-ignore", "check-attr"),
    }
)
_READING_WITH: Final = {"restore": "--staged", "rm": "--cached"}
_KNOWN_GIT: Final = _READING_GIT | {"grep", "tag", "stash", "notes", "merge", *_READING_WITH}
_OPENS: Final = frozenset(
    {"-F", "--file", "-O", "--output", "--pathspec-from-file", "--no-index", "--worktree", "-W"}
)
_GIT_TAKES_VALUE: Final = ("-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env")
_KNOWN_MODULES: Final = ("gatepost", "pytest")
_TESTS: Final = frozenset({"test", "[", "[["})
_ASKS: Final = _TESTS | {"stat", "file", "realpath", "readlink"}
_COMPARES: Final = frozenset({"=", "==", "!=", "=~"})
DECLARE: Final = frozenset({"export", "local", "declare", "readonly"})
_LEAVES_OUT: Final = ("!", "-g!", "--glob=!", "--iglob=!")
_LEAVES_OUT_OF_GIT: Final = (":!", ":^", ":(exclude)")
_FIND_NAMES: Final = frozenset({"-name", "-iname"})
_FIND_TESTS: Final = _FIND_NAMES | {"-path", "-ipath", "-wholename", "-regex", "-iregex"}
_FIND_ACTS: Final = ("-exec", "-ok", "-delete", "-fprint", "-fls")
_ROLES_OF_PROGRAMS: Final = {
    **dict.fromkeys(PROGRAMS, CODE),
    **dict.fromkeys(SHELLS, SHELL),
    **dict.fromkeys(("perl", "ruby", "awk", "gawk", "mawk"), PATTERNED),
    **dict.fromkeys(("sed", "gsed"), SED),
}


def program_of(words: list[Word]) -> tuple[str, list[Word]]:
    """The program of a command behind `env X=1` and its like, and the words after it; for git, its command.

    If a wrapper has options, the first stands for the program, since its arguments are unknown: then every word
    is a path.
    """
    wrapped = False
    for index, word in enumerate(words):
        name = name_of(word)
        if name in _WRAPPERS:
            wrapped = True
        elif not (_is_assignment(word.text) or (wrapped and name.rstrip("smh").isdigit())):
            return _spelled_out(name, words[index + 1 :])
    return "", []


def name_of(word: Word) -> str:
    """A program's name without its folder and version."""
    name = word.text.rpartition("/")[2]
    return name.rstrip("0123456789.") or name


def roles(program: str, words: list[Word], begin: int) -> Iterator[tuple[Word, str]]:
    """Every word of a command with its role. The program's own words begin at an index."""
    texts = [word.text for word in words]
    spoken = {begin + index for index in texts_among(program, texts[begin:])}
    runner, given = "", _given(texts)
    for index, word in enumerate(words):
        before = texts[index - 1] if index else ""
        if index in spoken:
            yield word, _ROLES_OF_PROGRAMS.get(program, TEXT) if program in SEEKERS else TEXT
        elif runner and _runs_next(before) and not word.text.startswith("-"):
            yield word, runner
        elif index < given and " " in word.text:
            yield word, TEXT
        else:
            yield word, _role_of_operand(program, words, texts, index) if index >= begin else PATH
        name = name_of(word)
        runner = _ROLES_OF_PROGRAMS[name] if name in SHELLS | PROGRAMS else runner


def _spelled_out(name: str, rest: list[Word]) -> tuple[str, list[Word]]:
    """The program that a later word turns the first one into."""
    if name in ("python", "pypy") and rest[:1] and rest[0].text == "-m":
        module = rest[1].text if len(rest) > 1 else ""
        return (module, rest[2:]) if module in _KNOWN_MODULES else (name, rest)
    if name != "git":
        return name, rest
    index = 0
    while index < len(rest) and rest[index].text.startswith("-"):
        index += 2 if rest[index].text in _GIT_TAKES_VALUE else 1
    command = rest[index].text if index < len(rest) else ""
    if command in ("apply", "am"):
        return "git-apply", rest
    return (f"git-{command}", rest[index + 1 :]) if command in _KNOWN_GIT else (name, rest)


def _role_of_operand(program: str, words: list[Word], texts: list[str], index: int) -> str:
    """The role of a word for the few programs that do not open it."""
    text, before = texts[index], texts[index - 1]
    if program in _TAKES_PATCH:
        return program
    if program == "eval":
        return SHELL
    if _leaves_out(program, text):
        return TEXT
    if program == "find" and before in _FIND_TESTS:
        return _role_of_find(texts, index)
    if program in _TESTS and not _COMPARES.isdisjoint(texts[index - 1 : index + 2]):
        return TEXT if program == "[[" or not words[index].pattern else PATH
    if program in _ASKS:
        return PATH if words[index].pattern else NAME
    if program == "ls":
        return NAME if _lists_names(texts) else PATH
    if program == "basename" and text == PACKAGE:
        return TEXT
    return SPEC if program.startswith("git-") and _is_pathspec(program[4:], texts, text) else PATH


def _leaves_out(program: str, text: str) -> bool:
    """`-g '!*.tsk'`, and `:!*.tsk` for git."""
    return len(text) > 1 and text.startswith(
        _LEAVES_OUT + (_LEAVES_OUT_OF_GIT if program.startswith("git") else ())
    )


def _role_of_find(texts: list[str], index: int) -> str:
    """`find -name '*.tsk'` lists names, unless it also acts on them. In its other patterns, `*` matches slashes."""
    if texts[index + 1 : index + 2] == ["-prune"] or texts[index - 2] in ("!", "-not"):
        return TEXT
    if texts[index - 1] in _FIND_NAMES and not any(text.startswith(_FIND_ACTS) for text in texts):
        return NAME
    plain = folded(texts[index].replace("\\", ""))
    return INSIDE if PACKAGE in plain or HOME in plain else PATH


def _is_pathspec(command: str, texts: list[str], text: str) -> bool:
    """Whether a word only selects files in git's index or history."""
    reads = command in _READING_GIT or _READING_WITH.get(command) in texts
    return reads and not text.startswith("-") and _OPENS.isdisjoint(texts)


def _lists_names(texts: list[str]) -> bool:
    """`ls -d`. After `--`, that would be a file."""
    return "--" not in texts and any("d" in text and _letters(text, text[-1]) for text in texts)


def _is_assignment(text: str) -> bool:
    name, is_assignment, _ = text.partition("=")
    return bool(is_assignment) and name.isidentifier()


def _runs_next(option: str) -> bool:
    return _letters(option, "cCeErp") or option in ("--eval", "--print", "--command")


def _letters(option: str, last: str) -> bool:
    """Whether a word is a group of short options (`-am`) that ends with one of these letters."""
    return option[:1] == "-" and option[1:].isalpha() and option[-1] in last


def _given(texts: list[str]) -> int:
    """The number of words that set variables. A value is judged where it is used as a path."""
    count = 1 if texts and texts[0] in DECLARE else 0
    while count < len(texts) and _is_assignment(texts[count]):
        count += 1
    return count
