"""``graphcore predict``: clusters of new vectors, or new nodes, by a saved model."""

import click

from ..exceptions import InputError
from .console import command
from .files import INPUT, OUTPUT, check_target, labels_target, output_kind
from .inputs import any_size_option, encoding_option
from .summary import count, sizes_line
from .vectors import by_order_of_columns, read_rows


@command(
    needs="cluster.estimator",
    made_up=lambda given: labels_target(given | {"input": [given["input"]]}),
    short_help="Label new vectors by a saved model.",
    examples=[
        ("a model to begin with", "graphcore cluster vectors.npy -k 10 -o labels.tsv --model model.npz"),
        ("clusters of new vectors", "graphcore predict model.npz new.npy -o new.tsv"),
        ("in a pipe", "zcat new.csv.gz | graphcore predict model.npz - --quiet -o -"),
    ],
)
@click.argument("model", metavar="MODEL", type=INPUT)
@click.argument("input", metavar="VECTORS", type=INPUT)
@any_size_option
@encoding_option
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT,
    help="Write row and label, separated by a tab (.csv: a comma; .npy: labels only; .parquet: a table); - is standard "
    "output. [default: VECTORS.clusters.tsv in the current folder, unless it exists; for standard input, standard "
    "output]",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="No summary, no warnings, no progress.")
def predict(console, model, input, any_size, encoding, output, quiet):
    """Write the clusters of new VECTORS, by those of MODEL, which stays as it is.

    MODEL is a file written by `graphcore cluster --model` or `model.save`. VECTORS is a .npy array, a .npz, a Parquet
    table, or a text table of numbers, with the columns that were clustered, in their order. For a model of a graph a
    row is a new node and holds the weights of its edges to the nodes of that graph, in their order; `graphcore update`
    takes edges. Outliers, and rows without an edge, belong to no cluster and get label -1.
    """
    import numpy as np

    from ..cluster.estimator import load
    from ..files import write_labels
    from ..files.parquet import write_table

    check_target(output, in_graph=False)
    console.expect(4)
    with console.stages("model"):
        fitted = load(model, any_size=any_size)
    with console.stages("read"):
        X, ids = read_rows(input, any_size, encoding)
    with console.stages("predict"):
        try:
            with by_order_of_columns():
                labels = fitted.predict(X)
        except ValueError as error:  # of scikit-learn, too
            said = str(error).partition("\n")[0].rstrip(".")
            if fitted.affinity_ == "precomputed" and "features" in said:
                said += f"; {model} is of a graph: a row has a weight for each of its {fitted.graph_.n_nodes} nodes"
            raise InputError(f"{input}: {said}") from error
    with console.stages("write"):
        if output_kind(output) == "parquet":
            write_table({"node": np.arange(len(labels)) if ids is None else np.array(ids), "cluster": labels}, output)
        else:
            write_labels(labels, output, ids)
    sizes = np.bincount(labels[labels >= 0], minlength=fitted.n_clusters_).tolist()
    facts = {
        "model": model, "input": input, "rows": len(labels), "without_label": len(labels) - sum(sizes),
        "n_clusters": fitted.n_clusters_, "cluster_sizes": sizes, "output": output,
    }  # fmt: skip
    lines = [
        ("input", input),
        ("rows", f"{count(len(labels), 'row')}, {facts['without_label']:,} of label -1"),
        ("clusters", sizes_line(sizes)),
        ("labels", "standard output" if output == "-" else output),
    ]
    return facts, lines
