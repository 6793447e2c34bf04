"""What derived code leaves to functions of the engine, which find what they need in the engine's memory."""
