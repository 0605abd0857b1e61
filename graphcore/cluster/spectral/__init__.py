"""Label the few: partition a coreset graph by its spectrum."""
