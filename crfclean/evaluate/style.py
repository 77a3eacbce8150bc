"""The style sheet of reports, light and dark, for wide screens and phones."""

from __future__ import annotations

CSS = """
:root { --ink: #1c1e21; --soft: #5f6670; --paper: #fff; --line: #d9dce1; --card: #f4f5f7;
  --gone: #fbe3d6; --gone-ink: #8a3200; --new: #d9ecfa; --new-ink: #00517f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e7e9; --soft: #a0a6b0; --paper: #16181c; --line: #363a42; --card: #20242a;
    --gone: #4a2413; --gone-ink: #ffc09c; --new: #0d3550; --new-ink: #a9dcff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: .5rem 0 0; } h2 { font-size: 1.25rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
header p, footer p, .note, small, figcaption { color: var(--soft); font-size: .875rem; }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); }
.card { background: var(--card); border-radius: .5rem; padding: .75rem; display: flex;
  flex-direction: column; } .card b { font-size: 1.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem;
  overflow-wrap: normal; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } .l { text-align: left; } .r { text-align: right; }
.plots { display: grid; gap: 1.5rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; } figure svg { width: 100%; height: auto; max-width: 36rem; display: block; }
figure svg text { font-family: system-ui, sans-serif !important; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; } .diff { max-width: 48rem; }
del, ins { text-decoration: none; border-radius: .2rem; padding: 0 .2rem; }
del { background: var(--gone); color: var(--gone-ink); }
ins { background: var(--new); color: var(--new-ink); }
@media (max-width: 40rem) { th, td { padding: .2rem .3rem; } table { font-size: .75rem; } }
.gap { color: var(--soft); font-style: italic; } i { color: var(--soft); font-style: normal; }
"""
