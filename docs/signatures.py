"""A Sphinx extension: of many parameters a signature shows the five needed first, and the rest go by subject."""

import inspect
import re

MOST = 10  # a signature with more is shortened
SHOWN = 5
# Where these are not simply the first of the signature.
FIRST = {
    "CoresetSpectralClustering": ("n_clusters", "min_cluster_size", "effort", "random_state", "n_jobs"),
    "CoresetKernelKMeans": ("n_clusters", "coreset_size", "kernel", "bandwidth", "random_state"),
    "GaussianSketchFeatures": ("n_components", "n_subsample", "kernel", "bandwidth", "random_state"),
    "GaussianSketchKernelKMeans": ("n_clusters", "n_components", "kernel", "bandwidth", "random_state"),
    "KFlats": ("n_clusters", "n_dims", "init", "n_init", "random_state"),
    "KernelKFlats": ("n_clusters", "n_dims", "kernel", "bandwidth", "random_state"),
    "coreset_spectral_clustering": ("graph", "n_clusters", "coreset_size", "coreset_graph", "random_state"),
    "KernelKMeans": ("n_clusters", "kernel", "bandwidth", "n_init", "random_state"),
    "NystromFeatures": ("n_components", "n_landmarks", "kernel", "bandwidth", "random_state"),
    "NystromKernelKMeans": ("n_clusters", "n_landmarks", "kernel", "bandwidth", "random_state"),
}
SUBJECTS = {
    "Input": "affinity n_neighbors metric symmetrize",
    "Clusters": "objective balance outliers resolution max_cluster_size max_share",
    "Search": "time_limit init n_init max_iter max_restarts tol on_empty on_degenerate solver batch_size",
    "Kernel": "kernel bandwidth gamma degree coef0 self_loop shift on_indefinite",
    "Sample": "coreset_size sampling eigen_solver published seeding n_seeds n_landmarks n_subsample n_components "
    "replace truncation ridge rtol center scale",
    "Computing": "n_jobs verbose dtype block_bytes held_bytes",
}


def setup(app):
    # Before numpydoc, which takes the docstring apart.
    app.connect("autodoc-process-signature", shorten, priority=400)
    app.connect("autodoc-process-docstring", order, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def shorten(app, what, name, obj, options, arguments, returned):
    """Return the signature with its first parameters and an ellipsis; None leaves it unchanged."""
    parameters = _many(what, obj)
    if parameters is None:
        return None
    shown, star = [], False
    for key in _first(name, parameters):
        if parameters[key].kind is inspect.Parameter.KEYWORD_ONLY and not star:
            shown, star = [*shown, "*"], True
        plain = parameters[key].replace(annotation=inspect.Parameter.empty)
        shown.append(str(plain))
    return f"({', '.join([*shown, '...'])})", returned


def order(app, what, name, obj, options, lines):
    """Order a class's parameters by the signature and then by subject, with a list of subjects above them."""
    parameters = _many(what, obj)
    if parameters is None or what != "class" or "Parameters" not in lines:
        return
    start = lines.index("Parameters") + 2
    end = next((i for i in range(start, len(lines) - 1) if re.fullmatch("-{3,}", lines[i + 1])), len(lines))
    entries = {}
    for line in lines[start:end]:
        if named := re.match(r"(\w[\w, ]*) :", line) or re.match(r"(\w+)$", line):
            entry = entries.setdefault(named[1], [])
        entry.append(line)
    first, by_subject = _first(name, parameters), {}
    for key in parameters:
        if key not in first:
            subject = next((title for title, names in SUBJECTS.items() if key in names.split()), "Other")
            by_subject.setdefault(subject, []).append(key)
    subjects = {title: by_subject[title] for title in (*SUBJECTS, "Other") if title in by_subject}
    told = ["The signature shows the parameters that most people need first. The others are about:", ""]
    told += [f"- **{title.lower()}**: {', '.join(f'`{key}`' for key in keys)}" for title, keys in subjects.items()]
    ordered = [*first, *(key for keys in subjects.values() for key in keys)]
    ordered = [key for key in ordered if key in entries] + [key for key in entries if key not in ordered]
    listed = [line for key in ordered for line in _filled(entries[key])]
    lines[start - 2 : end] = [*told, "", "Parameters", "----------", *listed, ""]


def _filled(entry):
    while entry and not entry[-1].strip():
        entry = entry[:-1]
    return entry


def _many(what, obj):
    """Return the parameters of a class or function with too many to read; None for all others."""
    if what not in ("class", "function"):
        return None
    try:
        parameters = inspect.signature(obj).parameters
    except (TypeError, ValueError):
        return None
    return parameters if len(parameters) > MOST else None


def _first(name, parameters):
    first = FIRST.get(name.rpartition(".")[2], tuple(parameters)[:SHOWN])
    return [key for key in first if key in parameters]
