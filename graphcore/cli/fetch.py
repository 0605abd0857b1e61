"""``graphcore fetch``: public data sets, from their owners' servers into a folder."""

import click

from .console import Command


@click.command(
    cls=Command,
    short_help="Download a public data set.",
    examples=[
        ("what there is", "graphcore fetch --list"),
        ("into ./data/MNIST", "graphcore fetch mnist --folder data"),
    ],
)
@click.argument("name", metavar="NAME", required=False)
@click.option("--list", "listing", is_flag=True, help="List the data sets.")
@click.option(
    "--folder", metavar="FOLDER", help="Where a folder NAME is made. [default: $GRAPHCORE_DATASETS or a cache]"
)
def fetch(console, name, listing, folder):
    """Download the public data set NAME; after an error the same command fetches what is missing.

    Files whose checksum is published are verified; of others the checksum is printed.
    """
    if listing:
        if name is not None or folder is not None:
            raise click.UsageError("--list lists all data sets; leave out NAME and --folder")
        return _listing()
    if name is None:
        raise click.UsageError("which data set? graphcore fetch --list lists them")
    from ..datasets import fetch as download_all

    files = download_all(name, folder, progress=console.live)
    state = {True: "verified", False: "not verified: no checksum is published"}
    facts = [
        {"path": file.path, "bytes": file.size, "received": file.n_received, "sha256": file.sha256,
         "verified": file.is_verified}
        for file in files
    ]  # fmt: skip
    lines = [(file.path, f"{file.size:,} bytes, sha256 {file.sha256}, {state[file.is_verified]}") for file in files]
    return {"name": name, "files": facts}, lines


def _listing():
    from ..datasets.catalogue import CATALOGUE

    facts = [
        {"name": d.name, "kind": d.kind, "rows": d.n_rows, "edges": d.n_edges, "about": d.about, "page": d.page,
         "checksums": d.is_verified}
        for d in CATALOGUE.values()
    ]  # fmt: skip
    unit = {"graph": "nodes", "vectors": "rows "}
    return {"datasets": facts}, [(d.name, f"{d.n_rows:>10,} {unit[d.kind]}  {d.about}") for d in CATALOGUE.values()]
