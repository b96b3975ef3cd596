"""The catalog names every operation where it is defined, and loads only the one that is looked up."""

import pkgutil
import subprocess
import sys
from importlib import import_module

import gatepost.operations
from gatepost.operations.catalog import BY_COMMAND, BY_NAME, OPERATIONS
from gatepost.operations.registry import Operation


def test_every_operation_that_a_module_defines_is_in_the_catalog_under_its_own_name() -> None:
    modules = [
        import_module(f"gatepost.operations.{found.name}")
        for found in pkgutil.iter_modules(gatepost.operations.__path__)
    ]

    defined = {id(value) for module in modules for value in vars(module).values() if isinstance(value, Operation)}

    assert {id(operation) for operation in OPERATIONS} == defined
    assert all(operation.name == name for name, operation in BY_NAME.items())


def test_an_operation_is_found_by_its_command() -> None:
    assert all(BY_COMMAND[operation.command] is operation for operation in OPERATIONS)


def test_looking_up_one_operation_loads_no_other() -> None:
    program = (
        "import sys; from gatepost.operations.catalog import BY_NAME; BY_NAME['tasks_lint'];"
        "names = ('lint', 'templates', 'evidence', 'journals');"
        "print(*(name for name in names if f'gatepost.operations.{name}' in sys.modules))"
    )

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert loaded.split() == ["lint"]
