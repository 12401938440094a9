"""Prior knowledge: read rules that people write, and convert them to probabilities."""
