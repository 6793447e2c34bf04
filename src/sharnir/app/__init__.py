"""What a person touches: the command line and the animation in the browser."""
