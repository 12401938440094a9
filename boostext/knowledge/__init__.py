"""What people know before there is data: their rules, read, and made into probabilities."""
