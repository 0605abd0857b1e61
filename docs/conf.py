"""Sphinx settings: Markdown pages, the API from numpydoc docstrings."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figures

import graphcore

# The pages show the results of this code.
figures.main()

project = "graphcore"
author = "the graphcore authors"
copyright = author
version = release = graphcore.__version__

extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_design",
    "sphinx_gallery.gen_gallery", "formulas",
]  # fmt: skip
exclude_patterns = ["_build", "tables", "templates"]
templates_path = ["templates"]
html_theme = "furo"
html_title = f"graphcore {release}"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_math_renderer = "svg"
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["attrs_block", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
autosummary_generate = True
autosummary_ignore_module_all = False  # the page of a module shows its public names
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "nested_sections": False,
    "subsection_order": [
        f"../examples/{part}" for part in ("tutorials", "graphs", "vectors", "pictures", "kernels", "libraries")
    ],
    "capture_repr": ("_repr_html_",),
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "figures.gallery_style"),
    "backreferences_dir": "generated/uses",
    "doc_module": ("graphcore",),
    "inspect_global_variables": False,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 60,
}
# Attributes and methods stand in the docstrings; numpydoc's own tables would ask for a page for each.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Methods of scikit-learn that users call.
INHERITED = {
    "fit_predict": "Call :meth:`fit`, and return ``labels_``. The parameters are the same.",
    "fit_transform": "Call :meth:`fit`, then :meth:`transform` of the same data. The parameters are those of `fit`.",
}


def skip_member(app, what, name, obj, skip, options):
    """Leave out fields of named tuples, which their class explains, and most of the methods of scikit-learn."""
    field = str(getattr(obj, "__doc__", "")).startswith("Alias for field number")
    added = str(getattr(obj, "__module__", "")).startswith("sklearn.") and name not in INHERITED
    return True if field or added else None


def describe_inherited(app, what, name, obj, options, lines):
    """Describe scikit-learn's own methods in a line; its text refers to its versions and types."""
    if str(getattr(obj, "__module__", "")).startswith("sklearn."):
        lines[:] = [INHERITED[name.rpartition(".")[2]]]


def setup(app):
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", describe_inherited, priority=1)
