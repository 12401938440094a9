"""What people call from Python: the whole tool, with data as people hold it."""
