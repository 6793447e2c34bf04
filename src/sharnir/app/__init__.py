"""User interfaces: the command line and the animation in the browser."""
