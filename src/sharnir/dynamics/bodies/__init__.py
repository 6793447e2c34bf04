"""Motion of joints and bodies at one state; a flexible body by itself."""
