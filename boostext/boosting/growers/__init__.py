"""Weak learners, which find the rules of a round: stumps, trees, conjunctions and others."""
