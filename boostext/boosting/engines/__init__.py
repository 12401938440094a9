"""Engines, which find the best condition of a round. All have the interface `interface.Engine`."""
