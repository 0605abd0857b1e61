"""Generated vectors in place of data sets that cannot be had: of their size, dimension and number of classes.

What is found on them compares methods with each other. It does not compare with what was published on the data.
"""

import numpy as np

# Rows of each hand in both parts of the Avila data, in the order of the letters A to I, W, X, Y.
AVILA_SIZES = (8572, 10, 206, 705, 2190, 3923, 893, 1039, 1663, 89, 1044, 533)
IOT_SIZES = (8000,) * 5
BANK_SIZES = (762, 610)
MUSHROOM_SIZES = (4208, 3916)
# How many values each of 22 attributes has; 112 in all.
MUSHROOM_VALUES = (6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 4, 4, 4, 8, 8, 1, 4, 3, 5, 8, 6, 6)


def mixture(sizes, n_features, *, n_parts=3, reach=4.5, seed=0):
    """Classes of several elongated normal parts each: (vectors, classes).

    Places of the parts are normal and about `reach` from the origin; a part has deviations between 0.3 and 1.7 along
    axes of its own.
    """
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for c, size in enumerate(sizes):
        for part in np.array_split(np.arange(size), n_parts):
            axes = np.linalg.qr(rng.standard_normal((n_features, n_features)))[0]
            spread = axes * rng.uniform(0.3, 1.7, n_features)
            place = reach / np.sqrt(n_features) * rng.standard_normal(n_features)
            rows.append(place + rng.standard_normal((len(part), n_features)) @ spread.T)
            labels += [c] * len(part)
    order = rng.permutation(len(labels))
    return np.concatenate(rows)[order], np.array(labels)[order]


def avila(seed=0):
    """20,867 rows of 10 features in 12 classes, of the sizes of the Avila data."""
    return mixture(AVILA_SIZES, 10, seed=seed)


def iot(seed=0):
    """40,000 rows of 115 features in 5 classes."""
    return mixture(IOT_SIZES, 115, seed=seed)


def bank_notes(seed=0):
    """1,372 rows of 4 features in 2 classes, of the sizes of the Bank Notes data."""
    return mixture(BANK_SIZES, 4, seed=seed)


def mushrooms(seed=0, *, n_species=24, purity=0.85, kinship=1 / 3):
    """8,124 rows of 112 zeros and ones in 2 classes: 22 attributes, one value of each in a row, as in Mushrooms.

    The original is compiled from the descriptions of two dozen species, so each class here is made of 12. A species
    has a usual value of every attribute, with probability `kinship` that of its class; a row takes the usual value with
    probability `purity`, and else any.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], MUSHROOM_SIZES)
    half = n_species // 2
    species = half * labels + rng.integers(0, half, len(labels))
    blocks = []
    for n_values in MUSHROOM_VALUES:
        shared = rng.integers(0, n_values, 2).repeat(half)
        usual = np.where(rng.random(n_species) < kinship, shared, rng.integers(0, n_values, n_species))
        value = np.where(rng.random(len(labels)) < purity, usual[species], rng.integers(0, n_values, len(labels)))
        blocks.append(np.eye(n_values)[value])
    order = rng.permutation(len(labels))
    return np.hstack(blocks)[order], labels[order]
