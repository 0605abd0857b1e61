"""Write the small files of this folder from what networkx and scikit-learn ship.

Run ``python datasets/make.py [FOLDER]``; the files come out the same every time.
"""

import sys
from pathlib import Path

import networkx as nx
from sklearn.datasets import load_digits


def write_karate(folder):
    """Zachary's karate club: edges with weights, and the side that every member took."""
    club = nx.karate_club_graph()
    # networkx counts from 0, Zachary's article and most copies of the data from 1.
    edges = [f"{min(i, j) + 1}\t{max(i, j) + 1}\t{weight}" for i, j, weight in club.edges(data="weight")]
    head = ["# Zachary's karate club: 34 members, 78 edges", "# member\tmember\tsettings in which they met"]
    write(folder / "karate.txt", head + edges)
    write(folder / "karate-labels.tsv", [f"{i + 1}\t{side}" for i, side in club.nodes(data="club")])


def write_digits(folder):
    """Handwritten digits: one image of 8 x 8 pixels a line, row by row, and the digit that each shows."""
    digits = load_digits()
    names = ",".join(f"pixel_{row}_{column}" for row in range(8) for column in range(8))
    images = [",".join(map(str, image)) for image in digits.data.astype(int).tolist()]
    write(folder / "digits.csv", [names, *images])
    write(folder / "digits-labels.tsv", [f"{i}\t{digit}" for i, digit in enumerate(digits.target.tolist())])


def write(path, lines):
    """Write lines, ended the same way on every system."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    write_karate(target)
    write_digits(target)
