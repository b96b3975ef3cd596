"""Decides which words of a command are paths, text, patterns or programs. When in doubt, a word is a path."""

from __future__ import annotations

from gatepost.domain.protected_names import PACKAGE
from gatepost.surfaces.hooks.grep_arguments import SEEKERS, patterns_among
from gatepost.surfaces.hooks.written_paths import names_closed, pattern_names_closed

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
_SEARCHING_GIT: Final = frozenset({"log", "show", "diff", "shortlog", "rev-list", "reflog"})
_SPEAKING_GIT: Final = frozenset({"commit", "tag", "stash", "notes", "merge"})
# Git commands that read history or change the index without touching files.
_READING_GIT: Final = _SEARCHING_GIT | {
    *("add", "stage", "status", "commit", "reset", "blame", "annotate", "whatchanged", "describe"),
    *("ls-files", "ls-tree", "check-ignore", "check-attr"),
}
_READING_WITH: Final = {"restore": "--staged", "rm": "--cached"}
_KNOWN_GIT: Final = _READING_GIT | _SPEAKING_GIT | {"grep", *_READING_WITH}
_OPENS: Final = frozenset(
    {"-F", "--file", "-O", "--output", "--pathspec-from-file", "--no-index", "--worktree", "-W"}
)
_GIT_TAKES_VALUE: Final = ("-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env")
_KNOWN_MODULES: Final = ("gatepost", "pytest")
# Option letters that take a text: a message, a title, search terms, or names to exclude.
_TAKES_TEXT: Final = {
    **{f"git-{name}": "m" for name in _SPEAKING_GIT},
    **{f"git-{name}": "SG" for name in _SEARCHING_GIT},
    **dict.fromkeys(("hg", "svn", "jj"), "m"),
    **dict.fromkeys(("pytest", "py.test"), "km"),
    **dict.fromkeys(("fd", "fdfind"), "E"),
    "gh": "tb",
    "glab": "tm",
    "tree": "I",
}
_TESTS: Final = frozenset({"test", "[", "[["})
_ASKS: Final = _TESTS | {"stat", "file", "realpath", "readlink"}
_COMPARES: Final = frozenset({"=", "==", "!=", "=~"})
_WITH_PATTERNS: Final = frozenset({"perl", "ruby"})
_DECLARE: Final = frozenset({"export", "local", "declare", "readonly"})
_MESSAGES: Final = ("--message", "--title", "--body", "--notes", "--subject", "--description")
_SAYS: Final = (*(f"{option}=" for option in _MESSAGES), "--grep=", "--author=")
_LEFT_OUT: Final = ("--exclude", "--exclude-dir", "--ignore-dir", "--ignore-pattern")
# For `uniq` and `tee`, `--ignore` is an abbreviated flag, and a file follows.
_IGNORED: Final = ("--ignore", "--hide")
_IGNORING: Final = frozenset({"ls", "ag", "pytest", "prettier"})
_LEAVES_OUT: Final = (*(f"{option}=" for option in (*_LEFT_OUT, *_IGNORED)), "!", "-g!", "--glob=!", "--iglob=!")
_LEAVES_OUT_OF_GIT: Final = (":!", ":^", ":(exclude)")
_FIND_NAMES: Final = frozenset({"-name", "-iname"})
_FIND_TESTS: Final = _FIND_NAMES | {"-path", "-ipath", "-wholename", "-regex", "-iregex"}
_FIND_ACTS: Final = ("-exec", "-ok", "-delete", "-fprint", "-fls")
_LOADS: Final = ("import", "include", "load")
_WILD_TO_JOINT: Final = str.maketrans("*?", "//")


