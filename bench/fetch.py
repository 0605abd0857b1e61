"""Public data sets of the papers, downloaded from their owners' servers into the data folder by pooch.

Checksums stand here where they are known: of MNIST from the loaders of other libraries, of Letter and PenDigits from
files that others have published sums of. SNAP publishes none of its compressed files, nor does UCI of HAR's archive.
"""

from pathlib import Path
from urllib.parse import unquote

_SNAP = "https://snap.stanford.edu/data"
_COMMUNITIES = f"{_SNAP}/bigdata/communities"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"
# Addresses and sha256 (None where it is not published), by folders of the data folder.
CATALOGUE = {
    "email-Eu-core": {
        f"{_SNAP}/email-Eu-core.txt.gz": None,
        f"{_SNAP}/email-Eu-core-department-labels.txt.gz": None,
    },
    "com-dblp": {f"{_COMMUNITIES}/com-dblp.ungraph.txt.gz": None},
    "com-lj": {f"{_COMMUNITIES}/com-lj.ungraph.txt.gz": None},
    "com-friendster": {f"{_COMMUNITIES}/com-friendster.ungraph.txt.gz": None},
    "wiki-topcats": {f"{_SNAP}/wiki-topcats.txt.gz": None},
    "mnist": {
        f"{_MNIST}/train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        f"{_MNIST}/train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        f"{_MNIST}/t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        f"{_MNIST}/t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    },
    "pendigits": {
        f"{_UCI}/pendigits/pendigits.tra": "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
        f"{_UCI}/pendigits/pendigits.tes": "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
    },
    "letter": {
        f"{_UCI}/letter-recognition/letter-recognition.data":
            "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
    },
    "har": {f"{_UCI}/00240/UCI%20HAR%20Dataset.zip": None},
}  # fmt: skip


def fetch(name, data):
    """Download the files of a data set that its folder lacks, and return the paths of all."""
    import pooch

    urls = {unquote(url.rpartition("/")[2]): url for url in CATALOGUE[name]}
    registry = dict(zip(urls, CATALOGUE[name].values(), strict=True))
    shelf = pooch.create(Path(data) / name, "", registry=registry, urls=urls, retry_if_failed=2)
    # A server that declares a compressed file to be compressed text would have it unpacked on the way.
    download = pooch.HTTPDownloader(progressbar=True, headers={"Accept-Encoding": "identity"})
    return [shelf.fetch(file, downloader=download) for file in registry]
