"""The layout of `table`, `params` and `work`; coordinates, engine frames, functions by address, the drawing."""
