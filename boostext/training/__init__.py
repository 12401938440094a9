"""Train models from documents, independent of files, the terminal and signals."""
