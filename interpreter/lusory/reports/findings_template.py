"""The page of findings as a template of Jinja: used by :mod:`lusory.reports.findings_page`."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #fbfbfc; --card: #fff; --ink: #1b1b1f; --faint: #5d5d66; --line: #dcdce2;
  --first: #0072b2; --second: #d55e00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #131316; --card: #1c1c21; --ink: #ececf1; --faint: #a3a3ad; --line: #35353d;
    --first: #56b4e9; --second: #e69f00; }
  svg [fill="{{ colours.ink }}"] { fill: #ececf1; } svg [stroke="{{ colours.ink }}"] { stroke: #ececf1; }
  svg [fill="{{ colours.first }}"] { fill: #56b4e9; } svg [stroke="{{ colours.first }}"] { stroke: #56b4e9; }
  svg [fill="{{ colours.second }}"] { fill: #e69f00; } svg [stroke="{{ colours.second }}"] { stroke: #e69f00; }
  svg [stroke="{{ colours.grid }}"] { stroke: #2f2f37; } svg [stroke="{{ colours.faint }}"] { stroke: #77777f; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0;
  overflow-wrap: anywhere; }
header, main, footer { max-width: 86rem; margin: 0 auto; padding: 1rem; }
header { padding-top: 2rem; } h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.35rem; margin: 2.2rem 0 .4rem; } h3 { font-size: 1rem; margin: 0 0 .3rem; }
p { max-width: 46rem; margin: .3rem 0 .8rem; } .faint, figcaption p { color: var(--faint); font-size: .9rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .8rem 0 0; }
a { color: var(--first); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--second); outline-offset: 2px; }
.glance { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.glance div, figure { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem; }
.glance dt { font-size: .9rem; } .glance dd { margin: 0; }
.glance .value { font-size: 1.7rem; font-weight: 600; line-height: 1.15; font-variant-numeric: tabular-nums; }
.figures { display: grid; gap: .8rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(21.5rem, 100%), 1fr)); }
figure { margin: 0; min-width: 0; break-inside: avoid; }
/* Labels are laid out for a narrower font than some browsers have. */
figure svg { display: block; box-sizing: border-box; width: 100%; max-width: 26rem; height: auto; margin: .3rem auto;
  padding-left: .8rem; overflow: visible; }
details { margin-top: .4rem; } summary { cursor: pointer; color: var(--faint); font-size: .9rem; }
.table { overflow-x: auto; max-height: 28rem; overflow-y: auto; margin-top: .4rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { position: sticky; top: 0; background: var(--card); font-weight: 600; color: var(--faint); }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8rem; overflow-wrap: anywhere; }
td.place:first-child { white-space: nowrap; overflow-wrap: normal; }
.verdict { font-size: 1.15rem; }
.wide.bare { grid-column: 1 / -1; }
@media print { body { background: #fff; } nav, summary { display: none; }
  .table { max-height: none; overflow: visible; } table { font-size: .65rem; }
  th, td, td:first-child { white-space: normal; overflow-wrap: normal; min-width: 0; padding: .15rem .3rem; }
  .figures { display: block; } figure { margin-bottom: 1rem; break-inside: auto; }
  /* Closed figures are printed, too. */
  details::details-content { content-visibility: visible; block-size: auto; }
  h1, h2, h3, figcaption, section > p { break-after: avoid; }
  figcaption, [role="img"], tr, .glance div { break-inside: avoid; } }
"""

PAGE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{{ found.name }}: what {{ found.games_tell }}</title>
<style>"""
    + STYLE
    + """</style>
</head>
<body>
<header>
<h1>{{ found.name }}: what {{ found.games_tell }}</h1>
<p class="faint">{{ found.id }} {{ found.version }}; seed {{ found.seed }}; players:
{% for seat in found.seats %}{{ seat.seat }} {{ seat.kind }}{{ ", " if not loop.last else "" }}{% endfor %}
{% for name, value in found.options.items() %}{{ "; " if loop.first else ", " }}{{ name }}={{ value }}{% endfor %}.
Ranges are 95 % intervals.</p>
{% if verdict %}
<p class="verdict">{{ verdict }}</p>
{% endif %}
<nav aria-label="Chapters"><ul>
{% for chapter in chapters %}
<li><a href="#{{ chapter.id }}">{{ chapter.title }}</a></li>
{% endfor %}
</ul></nav>
</header>
<main>
{% if not glance %}
<p>No game came to its end.</p>
{% endif %}
<dl class="glance">
{% for value, words, sure in glance %}
<div><dt>{{ words }}</dt><dd class="value">{{ value }}</dd><dd class="faint">{{ sure }}</dd></div>
{% endfor %}
</dl>
{% for chapter in chapters %}
<section aria-labelledby="{{ chapter.id }}">
<h2 id="{{ chapter.id }}">{{ chapter.title }}</h2>
{% if chapter.words %}
<p>{{ chapter.words }}</p>
{% endif %}
<div class="figures">
{% for figure in chapter.figures %}
<figure class="{{ "wide" if figure.wide else "" }} {{ "" if figure.plot else "bare" }}">
<figcaption><h3>{{ figure.title }}</h3>
{% if figure.said %}
<p>{{ figure.said }}</p>
{% endif %}
</figcaption>
{% if figure.plot %}
<div role="img" aria-label="{{ figure.title }}{{ ": " if figure.values else "" }}{{ figure.values }}">
{{ figure.plot|safe }}</div>
{% endif %}
<details{{ "" if figure.plot else " open" }}><summary>Figures</summary>
<div class="table" tabindex="0" role="region" aria-label="{{ figure.title }}: figures"><table>
<thead><tr>{% for title in figure.head %}<th scope="col">{{ title }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in figure.rows %}
<tr>{% for cell in row %}<td{% if cell is place %} class="place"{% endif %}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div></details>
</figure>
{% endfor %}
</div>
</section>
{% endfor %}
</main>
<footer class="faint"><p>Made by lusory simulate.</p></footer>
</body>
</html>"""
)
