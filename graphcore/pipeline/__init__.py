"""From a graph and settings to labels: one coreset, all of them, their consensus."""
