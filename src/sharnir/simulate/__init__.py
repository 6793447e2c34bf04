"""One run: initial state, integration, recording."""
