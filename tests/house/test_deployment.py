"""What `deploy/` says about Gatepost is so, and what it ships starts."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from gatepost.surfaces.cli.command_list import declared
from gatepost.surfaces.cli.commands.up import PORT
from gatepost.surfaces.http.metrics import Metrics

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_OF_HISTOGRAMS = re.compile(r"_(bucket|sum|count)$")


def test_every_panel_of_the_dashboard_asks_for_metrics_and_labels_that_a_server_has() -> None:
    metrics = Metrics()
    metrics.served("tasks_radar", "ok", 0.01)
    shown = metrics.text()
    names = set(re.findall(r"^# TYPE (\w+)", shown, re.MULTILINE))
    labels = set(re.findall(r'(\w+)="', shown)) | {"instance"}  # that one comes from Prometheus
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))

    asked = {panel["title"]: [target["expr"] for target in panel["targets"]] for panel in dashboard["panels"]}
    used = set()
    for title, questions in asked.items():
        found = {name for question in questions for name in re.findall(r"gatepost_\w+", question)}
        families = {name if name in names else _OF_HISTOGRAMS.sub("", name) for name in found}
        assert families, title
        assert families <= names, title
        for question in questions:
            filtered = re.findall(r'(\w+)(?:=~?|!=)"', question)
            grouped = [name for names in re.findall(r"by \(([^)]*)\)", question) for name in names.split(", ")]
            assert {*filtered, *grouped} <= labels, title
        used |= families
    assert used == names, "each metric has a panel"


def test_the_container_builds_from_what_is_sent_to_it_and_starts_the_server_that_it_checks() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    sent = re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    unit = (DEPLOY / "gatepost.service").read_text(encoding="utf-8")

    copied = [
        name.rstrip("/")
        for line in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE)
        for name in line.split()
    ]
    assert set(copied) == set(sent)
    assert all((ROOT / name).exists() for name in copied)
    python = re.findall(r"^FROM python:(3\.\d+)-", dockerfile, re.MULTILINE)
    assert {f"Programming Language :: Python :: {version}" for version in python} <= set(PROJECT["classifiers"])
    extras = re.findall(r"\[([\w,]+)\]'", dockerfile + unit)
    assert {extra for group in extras for extra in group.split(",")} <= set(PROJECT["optional-dependencies"])
    assert f"EXPOSE {PORT}" in dockerfile
    assert f"127.0.0.1:{PORT}/readyz" in dockerfile
    assert f":{PORT}" in compose
    (started,) = re.findall(r"^CMD (\[.*\])$", dockerfile, re.MULTILINE)
    for line in (" ".join(json.loads(started)), *re.findall(r"gatepost (up .+)", compose + unit)):
        declared("up").read(line.split()[1:])


def test_the_server_of_the_compose_file_starts_with_secrets_made_as_it_says(tmp_path: Path) -> None:
    """Only the shell's line is run: without its image, on a store in a file and on any free port."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
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
