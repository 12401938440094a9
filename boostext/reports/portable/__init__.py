"""Models that predict elsewhere: in a page, in JavaScript, in Python without a package."""
