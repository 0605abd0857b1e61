"""Lines of text become columns, for labels and for what is known of nodes; all lines have as many fields."""

from ..exceptions import FormatError
from ._dialect import split_line


def numbered_lines(text):
    """Yield numbered lines without their ends; a name in quotes at a line's beginning may run over several."""
    numbered = enumerate(text, 1)
    for number, line in numbered:
        if line.startswith('"') and line.count('"') % 2:
            parts = [line]
            for _, part in numbered:
                parts.append(part)
                if part.count('"') % 2:
                    break
            yield number, "".join(parts).strip("\n")
        else:
            yield number, line.strip("\n")


def read_columns(lines, delimiter, most=-1):
    """Columns, as lists of text, of numbered lines; `delimiter` None is white space, at so many places at `most`."""
    columns: list[list[str]] = []
    for number, line in lines:
        row = line.strip().split(None, most) if most >= 0 else split_line(line, delimiter, '"' in line)
        columns = columns or [[] for _ in row]
        if len(row) != len(columns):
            raise FormatError(f"line {number}: {len(row)} columns, where the lines before it have {len(columns)}")
        for column, field in zip(columns, row, strict=True):
            column.append(field)
    return columns
