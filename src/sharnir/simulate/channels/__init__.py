"""From states to named channels, the scene and statistics."""
