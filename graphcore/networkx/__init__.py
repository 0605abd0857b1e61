"""Use with networkx: communities, and a backend that runs some of its functions on compressed rows."""

from ..base.lazy import lazy_names

_HOMES = {"BackendGraph": ".backend", "coreset_spectral_communities": ".backend"}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
