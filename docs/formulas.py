"""A Sphinx extension: formulas become pictures when the pages are built, so that they need no script and no network."""

from functools import cache
from xml.etree import ElementTree

import ziamath
from docutils.nodes import SkipNode

# Glyphs as separate paths: shared ones would be mixed up between formulas of different sizes.
ziamath.config.svg2 = False
SIZE = 17  # of the letters, in pixels, where the text around has 16


def setup(app):
    app.add_html_math_renderer("svg", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(translator, node):
    translator.body.append(f'<span class="formula">{draw(node.astext(), True)}</span>')
    raise SkipNode


def visit_display(translator, node):
    translator.body.append(f'<div class="formula">{draw(node.astext().strip(), False)}</div>')
    raise SkipNode


@cache
def draw(tex, inline):
    """Return the SVG of a formula, with its TeX for screen readers."""
    formula = ziamath.Latex(tex, size=SIZE, color="currentColor", inline=inline)
    svg = formula.svgxml()
    svg.attrib |= {"role": "img", "aria-label": tex}
    if inline:
        svg.set("style", f"vertical-align: {formula.getyofst() - formula.margin:.2f}px")
    return ElementTree.tostring(svg, encoding="unicode")
