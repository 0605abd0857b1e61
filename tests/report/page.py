"""Reads a report the way a strict browser would."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

from graphcore import Graph
from graphcore.report import write_report

TRIANGLES = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])  # two, with an edge between them

_VOID = {"meta", "input", "br", "link", "img"}
# Cells and rows end where the next one begins, or the table does.
_CLOSES = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr"), "tbody": ("td", "th", "tr")}


def written(path, *args, pictures=False, **options):
    """Write a report and return its page."""
    write_report(path, *args, pictures=pictures, **options)
    return Page(path.read_text(encoding="utf-8"))


class Page(HTMLParser):
    """Tags of a page, which must be nested properly, and its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.source = text
        self.tags, self.ids, self.scripts, self.styles, self.packed = [], [], [], [], []
        self.open, self.cells, self.rows, self.words = [], None, [], []
        self.feed(text)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        if tag != "tbody":
            self.imply_ends(tag)
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells = []
        if tag in ("td", "th") and self.cells is not None:
            self.cells.append("")

    def imply_ends(self, tag):
        """Close the cell and the row that this tag ends."""
        while self.open and self.open[-1] in _CLOSES.get(tag, ()):
            if self.open.pop() == "tr":
                self.rows.append(self.cells)

    def handle_endtag(self, tag):
        if tag not in ("td", "th"):
            self.imply_ends("td" if tag == "tr" else tag)
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()
        if tag == "tr":
            self.rows.append(self.cells)

    def handle_data(self, data):
        if "script" in self.open:
            (self.packed if self.tags[-1][1].get("id") == "data" else self.scripts).append(data)
        elif "style" in self.open:
            self.styles.append(data)
        else:
            self.words.append(data)
            if self.cells and self.open and not {"td", "th"}.isdisjoint(self.open):
                self.cells[-1] += data

    @property
    def text(self):
        """All that is shown."""
        return re.sub(r"\s+", " ", " ".join(self.words))

    @property
    def clusters(self):
        """Rows of the table of clusters, as text by column."""
        head = next(row for row in self.rows if row and row[0] == "cluster")
        after = self.rows[self.rows.index(head) + 1 :]
        rows = ([cell.strip() for cell in row] for row in after if len(row) == len(head))
        return [dict(zip(head, row, strict=True)) for row in rows]

    @property
    def data(self):
        """The data of the script."""
        return json.loads(gzip.decompress(base64.b64decode("".join(self.packed))))

    def assert_alone(self):
        """Assert that nothing is fetched."""
        fetching = {"src", "srcset", "action", "formaction", "data", "poster", "background", "ping", "manifest"}
        for tag, attrs in self.tags:
            assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form"), tag
            assert fetching.isdisjoint(attrs), (tag, attrs)
            for name in ("href", "xlink:href"):
                assert attrs.get(name, "#").startswith("#"), (tag, attrs)
                if name in attrs:
                    assert attrs[name][1:] in self.ids, attrs
            for reference in re.findall(r"url\(([^)]*)\)", " ".join(str(value) for value in attrs.values())):
                assert reference.startswith("#") and reference[1:] in self.ids, reference
        for style in self.styles:
            assert "url(" not in style and "@import" not in style
        assert "://" not in self.source
        assert "//" not in "".join(re.sub(r"//.*", "", script) for script in self.scripts)
        assert len(set(self.ids)) == len(self.ids)
