"""Where the text of a picture lies."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def texts_of(figure):
    """Return all texts that are drawn, with their boxes."""
    figure.draw_without_rendering()
    renderer = FigureCanvasAgg(figure).get_renderer()
    hidden = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low <= tick.get_loc() <= high:
                    hidden |= {tick.label1, tick.label2}
    found = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_visible() and artist.get_text())
    return [(text, text.get_window_extent(renderer)) for text in found if text not in hidden]


def assert_readable(figure):
    """Assert that no text lies on another one or beyond the border of the figure; return all texts."""
    found = texts_of(figure)
    width, height = figure.bbox.size
    for i, (text, box) in enumerate(found):
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1, text
        for other, other_box in found[:i]:
            across = min(box.x1, other_box.x1) - max(box.x0, other_box.x0)
            down = min(box.y1, other_box.y1) - max(box.y0, other_box.y0)
            assert across <= 1 or down <= 1, (text, other)
    return [text.get_text() for text, _ in found]
