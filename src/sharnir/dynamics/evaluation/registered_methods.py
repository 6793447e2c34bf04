"""Methods defined outside the package: registered by name, with the functions that compute accelerations."""

from __future__ import annotations

from sharnir.dynamics.evaluation.flexible_right_hand_sides import ELASTIC_DERIVATIVES
from sharnir.dynamics.evaluation.right_hand_sides import DERIVATIVES
from sharnir.dynamics.evaluation.tree_parts import TREE_PARTS, TreePart
from sharnir.dynamics.methods.all_methods import Method, list_method
from sharnir.errors import ModelError
from sharnir.kernel import Pointer


def register_method(
    method: Method, derivative: Pointer, flexible: Pointer | None = None, tree_part: TreePart | None = None
) -> None:
    """Let models choose a method: `derivative` is its C function ẏ(t, y), `flexible` that of models with flexible bodies.

    tree_part : what it does for mechanisms with loops or constraints (evaluation/tree_parts); without it they are refused.

    Its right-hand side begins with `right_hand_sides.prepare`, which fills motions, kinematics and forces, and ends with
    `update_rates`; its own memory stands at W_METHOD.

    >>> register_method(Method("twin", "composite bodies once more", 3), DERIVATIVES["composite"])
    Traceback (most recent call last):
    sharnir.errors.ModelError: method 'twin': give the function for flexible bodies too, or set handles_flexible=False ...
    """
    if method.handles_flexible and flexible is None:
        raise ModelError(
            f"method '{method.name}': give the function for flexible bodies too, or set handles_flexible=False in the method"
        )
    list_method(method)
    DERIVATIVES[method.name] = derivative
    if flexible is not None:
        ELASTIC_DERIVATIVES[method.name] = flexible
    if tree_part is not None:
        TREE_PARTS[method.name] = tree_part
