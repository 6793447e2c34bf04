"""Readers of mass and stiffness matrices of FE programs (CalculiX, Abaqus, Ansys, Nastran) and of SciPy matrices."""
