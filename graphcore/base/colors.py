"""Colours of clusters, the same in pictures and in files for viewers of graphs."""

# Forty that are far apart for the eye, and visible on light and on dark paper; the first eight also where one of the
# three kinds of cones is missing.
COLORS = (
    "#3651c9", "#c9d700", "#ae2800", "#36c9ff", "#f294a1", "#866b86", "#7986ff", "#ae9400", "#006b00", "#ffaeff",
    "#bc51bc", "#43ae6b", "#ff6b43", "#ffbc94", "#8694ae", "#943694", "#00941b", "#d74343", "#e479e4", "#bc7979",
    "#00bcbc", "#f2a100", "#94bc28", "#3679ae", "#bc286b", "#5ee479", "#009486", "#00a1e4", "#006b6b", "#43e4d7",
    "#795ed7", "#ae5e00", "#aeae94", "#6b5e28", "#86865e", "#c9c9e4", "#f25e94", "#aea1f2", "#5e5194", "#bcd7a1",
)  # fmt: skip


def color_of(cluster):
    """Return the colour of a cluster, as "#rrggbb"; grey for nodes in no cluster (-1)."""
    return "#b4b4b4" if cluster < 0 else COLORS[cluster % len(COLORS)]


def components(color):
    """Return red, green and blue of "#rrggbb", from 0 to 255."""
    return tuple(bytes.fromhex(color[1:]))
