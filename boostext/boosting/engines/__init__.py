"""Engines: how the best condition of a round is found. One interface, `Engine`; one table."""
