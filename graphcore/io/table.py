"""Columns in files: text with a header, or Parquet."""

import csv
import os

from ..exceptions import InputError, ParameterError, missing_package
from .atomic import atomic_output

# What the ending of a file asks for.
TABLES = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}


def check_parquet():
    """Return the modules of pyarrow that are needed, or raise an InputError."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(missing_package("Parquet", "pyarrow", "parquet")) from None
    return pyarrow, pyarrow.parquet


def write_table(columns, path):
    """Write a dictionary of columns to a .csv, .tsv or .parquet file, atomically."""
    format = TABLES.get(os.path.splitext(path)[1].lower())
    if format is None:
        raise ParameterError(f"the ending of {str(path)!r} is none of {', '.join(TABLES)}")
    if format == "parquet":
        arrow, parquet = check_parquet()
        # Columns of Parquet hold one kind of values.
        columns = {k: list(map(str, v.tolist())) if v.dtype.kind == "O" else v for k, v in columns.items()}
        with atomic_output(path) as stream:
            parquet.write_table(arrow.table(columns), stream)
        return
    with atomic_output(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="," if format == "csv" else "\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
