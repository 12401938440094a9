"""boostext: text categorization by boosting readable one-term rules."""

__version__ = "0.1.0"
