"""Sphinx settings: Markdown pages, the API from numpydoc docstrings."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figures

import graphcore

# The pages show what this very code does.
figures.main()

project = "graphcore"
author = "the graphcore authors"
copyright = author
version = release = graphcore.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc"]
exclude_patterns = ["_build", "tables", "templates"]
templates_path = ["templates"]
html_theme = "furo"
html_title = f"graphcore {release}"
html_static_path = ["static"]
html_css_files = ["tables.css"]

myst_enable_extensions = ["attrs_block", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
autosummary_generate = True
autosummary_ignore_module_all = False  # the page of a module shows its public names
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
# Attributes and methods stand in the docstrings; numpydoc's own tables would ask for a page for each.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False


def skip_member(app, what, name, obj, skip, options):
    """Leave out fields of named tuples, which their class explains, and what scikit-learn adds to its estimators."""
    field = str(getattr(obj, "__doc__", "")).startswith("Alias for field number")
    return True if field or str(getattr(obj, "__module__", "")).startswith("sklearn.") else None


def setup(app):
    app.connect("autodoc-skip-member", skip_member)
