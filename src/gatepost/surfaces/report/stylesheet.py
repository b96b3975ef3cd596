"""How the HTML report looks: on a screen of any width, light and dark, and on paper."""

from typing import Final

STYLESHEET: Final = """
:root {
  color-scheme: light dark;
  --ground: #f6f7f5; --card: #fff; --sunk: #f1f3ef; --ink: #1b211d; --soft: #566058; --line: #dde1da;
  --good: #1c7a4a; --bad: #b3261e; --warn: #8a5a00; --busy: #1d5fa8; --accent: #1f6b52; --person: #6b3fa0;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121613; --card: #1b211d; --sunk: #141916; --ink: #e9eee9; --soft: #a3aea6; --line: #313a34;
    --good: #74d6a0; --bad: #ff9a90; --warn: #f0c36b; --busy: #8fbcf2; --accent: #6fd1a8; --person: #c8a8f5;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html {
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100%;
}
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; overflow-wrap: anywhere; }
h1, h2, h3, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.7rem; line-height: 1.25; letter-spacing: -.015em; margin: .15rem 0 .6rem; }
h2 { font-size: 1.1rem; margin-bottom: .6rem; }
h3 { font-size: 1rem; font-weight: 600; line-height: 1.35; }
a { color: var(--accent); text-underline-offset: 2px; text-decoration-thickness: 1px; }
code, pre { font: .86em/1.5 var(--mono); }
code { background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em; }
.text, bdi { white-space: pre-wrap; }
.soft, time { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.15rem; }
section { margin-top: 1.75rem; }
.over { color: var(--soft); font-size: .9rem; }
.chip {
  display: inline-block; font-size: .8rem; font-weight: 400; line-height: 1.5; white-space: nowrap;
  padding: 0 .55em; border: 1px solid currentColor; border-radius: 1em; color: var(--soft);
}
.DONE, .machine, .good { color: var(--good); } .ACTIVE, .evidenced { color: var(--busy); }
.human { color: var(--person); } .noted { color: var(--accent); } .asserted, .warn { color: var(--warn); }
.bad { color: var(--bad); }
.bar { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; background: var(--line); }
.bar { margin: .7rem 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar i { background: var(--good); }
.tally { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; }
.tally .card { padding: .65rem .85rem; }
.tally b { display: block; font-size: 1.4rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tally .none b { color: var(--soft); font-weight: 400; }
.tally small { display: block; color: var(--soft); line-height: 1.35; }
.looks > li + li, .rows > li + li { border-top: 1px solid var(--line); margin-top: .6rem; padding-top: .6rem; }
.looks ul { margin-top: .25rem; }
.looks ul li { padding-left: 1rem; text-indent: -1rem; }
.task > header { margin-bottom: .75rem; }
.task > header h2 { margin: 0; }
.step {
  background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 8px;
  padding: .7rem .95rem; margin: .55rem 0 0 min(calc(var(--depth) * 1.4rem), 30%);
}
.step.done { border-left-color: var(--good); } .step.blocked { border-left-color: var(--bad); }
.step.now { border-left-color: var(--busy); }
.step:target { outline: 2px solid var(--accent); }
.step > p { margin-top: .15rem; font-size: .9rem; }
.path { font: .8rem var(--mono); color: var(--soft); font-weight: 400; }
.points { margin-top: .5rem; display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr); }
.points > li { padding-left: 1.35rem; position: relative; }
.points > li > .sign { position: absolute; left: 0; }
.facts { color: var(--soft); font-size: .9rem; } .facts.bad { color: var(--bad); }
.facts > span + span::before { content: " · "; }
blockquote { margin: .2rem 0; padding-left: .7rem; border-left: 2px solid var(--line); white-space: pre-wrap; }
.wants { font-size: .9rem; color: var(--soft); margin: .1rem 0 0 1rem; list-style: disc; }
.wants li { white-space: pre-wrap; }
details { margin-top: .35rem; border: 1px solid var(--line); border-radius: 7px; }
details { background: var(--sunk); font-size: .9rem; }
summary { cursor: pointer; padding: .3rem .6rem; }
summary code { background: none; border: 0; padding: 0; }
details > :not(summary) { margin: 0 .7rem .5rem; }
details pre {
  margin: 0; padding: .6rem .7rem; max-height: 28rem; overflow: auto;
  border-top: 1px solid var(--line);
}
details > pre { margin: 0; }
footer { margin-top: 2.5rem; padding-top: .8rem; border-top: 1px solid var(--line); }
footer { font-size: .85rem; color: var(--soft); }
@media (max-width: 40rem) {
  body { padding: 1rem .75rem 2rem; } h1 { font-size: 1.35rem; }
  .card { padding: .8rem .85rem; } .tally { grid-template-columns: 1fr 1fr; }
  .step { padding: .6rem .7rem; margin-left: min(calc(var(--depth) * .55rem), 20%); }
}
@media print {
  @page { margin: 14mm; }
  :root {
    color-scheme: light; --ground: #fff; --card: #fff; --sunk: #fff; --ink: #000; --soft: #444; --line: #bbb;
    --good: #14633b; --bad: #9a1c15; --warn: #6d4700; --busy: #174d88; --accent: #000; --person: #57318a;
  }
  html { font-size: 10pt; } body { max-width: none; padding: 0; }
  a { text-decoration: none; }
  h2, h3, .step > header, summary { break-after: avoid; } .tally .card { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  details pre { max-height: none; overflow: visible; white-space: pre-wrap; }
}
"""
