"""Limits as differentiable functions of PyTorch.

    import torch
    from subsolid.torch import evaluate
    plan = solid.plan(gauss=3, derivatives=1)
    points, d_u, d_v, d_w = evaluate(plan, controls)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

import numpy as np
import torch

from ._error import Error

if TYPE_CHECKING:
    from ._subsolid import Plan

__all__ = ["evaluate"]


def _array(tensor: Any) -> Any:
    """What a plan takes."""
    tensor = tensor.detach().contiguous()
    return tensor if tensor.is_cuda else tensor.numpy()


def _tensor(array: Any) -> Any:
    """What a plan returned, without a copy."""
    return torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array)


# An evaluation is linear: the gradient of each of these functions is the other, which makes
# gradients of gradients right.


class _Evaluate(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, plan: Plan, controls: Any) -> Any:
        ctx.plan = plan
        limit: Any = plan.evaluate(_array(controls), device_output=controls.is_cuda)
        return tuple(map(_tensor, [limit.points, *limit.derivatives.values()]))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, _Adjoint.apply(ctx.plan, *gradients)


class _Adjoint(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, plan: Plan, *gradients: Any) -> Any:
        ctx.plan = plan
        values, *others = map(_array, gradients)
        derivatives = dict(zip(plan.derivatives, others))
        return _tensor(plan.adjoint(values, derivatives=derivatives))

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return (None, *_Evaluate.apply(ctx.plan, gradient))


def evaluate(plan: Plan, controls: Any) -> Union[Any, tuple[Any, ...]]:
    """Evaluates a plan so that gradients of any order flow back to the control points.

    Args:
        plan: A plan in double precision.
        controls: Control points, a tensor of shape (vertices, 3) and type float64, on the CPU or
            on the plan's GPU.

    Returns:
        Positions (n, 3) on the device of the controls; with derivatives a tuple of positions and
        each derivative.

    Raises:
        Error: For another type, device or precision.
    """
    if not isinstance(controls, torch.Tensor) or controls.dtype != torch.float64:
        raise Error("controls are not a float64 tensor", "convert them: controls.double()")
    if controls.device.type not in ("cpu", "cuda"):
        raise Error(f"controls are on {controls.device}", "copy them to the CPU: controls.cpu()")
    if plan.precision != "f64":
        raise Error("gradients of a plan in single precision", 'plan with precision="f64"')
    results = _Evaluate.apply(plan, controls)
    return results[0] if len(results) == 1 else results
