"""Campaigns: many odd inputs, in processes with limits, to find crashes, hangs and wrong results.

    python -m bench.campaigns files --cases 10000 --seed 1     10,000 damaged files
    python -m bench.campaigns files --seed 1 --case 77          that one again, here, with its traceback

Failures are counted by kind; the files of each are kept in campaign-failures/.
"""
