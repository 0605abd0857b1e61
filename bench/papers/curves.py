"""Curves with shaded standard deviations, as the papers draw them, and published values as hollow marks."""

import numpy as np

from .exhibit import chosen

# Lines differ in shade, mark and dashes, so that they can be told apart in grey.
SHADES = ("#1b4965", "#e0a030", "#b5547a", "#5fa58a", "#666666", "#9a7bb5")
MARKS = "os^Dv*"
DASHES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)))


def curves(ax, groups, published, *, x, y, line, lines=None):
    """Draw the means of `y` against `x` for each value of the key `line`, with published values.

    `lines` gives the values in their order, so that each has the same style in all panels. A published row without `x`
    is drawn as a level across the panel.
    """
    lines = lines or list(dict.fromkeys(group[line] for group in groups))
    for i, name in enumerate(lines):
        style = {"color": SHADES[i % len(SHADES)]}
        found = sorted((group[x], group[y]) for group in chosen(groups, **{line: name}) if group.get(y) and x in group)
        if found:
            at = [place for place, _ in found]
            middle = np.array([np.mean(values) for _, values in found])
            off = np.array([np.std(values, ddof=1) if len(values) > 1 else 0.0 for _, values in found])
            ax.fill_between(at, middle - off, middle + off, alpha=0.2, linewidth=0, **style)
            ax.plot(at, middle, MARKS[i % 6], linestyle=DASHES[i % 6], markersize=4, linewidth=1.2, label=name, **style)
        for row in chosen(published, **{line: name}):
            if not isinstance(row.get(y), int | float):
                continue
            if x in row:
                label = f"{name}, published"
                ax.plot(row[x], row[y], MARKS[i % 6], markersize=9, fillstyle="none", label=label, **style)
            else:
                ax.axhline(row[y], linewidth=0.8, linestyle=DASHES[i % 6], label=f"{name}, published", **style)
    ax.grid(alpha=0.3)


def legend(figure, axes, columns=3):
    """Draw one legend for all panels, below them."""
    entries = {}
    for ax in np.ravel(axes):
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=columns, frameon=False, fontsize="small")
