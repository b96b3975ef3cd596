"""`GET /` and `/page/…`: the page's own files, sealed off, and nothing beside them."""

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from gatepost.surfaces.http.page import FOLDER, MEDIA_TYPES
from tests.givens import World
from tests.http.givens import PATIENCE, Site, site

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-" * 3
FILES = sorted(
    path.relative_to(FOLDER).as_posix() for path in Path(FOLDER).rglob("*") if path.suffix in MEDIA_TYPES
)
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "gatepost",
}


@pytest.fixture
def here(one_world: World) -> Iterator[Site]:
    """A server."""
    with site(one_world) as running:
        yield running


def raw(here: Site, target: str) -> tuple[int, bytes]:
    """What is answered to a path that is sent as it stands: clients like to straighten them."""
    connection = HTTPConnection("127.0.0.1", here.server.port, timeout=PATIENCE)
    try:
        connection.putrequest("GET", target, skip_accept_encoding=True)
        connection.endheaders()
        answered = connection.getresponse()
        return answered.status, answered.read()
    finally:
        connection.close()


def test_the_address_itself_is_the_page(here: Site) -> None:
    answered = here.client.get("/")

    assert answered.status_code == 200
    assert answered.headers["content-type"] == "text/html; charset=utf-8"
    assert answered.content == Path(FOLDER, "index.html").read_bytes()
    assert here.client.get("/page/index.html").content == answered.content


def test_every_file_of_the_page_is_served_under_its_name(here: Site) -> None:
    for name in FILES:
        answered = here.client.get(f"/page/{name}")
        assert (answered.status_code, answered.content) == (200, Path(FOLDER, name).read_bytes()), name
        assert answered.headers["content-type"] == MEDIA_TYPES[Path(name).suffix]


def test_what_the_page_refers_to_is_there(here: Site) -> None:
    named = re.findall(r'(?:src|href)="(/page/[^"]+)"', here.client.get("/").text)

    assert named
    assert [path for path in named if here.client.get(path).status_code != 200] == []


@pytest.mark.parametrize("path", ["/", "/page/index.html", "/page/nothing.js"])
def test_what_is_sent_is_sealed_off(here: Site, path: str) -> None:
    headers = here.client.get(path).headers

    policy = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert policy == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]


def test_a_client_that_has_a_file_is_not_sent_it_again(here: Site) -> None:
    first = here.client.get("/")
    tag = first.headers["etag"]

    assert first.headers["cache-control"] == "no-cache"
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = here.client.get("/", headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["content-security-policy"] == first.headers["content-security-policy"]
    assert here.client.get("/", headers={"if-none-match": '"other"'}).status_code == 200
    assert here.client.head("/").headers["etag"] == tag


@pytest.mark.parametrize(
    "target",
    [
        "/page/",
        "/page/../http/app.py",
        "/page/%2e%2e/http/app.py",
        "/page/..%2fhttp%2fapp.py",
        "/page/..%5chttp%5capp.py",
        "/page/./index.html",
        "/page//index.html",
        "/page/js/../index.html",
        "/page/index.html/",
        "/page/index.html%00",
        "/page/INDEX.HTML",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/__init__.py",
        "/page/js",
        "/page/..",
        "/page/%252e%252e/http/app.py",
        "/page/index.html%20",
        "/page/.%00./http/app.py",
    ],
)
def test_no_other_name_leads_to_any_file(here: Site, target: str) -> None:
    status, body = raw(here, target)

    assert status == 404
    assert b"NOT_FOUND" in body
    assert b"import" not in body


def test_only_getting_is_served(here: Site) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert here.client.request(method, "/").status_code == 405
        assert here.client.request(method, "/page/index.html").status_code == 405


def test_the_page_is_served_without_the_token_and_all_else_is_not(one_world: World) -> None:
    with site(one_world, token=TOKEN) as here:
        assert here.client.get("/").status_code == 200
        assert here.client.get("/page/index.html").status_code == 200
        assert here.client.head("/").status_code == 200
        assert here.client.post("/").status_code == 401
        for path in ("/v1/openapi.json", "/v1/events", "/v1/todo", "/metrics", "/pages", "/page", "/page.html"):
            assert here.client.get(path).status_code == 401, path
        for target in ("/page/../v1/openapi.json", "/page/%2e%2e/v1/events?workspace=w", "/page//v1/todo"):
            assert raw(here, target)[0] == 404
        assert raw(here, "//")[0] == raw(here, "//page/index.html")[0] == 401
        assert here.call("workspace_overview").status_code == 401
        assert here.call("workspace_overview", {"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_the_page_too_goes_only_by_the_servers_own_name(here: Site) -> None:
    assert here.client.get("/", headers={"host": "evil.example"}).status_code == 403
    assert here.client.get("/page/index.html", headers={"origin": "http://evil.example"}).status_code == 403


def test_the_page_itself_names_no_other_origin_and_has_nothing_inline() -> None:
    for name in FILES:
        if name.endswith((".html", ".css", ".js", ".mjs")):
            text = Path(FOLDER, name).read_text(encoding="utf-8")
            others = [url for url in re.findall(r"https?://[^\s\"'`)]+", text) if "www.w3.org" not in url]
            assert others == [], name
    index = Path(FOLDER, "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", index) == []


def test_the_wheel_has_every_file_of_the_page(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)], check=True, timeout=240)
    (wheel,) = tmp_path.glob("gatepost-*.whl")

    with zipfile.ZipFile(wheel) as packed:
        held = set(packed.namelist())

    assert "index.html" in FILES
    assert {f"gatepost/surfaces/page/{name}" for name in FILES} <= held
