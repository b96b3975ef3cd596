"""A small server on the real transport, for the tests beside it: some of its tools misbehave on purpose."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from gatepost.surfaces.mcp.answers import CallToolResult
from gatepost.surfaces.mcp.messages import UnknownName
from gatepost.surfaces.mcp.stdio import serve

SCHEMA: dict[str, object] = {"type": "object", "properties": {}, "required": [], "additionalProperties": True}
NAMES = ("echo", "refuse", "noisy", "thirsty", "broken", "exits", "half_pair", "pretty", "warmth")


class FixtureToolbox:
    name = "fixture"
    version = "1.2.3"
    instructions = "Fixture tools."

    def __init__(self) -> None:
        self.warmed = 0

    def tools(self) -> list[dict[str, object]]:
        return [{"name": name, "description": f"The {name} tool.", "inputSchema": SCHEMA} for name in NAMES]

    def call(self, name: str, arguments: dict[str, object], caller: str | None) -> CallToolResult:
        if name not in NAMES:
            raise UnknownName(name)
        answer = getattr(self, f"_{name}")(arguments, caller)
        return answer if isinstance(answer, CallToolResult) else CallToolResult(compact(answer), structured=True)

    def warm_up(self) -> None:
        self.warmed += 1
        if "--announce" in sys.argv:
            os.write(2, b"warm\n")

    def _echo(self, arguments: dict[str, object], caller: str | None) -> dict[str, object]:
        return {"arguments": arguments, "caller": caller}

    def _refuse(self, _arguments: dict[str, object], _caller: str | None) -> CallToolResult:
        return CallToolResult(
            compact({"error": {"code": "UNKNOWN_ID", "message": "no such task"}}), refused=True, structured=True
        )

    def _noisy(self, _arguments: dict[str, object], _caller: str | None) -> dict[str, object]:
        print("stray print")
        os.write(1, b"stray write\n")
        subprocess.run(["echo", "stray child"], check=True)
        sys.__stdout__.write("stray original stdout\n")  # type: ignore[union-attr]  # set in this process
        sys.__stdout__.flush()  # type: ignore[union-attr]  # set in this process
        return {"quiet": True}

    def _thirsty(self, _arguments: dict[str, object], _caller: str | None) -> dict[str, object]:
        child = subprocess.run(["cat"], check=True, stdout=subprocess.PIPE)
        return {"drunk": child.stdout.decode() + sys.stdin.read()}

    def _broken(self, _arguments: dict[str, object], _caller: str | None) -> dict[str, object]:
        raise KeyError("a bug, not an unknown tool")

    def _exits(self, _arguments: dict[str, object], _caller: str | None) -> dict[str, object]:
        sys.exit(3)

    def _half_pair(self, _arguments: dict[str, object], _caller: str | None) -> dict[str, object]:
        return {"text": "half \ud83d pair"}

    def _pretty(self, _arguments: dict[str, object], _caller: str | None) -> CallToolResult:
        return CallToolResult('{\r\n  "lines": "one\\ntwo"\n}', structured=True)

    def _warmth(self, _arguments: dict[str, object], _caller: str | None) -> dict[str, object]:
        return {"warmed": self.warmed}


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    toolbox = FixtureToolbox()
    sys.exit(serve(toolbox, idle=toolbox.warm_up))
