"""From documents to a model: the pipeline without files, terminal or signals."""
