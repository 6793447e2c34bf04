"""User interfaces: the command line, the studio, and the animation in the browser."""
