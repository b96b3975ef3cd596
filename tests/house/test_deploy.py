"""What `deploy/` ships can be started as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_server_of_the_compose_file_starts_with_secrets_made_as_it_says(tmp_path: Path) -> None:
    """Only the shell's line is run: without its image, on a store in a file and on any free port."""
    text = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    found = re.search(r"command:\n      - >-\n((?:        .+\n)+)", text)
    assert found is not None
    assert "chmod 444 secrets" in text  # and so, whoever runs the container can read them
    for name in ("gatepost_token", "database_password"):
        (tmp_path / name).write_text("a1b2c3d4e5f6a7b8c9d0" * 2, encoding="ascii")
        (tmp_path / name).chmod(0o444)
    line = " ".join(found[1].split()).replace("$$", "$").replace("/run/secrets", str(tmp_path))
    assert "--host 0.0.0.0" in line
    line = line.replace("--host 0.0.0.0", "--port 0")

    with subprocess.Popen(
        ["sh", "-c", line],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GATEPOST_STORE": f"sqlite://{tmp_path}/gatepost.db",
            "TMPDIR": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.kill()

    assert said.startswith("Gatepost is up at http://127.0.0.1:")
