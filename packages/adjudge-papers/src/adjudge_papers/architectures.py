"""Four published convolutional networks in plain torch, layer by layer as in their papers.

They are written out here because the packages that contain them need torchvision, which is not available on every
machine that runs torch. With 1,000 classes, the numbers of parameters equal the published ones (see the tests).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor, nn

__all__ = ["NETWORKS", "build_network"]


def build_network(name: str, n_classes: int) -> nn.Module:
    """Return a network with random weights drawn from torch's global generator.

    Parameters
    ----------
    name : str
        A key of :data:`NETWORKS`.
    n_classes : int
    """
    network = NETWORKS[name](n_classes)
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            # fan_in counts the inputs of one group, which is also right for depthwise convolutions.
            nn.init.kaiming_normal_(module.weight, mode="fan_in", nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.01)
            nn.init.zeros_(module.bias)
    return network


def _conv(
    inputs: int, outputs: int, size: int = 1, stride: int = 1, *, groups: int = 1, padding: int | None = None
) -> nn.Conv2d:
    pad = size // 2 if padding is None else padding
    return nn.Conv2d(inputs, outputs, size, stride, pad, groups=groups, bias=False)


def _conv_norm(
    inputs: int,
    outputs: int,
    size: int = 1,
    stride: int = 1,
    *,
    groups: int = 1,
    padding: int | None = None,
    activation: Callable[[], nn.Module] | None = None,
) -> list[nn.Module]:
    """Return a convolution, a batch normalisation and, if given, the activation."""
    layers: list[nn.Module] = [
        _conv(inputs, outputs, size, stride, groups=groups, padding=padding),
        nn.BatchNorm2d(outputs),
    ]
    return [*layers, activation()] if activation else layers


class _Head(nn.Module):
    """Global average pooling, dropout, one linear layer."""

    def __init__(self, inputs: int, n_classes: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(inputs, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.linear(self.dropout(x.mean((2, 3))))
        return scores


class _PreactivationBottleneck(nn.Module):
    """1x1, 3x3, 1x1, each after normalisation and ReLU; if the shape changes, the activated input is projected."""

    def __init__(self, inputs: int, width: int, stride: int, project: bool) -> None:
        super().__init__()
        outputs = 4 * width
        self.activate = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU())
        self.project = _conv(inputs, outputs, 1, stride) if project else None
        self.residual = nn.Sequential(
            *_conv_norm(inputs, width, activation=nn.ReLU),
            *_conv_norm(width, width, 3, stride, activation=nn.ReLU),
            _conv(width, outputs),
        )

    def forward(self, x: Tensor) -> Tensor:
        active = self.activate(x)
        shortcut = x if self.project is None else self.project(active)
        total: Tensor = shortcut + self.residual(active)
        return total


def _resnet50v2(n_classes: int) -> nn.Module:
    layers: list[nn.Module] = [_conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(_PreactivationBottleneck(inputs, width, stride if block == 0 else 1, block == 0))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.BatchNorm2d(inputs), nn.ReLU(), _Head(inputs, n_classes))


class _SqueezeExcite(nn.Module):
    """Squeeze and excitation: channel weights computed from the channel means."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(channels, squeezed, 1)
        self.expand = nn.Conv2d(squeezed, channels, 1)
        self.activation = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        weights = torch.sigmoid(self.expand(self.activation(self.reduce(x.mean((2, 3), keepdim=True)))))
        return x * weights


