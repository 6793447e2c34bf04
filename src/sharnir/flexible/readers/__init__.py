"""Readers of mass and stiffness matrices that FE programs write: CalculiX, Abaqus, Ansys, Nastran, and plain SciPy matrices."""
