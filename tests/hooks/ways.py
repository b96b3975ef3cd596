"""Ways of a shell to change a package, as agents have been seen to try them. Each is run for real."""

import shutil

P = "tasks/auth.tsk"
ENCODED = "dGFza3MvYXV0aC50c2svZ29hbHMubWQ="

WAYS: dict[str, str] = {
    "sed -i": f"sed -i s/ship/SHIP/ {P}/goals.md",
    "perl -pi": f"perl -pi -e 's/ship/SHIP/' {P}/goals.md",
    "python -c": f"python3 -c \"open('{P}/goals.md', 'w').write('mine')\"",
    "python from a here-document": f"python3 - <<'EOF'\nimport os\nos.replace('other.md', '{P}/goals.md')\nEOF",
    "python with a path in pieces": "python3 -c \"import glob; open(glob.glob('tasks/*/g*')[0], 'a').write('x')\"",
    "node": f"node -e \"require('fs').appendFileSync('{P}/goals.md', 'x')\"",
    "echo >": f"echo mine > {P}/goals.md",
    "here-document >>": f"cat >> {P}/progress.md <<'EOF'\n- done, says the agent\nEOF",
    ": >": f": > {P}/goals.md",
    "a descriptor": f"exec 3<>{P}/goals.md; printf mine >&3",
    "tee": f"echo mine | tee {P}/goals.md >/dev/null",
    "dd": f"printf mine | dd of={P}/goals.md conv=notrunc status=none",
    "truncate": f"truncate -s 0 {P}/goals.md",
    "truncate, longer": f"truncate -s 100 {P}/goals.md",
    "cp over it": f"cp other.md {P}/goals.md",
    "mv over it": f"mv other.md {P}/goals.md",
    "mv one section over another": f"mv {P}/constraints.md {P}/goals.md",
    "install": f"install -m 644 other.md {P}/goals.md",
    "rsync": f"rsync other.md {P}/goals.md",
    "ln -sf": f"ln -sf ../../other.md {P}/goals.md",
    "ln -f": f"ln -f other.md {P}/goals.md",
    "through a hard link": f"ln {P}/goals.md hard.md && echo mine > hard.md",
    "through a link to the package": f"ln -s {P} way && echo mine > way/goals.md",
    "rm": f"rm {P}/constraints.md",
    "rm meta.json": f"rm -f {P}/meta.json",
    "a forged meta.json": f"sed -i 's/revision\": 2/revision\": 7/' {P}/meta.json",
    "rm -rf of the package": f"rm -rf {P}",
    "rm -rf tasks": "rm -rf tasks",
    "mv of the package": f"mv {P} away",
    "a link in the package's place": f"mv {P} away && ln -s ../away {P}",
    "a file in the package's place": f"rm -r {P} && echo mine > {P}",
    "a folder in a section's place": f"rm {P}/goals.md && mkdir -p {P}/goals.md/deep",
    "git checkout": f"git checkout -q -- {P}",
    "git restore": f"git restore {P}/goals.md",
    "git stash": "git stash -q",
    "git apply": f"printf '%s\\n' '--- a/{P}/goals.md' '+++ b/{P}/goals.md' '@@ -1 +1 @@' '-- ship it' '+mine'"
    " | git apply --unsafe-paths -",
    "patch": f"printf '%s\\n' '--- x' '+++ y' '@@ -1 +1 @@' '-- ship it' '+mine' | patch -s {P}/goals.md",
    "ed": f"printf '1s/ship/SHIP/\\nw\\nq\\n' | ed -s {P}/goals.md",
    "ex": f"ex -s -c '%s/ship/SHIP/' -c x {P}/goals.md",
    "awk": f"awk 'BEGIN {{print \"mine\" > \"{P}/goals.md\"}}'",
    "sort -o": f"sort -r other.md {P}/goals.md -o {P}/goals.md",
    "curl -o": f"curl -s file://$PWD/other.md -o {P}/goals.md",
    "a path in base64": f"echo mine > \"$(echo {ENCODED} | base64 -d)\"",
    "a path from variables": "A=tasks B=auth C=sk; echo mine > $A/$B.t$C/goals.md",
    "a pattern": "for f in tasks/*/*.md; do echo mine >> $f; done",
    "a script": f"printf 'echo mine > {P}/goals.md' > job.sh && sh job.sh",
    "make": f"printf 'all:\\n\\t@echo mine > {P}/goals.md\\n' > Makefile && make -s",
    "eval": f"eval \"$(printf 'echo mine > %s' {P}/goals.md)\"",
    "xargs": f"echo {P}/goals.md | xargs -I{{}} sh -c 'echo mine > {{}}'",
    "find -exec": "find tasks -name goals.md -exec sh -c 'echo mine > $1' _ {} ;".replace(" ;", " \\;"),
    "find -delete": "find tasks -name '*.md' -delete",
    "tar": "tar xf other.tar",
    "unzip": "python3 -m zipfile -e other.zip .",
    "in the background": f"(echo mine > {P}/goals.md) & wait",
    "from inside": f"cd {P} && echo mine > goals.md",
    "a call that fails": f"echo mine > {P}/goals.md; false",
}  # fmt: skip
"""By what each is. The package has a goal, `- ship it`; `other.md`, `other.tar` and `other.zip` are in the root."""


def possible() -> dict[str, str]:
    """Those whose program is on this machine: not every one has these."""
    rare = {
        "perl -pi": "perl",
        "curl -o": "curl",
        **{name: name for name in ("node", "rsync", "ed", "ex", "patch", "make")},
    }
    return {name: way for name, way in WAYS.items() if name not in rare or shutil.which(rare[name])}
