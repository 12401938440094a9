"""Training and prediction on the workers of a Dask cluster; Dask is imported when it is used."""
