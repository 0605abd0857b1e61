"""Graph clustering: coresets, spectral partitions, partitions of all nodes, the loop around them, the choice of k."""
