# What type checkers see of the names that are imported when they are first used.
from .backend import BackendGraph as BackendGraph
from .backend import coreset_spectral_communities as coreset_spectral_communities
