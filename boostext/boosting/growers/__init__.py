"""Where the rules of a round may stand: conjunctions, trees, one a label, several at once."""
