"""Campaigns: many odd inputs, in processes with limits, to find crashes, hangs and wrong results. See __main__.py."""
