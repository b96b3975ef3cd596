"""`gatepost completion`: a script that makes a shell complete what is typed."""

import os
from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser

SHELLS = ("bash", "zsh", "fish")


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Print a script that lets a shell complete commands, options, operations and\n"
        "names from the store: tasks, plans, steps, workspaces, taskdocs, tags. It reads\n"
        "the store that the command would use, and changes nothing.\n\n"
        '  bash   in ~/.bashrc:                eval "$(gatepost completion bash)"\n'
        '  zsh    in ~/.zshrc, below compinit: eval "$(gatepost completion zsh)"\n'
        "  fish   once:  gatepost completion fish \\\n"
        "                    > ~/.config/fish/completions/gatepost.fish",
        examples="""\
  gatepost completion bash
  eval "$(gatepost completion zsh)"     for this shell only""",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="the shell")


def run(options: Namespace) -> int:
    """Print it."""
    from gatepost.surfaces.cli import completion

    path = os.path.join(os.path.dirname(completion.__file__), "scripts", f"gatepost.{options.shell}")
    with open(path, encoding="ascii") as file:
        print(file.read(), end="")
    return 0
