"""One file for each case: `SEEDS` is its default number of runs, `run(options)` returns a Report."""
