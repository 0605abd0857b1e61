"""From a graph and settings to labels: drafts, improved and recombined."""
