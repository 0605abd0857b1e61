"""Campaigns: many odd inputs, in processes with limits, to find what crashes, hangs or misleads. See __main__.py."""
