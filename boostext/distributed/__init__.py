"""Training and prediction on the workers of a Dask cluster. Dask is only imported when needed."""
