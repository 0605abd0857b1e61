"""Public data sets of the papers: where their files lie, what is known of them.

Checksums stand here where they are known: of MNIST from the loaders of other libraries, of Letter and PenDigits from
the files that the tests of this library use, which are those that others have published sums of. SNAP publishes none
of its compressed files, nor does UCI of HAR's archive: such a file can be told apart from a wrong one only by its
content, so loaders count nodes, edges and rows.
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


def _graph(name, about, n_nodes, n_edges, file, *others, **known):
    return DataSet(name, "graph", about, f"{_SNAP}/{name}.html", (file, *others), n_nodes, n_edges, **known)


def _vectors(name, about, page, n_rows, n_columns, n_classes, *files):
    return DataSet(name, "vectors", about, page, files, n_rows, None, n_columns, n_classes)


CATALOGUE = {dataset.name: dataset for dataset in (
    _graph(
        "email-Eu-core", "e-mails between members of 42 departments of a research institution; directed", 1_005, None,
        DataFile(f"{_SNAP}/email-Eu-core.txt.gz"), DataFile(f"{_SNAP}/email-Eu-core-department-labels.txt.gz"),
        n_classes=42,
    ),
    _graph(
        "com-DBLP", "authors of computer science joined by common papers", 317_080, 1_049_866,
        DataFile(f"{_COMMUNITIES}/com-dblp.ungraph.txt.gz", also=("dblp.csv.gz",)),
    ),
    _graph(
        "com-LiveJournal", "friends on a blogging site", 3_997_962, 34_681_189,
        DataFile(f"{_COMMUNITIES}/com-lj.ungraph.txt.gz"),
    ),
    _graph(
        "com-Friendster", "friends on a gaming network", 65_608_366, 1_806_067_135,
        DataFile(f"{_COMMUNITIES}/com-friendster.ungraph.txt.gz"),
    ),
    _graph(
        "wiki-topcats", "links between pages of the largest categories of Wikipedia; directed, 28,511,807 links",
        1_791_489, None, DataFile(f"{_SNAP}/wiki-topcats.txt.gz"),
    ),
    _vectors(
        "MNIST", "handwritten digits of 28 x 28 pixels", "https://yann.lecun.com/exdb/mnist/", 70_000, 784, 10,
        DataFile(
            f"{_MNIST}/train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
        ),
        DataFile(
            f"{_MNIST}/train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
        ),
        DataFile(
            f"{_MNIST}/t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
        ),
        DataFile(
            f"{_MNIST}/t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
        ),
    ),
    _vectors(
        "PenDigits", "digits written with a pen, as 8 points each", "https://archive.ics.uci.edu/dataset/81",
        10_992, 16, 10,
        DataFile(f"{_UCI}/pendigits/pendigits.tra", "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3"),
        DataFile(f"{_UCI}/pendigits/pendigits.tes", "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015"),
    ),
    _vectors(
        "Letter", "capital letters of 20 fonts, by 16 measures", "https://archive.ics.uci.edu/dataset/59",
        20_000, 16, 26,
        DataFile(
            f"{_UCI}/letter-recognition/letter-recognition.data",
            "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
        ),
    ),
    _vectors(
        "HAR", "six activities of people who carry a smartphone, by 561 measures",
        "https://archive.ics.uci.edu/dataset/240", 10_299, 561, 6,
        DataFile(f"{_UCI}/00240/UCI%20HAR%20Dataset.zip"),
    ),
)}  # fmt: skip


def find_dataset(name):
    """Return the data set of a name, in any case of letters."""
    for known, dataset in CATALOGUE.items():
        if isinstance(name, str) and known.lower() == name.lower():
            return dataset
    raise ParameterError(f"name={name!r} is no data set known here; choose one of {', '.join(CATALOGUE)}")
