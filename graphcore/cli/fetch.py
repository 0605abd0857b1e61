"""``graphcore fetch``: public data sets, from their owners' servers into a folder."""

import json

import click

from .console import Console, Job


@click.command(
    cls=Job,
    short_help="Download a public data set.",
    examples=[
        ("what there is", "graphcore fetch --list"),
        ("into ./data/mnist", "graphcore fetch mnist --folder data"),
    ],
)
@click.argument("name", metavar="NAME", required=False)
@click.option("--list", "listing", is_flag=True, help="List the data sets.")
@click.option(
    "--folder", metavar="FOLDER", help="Where a folder NAME is made. [default: $GRAPHCORE_DATASETS or a cache]"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def fetch(name, listing, folder, as_json):
    """Download the public data set NAME; after an error the same command fetches what is missing.

    Files whose checksum is published are verified; of others the checksum is printed.
    """
    if listing:
        click.echo(_listing(as_json))
        return
    if name is None:
        raise click.UsageError("which data set? graphcore fetch --list lists them")
    from ..datasets import fetch as download_all

    console = Console()
    with console.listening():
        files = download_all(name, folder, progress=console.live)
    facts = [
        {"path": file.path, "bytes": file.size, "received": file.n_received, "sha256": file.sha256,
         "verified": file.is_verified}
        for file in files
    ]  # fmt: skip
    if as_json:
        click.echo(json.dumps({"name": name, "files": facts}))
        return
    for fact in facts:
        state = "verified" if fact["verified"] else "not verified: no checksum is published"
        click.echo(f"{fact['path']}  {fact['bytes']:,} bytes, sha256 {fact['sha256']}, {state}")


def _listing(as_json):
    from ..datasets.catalogue import CATALOGUE

    facts = [
        {"name": d.name, "kind": d.kind, "rows": d.n_rows, "edges": d.n_edges, "about": d.about, "page": d.page,
         "checksums": d.is_verified}
        for d in CATALOGUE.values()
    ]  # fmt: skip
    if as_json:
        return json.dumps({"datasets": facts})
    width = max(len(fact["name"]) for fact in facts)
    unit = {"graph": "nodes", "vectors": "rows "}
    return "\n".join(
        f"{fact['name']:<{width}}  {fact['rows']:>10,} {unit[fact['kind']]}  {fact['about']}" for fact in facts
    )