def program_of(words: list[Word]) -> tuple[str, list[Word]]:
    """The program of a command behind `env X=1` and its like, and the words after it; for git, its command.

    Where a wrapper has options, the first stands for the program, for nobody knows what it takes: then every
    word is a path.
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
    texts = [word.text for word in words[begin:]]
    patterns = {begin + index for index in patterns_among(program, texts)} if program in SEEKERS else ()
    otherwise = NAME if program == "ls" and _lists_names(texts) else PATH
    runner, given = "", _given(words)
    for index, word in enumerate(words):
        before = words[index - 1].text if index else ""
        if index in patterns:
            yield word, _role_of_pattern(program, word.text)
        elif runner and _runs_next(before) and not word.text.startswith("-"):
            yield word, runner
        elif (index < given and " " in word.text) or (index >= begin and _is_text(program, words, index)):
            yield word, TEXT
        elif index >= begin:
            yield word, _role_of_operand(program, words, index) or otherwise
        else:
            yield word, PATH
        runner = _runner(name_of(word)) or runner


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


def _runner(name: str) -> str:
    if name in SHELLS:
        return SHELL
    if name in _WITH_PATTERNS:
        return PATTERNED
    return CODE if name in PROGRAMS else ""


def _role_of_operand(program: str, words: list[Word], index: int) -> str:
    """The role of a word for the few programs that do not open it."""
    word = words[index]
    if program in _TAKES_PATCH:
        return program
    if program == "eval":
        return SHELL
    if program == "find" and words[index - 1].text in _FIND_TESTS:
        return _role_of_find(words, index)
    if program in _ASKS:
        return NAME if not word.wild else PATH
    return SPEC if program.startswith("git-") and _is_pathspec(program[4:], words, word) else ""


def _role_of_find(words: list[Word], index: int) -> str:
    """`find -name '*.tsk'` lists names, unless it also acts on them."""
    acts = any(word.text.startswith(_FIND_ACTS) for word in words)
    if words[index - 1].text in _FIND_NAMES and not acts:
        return NAME
    return INSIDE if _may_match_closed(words[index].text) else PATH


def _is_pathspec(command: str, words: list[Word], word: Word) -> bool:
    """Whether a word only selects files in git's index or history."""
    texts = {word.text for word in words}
    reads = command in _READING_GIT or _READING_WITH.get(command) in texts
    return reads and not word.text.startswith("-") and _OPENS.isdisjoint(texts)


def _lists_names(texts: list[str]) -> bool:
    """`ls -d`. After `--`, that would be a file."""
    return "--" not in texts and any("d" in text and _letters(text, text[-1]) for text in texts)


def _may_match_closed(pattern: str) -> bool:
    """For `find`, where `*` also matches slashes."""
    return names_closed(pattern.translate(_WILD_TO_JOINT)) or pattern_names_closed(pattern)


def _is_assignment(text: str) -> bool:
    name, is_assignment, _ = text.partition("=")
    return bool(is_assignment) and name.isidentifier()


def _is_text(program: str, words: list[Word], index: int) -> bool:
    """A message, or something to exclude, compare with or avoid."""
    text, before = words[index].text, words[index - 1].text
    if program in _TAKES_TEXT and _is_spoken(_TAKES_TEXT[program], text, before):
        return True
    if before in _LEFT_OUT or (program in _IGNORING and before in _IGNORED):
        return True
    if len(text) > 1 and text.startswith(_LEAVES_OUT):
        return True
    if program.startswith("git") and text.startswith(_LEAVES_OUT_OF_GIT):
        return True
    ahead = words[index + 1].text if index + 1 < len(words) else ""
    if program == "find" and before in _FIND_TESTS:
        return ahead == "-prune" or (index > 1 and words[index - 2].text in ("!", "-not"))
    if program in _TESTS and (before in _COMPARES or ahead in _COMPARES):
        return program == "[[" or not words[index].wild
    return program == "basename" and text == PACKAGE


def _is_spoken(letters: str, text: str, before: str) -> bool:
    if _letters(before, letters) or before in (*_MESSAGES, "--grep") or text.startswith(_SAYS):
        return True
    return len(text) > 2 and text[0] == "-" and text[1] in letters


def _runs_next(option: str) -> bool:
    return _letters(option, "cCeErp") or option in ("--eval", "--print", "--command")


def _letters(option: str, last: str) -> bool:
    """Whether a word is a group of short options (`-am`) that ends with one of these letters."""
    return option[:1] == "-" and option[1:].isalpha() and option[-1] in last


def _given(words: list[Word]) -> int:
    """The number of words that set variables. A value is judged where it is used as a path."""
    count = 1 if words and words[0].text in _DECLARE else 0
    while count < len(words) and _is_assignment(words[count].text):
        count += 1
    return count


def _role_of_pattern(program: str, pattern: str) -> str:
    """A pattern is text. So is a program for `sed` or `jq`, unless it reads or writes files."""
    if program in ("sed", "gsed"):
        from gatepost.surfaces.hooks.sed import named_in

        named = [name for line in named_in(pattern) for name in (line, *line.split())]
        return INSIDE if any(names_closed(name) for name in named) else TEXT
    if program in ("jq", "yq"):
        return CODE if any(word in pattern for word in _LOADS) else TEXT
    return PATTERNED if program in ("awk", "gawk", "mawk") else TEXT
