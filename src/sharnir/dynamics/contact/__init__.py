"""Points against boundaries, contact laws, groups of bodies, wheels."""
