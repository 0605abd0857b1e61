# What type checkers see of the names that are imported when they are first used.
from .communities import coreset_spectral_communities as coreset_spectral_communities
from .graph import BackendGraph as BackendGraph
