"""One file for each case: `SEEDS`, its default number of runs, and `run(options)`, which returns a Report."""
