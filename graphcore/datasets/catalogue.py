"""Public data sets of the papers: where their files lie, what is known of them.

Sizes and checksums stand here where they are known: of MNIST from the loaders of other libraries, of Letter and
PenDigits from the files that the tests of this library use, which are those that others have published sums of. SNAP
publishes none of its compressed files, nor does UCI of HAR's archive: such a file can be told apart from a wrong one
only by its content, so loaders count nodes, edges and rows.
"""

from dataclasses import dataclass

from ..exceptions import ParameterError

_SNAP = "https://snap.stanford.edu/data"
_COMMUNITIES = f"{_SNAP}/bigdata/communities"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set."""

    url: str
    size: int | None = None  # bytes; None where it is not known
    sha256: str | None = None  # None where it is not known, so that a download cannot be verified
    also: tuple = ()  # other names under which loaders take the file

    @property
    def name(self):
        """Name on disk."""
        return self.url.rpartition("/")[2].replace("%20", " ")


@dataclass(frozen=True)
class DataSet:
    """A public data set."""

    name: str
    kind: str  # "graph" or "vectors"
    about: str
    page: str  # where its owners describe it and state their terms
    files: tuple  # of DataFile; the graph or the vectors first
    n_rows: int  # nodes or vectors; a loader refuses other numbers
    n_edges: int | None = None  # undirected, self-loops included; None where only directed ones are published
    n_columns: int | None = None
    n_classes: int | None = None  # of nodes only if each has one

    @property
    def is_verified(self):
        """Whether every file has a published checksum."""
        return all(file.sha256 for file in self.files)


def _community_graph(name, stem, about, n_rows, n_edges, also=()):
    return DataSet(
        name, "graph", about, f"{_SNAP}/{name}.html", (DataFile(f"{_COMMUNITIES}/{stem}.ungraph.txt.gz", also=also),),
        n_rows, n_edges,
    )  # fmt: skip


_ALL = (
    DataSet(
        "email-Eu-core", "graph", "e-mails between members of 42 departments of a research institution; directed",
        f"{_SNAP}/email-Eu-core.html",
        (DataFile(f"{_SNAP}/email-Eu-core.txt.gz"), DataFile(f"{_SNAP}/email-Eu-core-department-labels.txt.gz")),
        1_005, n_classes=42,
    ),
    _community_graph(
        "com-DBLP", "com-dblp", "authors of computer science joined by common papers", 317_080, 1_049_866,
        ("dblp.csv.gz",),
    ),
    _community_graph("com-LiveJournal", "com-lj", "friends on a blogging site", 3_997_962, 34_681_189),
    _community_graph("com-Friendster", "com-friendster", "friends on a gaming network", 65_608_366, 1_806_067_135),
    DataSet(
        "wiki-topcats", "graph",
        "links between pages of the largest categories of Wikipedia; directed, 28,511,807 links",
        f"{_SNAP}/wiki-topcats.html", (DataFile(f"{_SNAP}/wiki-topcats.txt.gz"),), 1_791_489,
    ),
    DataSet(
        "MNIST", "vectors", "handwritten digits of 28 x 28 pixels", "https://yann.lecun.com/exdb/mnist/",
        (
            DataFile(
                f"{_MNIST}/train-images-idx3-ubyte.gz", 9_912_422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            ),
            DataFile(
                f"{_MNIST}/train-labels-idx1-ubyte.gz", 28_881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            ),
            DataFile(
                f"{_MNIST}/t10k-images-idx3-ubyte.gz", 1_648_877,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            ),
            DataFile(
                f"{_MNIST}/t10k-labels-idx1-ubyte.gz", 4_542,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            ),
        ),
        70_000, n_columns=784, n_classes=10,
    ),
    DataSet(
        "PenDigits", "vectors", "digits written with a pen, as 8 points each", "https://archive.ics.uci.edu/dataset/81",
        (
            DataFile(
                f"{_UCI}/pendigits/pendigits.tra", 502_098,
                "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
            ),
            DataFile(
                f"{_UCI}/pendigits/pendigits.tes", 234_366,
                "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
            ),
        ),
        10_992, n_columns=16, n_classes=10,
    ),
    DataSet(
        "Letter", "vectors", "capital letters of 20 fonts, by 16 measures", "https://archive.ics.uci.edu/dataset/59",
        (
            DataFile(
                f"{_UCI}/letter-recognition/letter-recognition.data", 712_565,
                "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
            ),
        ),
        20_000, n_columns=16, n_classes=26,
    ),
    DataSet(
        "HAR", "vectors", "six activities of people who carry a smartphone, by 561 measures",
        "https://archive.ics.uci.edu/dataset/240", (DataFile(f"{_UCI}/00240/UCI%20HAR%20Dataset.zip"),),
        10_299, n_columns=561, n_classes=6,
    ),
)  # fmt: skip
CATALOGUE = {dataset.name: dataset for dataset in _ALL}


def find_dataset(name):
    """Return the data set of a name, in any case of letters."""
    for known, dataset in CATALOGUE.items():
        if isinstance(name, str) and known.lower() == name.lower():
            return dataset
    raise ParameterError(f"name={name!r} is no data set known here; choose one of {', '.join(CATALOGUE)}")
