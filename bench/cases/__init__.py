"""One file for each case.

`SEEDS` is its default number of runs, `run(options)` returns a Report; `ROOMS` are those of graphcore that it measures,
where they are not `bench.stamp.ROOMS`.
"""
