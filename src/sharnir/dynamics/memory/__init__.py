"""What lies where in `table`, `params` and `work`; coordinates, engine frames, functions by address, the drawing."""