class _InvertedResidual(nn.Module):
    """Expansion, depthwise convolution (with optional squeeze and excitation), linear projection."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        expansion: int,
        size: int,
        stride: int,
        activation: Callable[[], nn.Module],
        squeeze: bool,
        drop: float = 0.0,
    ) -> None:
        super().__init__()
        width = expansion * inputs
        layers = _conv_norm(inputs, width, activation=activation) if expansion > 1 else []
        layers += _conv_norm(width, width, size, stride, groups=width, activation=activation)
        if squeeze:
            layers.append(_SqueezeExcite(width, max(1, inputs // 4)))
        layers += _conv_norm(width, outputs)
        self.residual = nn.Sequential(*layers)
        self.shortcut = stride == 1 and inputs == outputs
        self.drop = drop

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.residual(x)
        if not self.shortcut:
            return out
        if self.training and self.drop > 0:  # stochastic depth: whole images skip the block
            keep = torch.rand(len(out), 1, 1, 1, device=out.device) >= self.drop
            out = out * keep.to(out.dtype) / (1 - self.drop)
        return x + out


def _mobilenetv2(n_classes: int) -> nn.Module:
    layers = _conv_norm(3, 32, 3, 2, activation=nn.ReLU6)
    inputs = 32
    plan = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for expansion, outputs, blocks, stride in plan:
        for block in range(blocks):
            layers.append(
                _InvertedResidual(
                    inputs,
                    outputs,
                    expansion=expansion,
                    size=3,
                    stride=stride if block == 0 else 1,
                    activation=nn.ReLU6,
                    squeeze=False,
                )
            )
            inputs = outputs
    return nn.Sequential(
        *layers, *_conv_norm(inputs, 1280, activation=nn.ReLU6), _Head(1280, n_classes, dropout=0.2)
    )


def _efficientnet_b0(n_classes: int) -> nn.Module:
    layers = _conv_norm(3, 32, 3, 2, activation=nn.SiLU)
    inputs = 32
    plan = (
        (1, 16, 1, 3, 1),
        (6, 24, 2, 3, 2),
        (6, 40, 2, 5, 2),
        (6, 80, 3, 3, 2),
        (6, 112, 3, 5, 1),
        (6, 192, 4, 5, 2),
        (6, 320, 1, 3, 1),
    )
    n_blocks = sum(blocks for _, _, blocks, _, _ in plan)
    done = 0
    for expansion, outputs, blocks, size, stride in plan:
        for block in range(blocks):
            layers.append(
                _InvertedResidual(
                    inputs,
                    outputs,
                    expansion=expansion,
                    size=size,
                    stride=stride if block == 0 else 1,
                    activation=nn.SiLU,
                    squeeze=True,
                    drop=0.2 * done / n_blocks,
                )
            )
            inputs = outputs
            done += 1
    return nn.Sequential(
        *layers, *_conv_norm(inputs, 1280, activation=nn.SiLU), _Head(1280, n_classes, dropout=0.2)
    )


def _separable(inputs: int, outputs: int) -> list[nn.Module]:
    return [_conv(inputs, inputs, 3, groups=inputs), _conv(inputs, outputs), nn.BatchNorm2d(outputs)]


class _SeparableBlock(nn.Module):
    """Separable convolutions, each after a ReLU (except the first in the network), with a linear shortcut."""

    def __init__(self, widths: tuple[int, ...], *, pool: bool, first_relu: bool = True) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for step, (inputs, outputs) in enumerate(pairwise(widths)):
            if step > 0 or first_relu:
                layers.append(nn.ReLU())  # not in place: the shortcut reads the same tensor
            layers += _separable(inputs, outputs)
        if pool:
            layers.append(nn.MaxPool2d(3, 2, 1))
        self.residual = nn.Sequential(*layers)
        self.shortcut = nn.Sequential(*_conv_norm(widths[0], widths[-1], 1, 2)) if pool else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        total: Tensor = self.residual(x) + self.shortcut(x)
        return total


def _xception(n_classes: int) -> nn.Module:
    conv = partial(_conv_norm, padding=0, activation=nn.ReLU)
    return nn.Sequential(
        *conv(3, 32, 3, 2),
        *conv(32, 64, 3),
        _SeparableBlock((64, 128, 128), pool=True, first_relu=False),
        _SeparableBlock((128, 256, 256), pool=True),
        _SeparableBlock((256, 728, 728), pool=True),
        *(_SeparableBlock((728, 728, 728, 728), pool=False) for _ in range(8)),
        _SeparableBlock((728, 728, 1024), pool=True),
        *_separable(1024, 1536),
        nn.ReLU(),
        *_separable(1536, 2048),
        nn.ReLU(),
        _Head(2048, n_classes),
    )


NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "ResNet50V2": _resnet50v2,
    "MobileNetV2": _mobilenetv2,
    "EfficientNet-B0": _efficientnet_b0,
    "Xception": _xception,
}
