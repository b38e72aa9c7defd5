"""Train the networks by k-fold cross-validation and keep what each predicts for images it was not trained on.

Needs only torch and NumPy, so it runs on a bare machine with a GPU::

    python -m adjudge_papers.networks --images images.npz --output results --network Xception --device cuda

The image file holds `images` (uint8, of shape (n, height, width) or (n, height, width, 3)) and `labels`. Each fold is
written atomically when it is done; an interrupted run resumes with the missing folds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor, nn

from adjudge.atomic import write_atomically
from adjudge.errors import AdjudgeError, InputError, Option
from adjudge_papers.architectures import NETWORKS, build_network
from adjudge_papers.folds import CURVES, check_settings, fold_path

__all__ = ["Training", "assign_folds", "make_repeatable", "train_network"]

GRAPH_WARM_UP = 3  # steps in which the libraries allocate memory, which a captured step must not do


@dataclass(frozen=True)
class Training:
    """Everything besides the images that a result depends on.

    Attributes
    ----------
    folds, epochs, batch : int
    size : int
        Height and width to which images are resized before the first layer.
    learning_rate : float
        Its maximum, reached after a fifth of the steps; it then falls to 0 along a cosine.
    weight_decay : float
    shift : int
        Training images are shifted by up to this many pixels, in both directions.
    flip : bool
        Whether training images are mirrored at random.
    precision : {"float32", "bfloat16"}
    seed : int
    """

    folds: int = 10
    epochs: int = 12
    batch: int = 512
    size: int = 64
    learning_rate: float = 0.002
    weight_decay: float = 0.05
    shift: int = 2
    flip: bool = False
    precision: str = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("folds", 2), ("epochs", 1), ("batch", 2), ("size", 32)):
            if getattr(self, name) < least:
                raise InputError(Option(name, getattr(self, name)), f" is too small: give at least {least}")


def assign_folds(labels: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """Deal the images of each class to the folds in turn, in random order."""
    smallest = int(np.bincount(labels).min())
    if smallest < folds:
        raise InputError(f"the smallest class has {smallest} images: give at most {smallest} folds")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(labels))
    dealt = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(len(labels), np.int64)
    fold[dealt] = np.arange(len(labels)) % folds
    return fold


def train_network(
    images: NDArray[np.uint8],
    labels: NDArray[np.int64],
    network: str,
    output: Path,
    training: Training,
    *,
    device: str = "cpu",
    only_folds: Iterable[int] | None = None,
    graphs: bool = True,
    until: float = math.inf,
    say: Callable[[str], None] = print,
) -> bool:
    """Train a network on each fold that `output` lacks.

    Parameters
    ----------
    images : ndarray of uint8 of shape (n, height, width) or (n, height, width, 3)
    labels : ndarray of int of shape (n,)
        Classes 0, 1, 2, ...
    network : str
    output : Path
    training : Training
    device : str
    only_folds : iterable of int, optional
    graphs : bool
        On CUDA, record one step and replay it, instead of launching its thousand kernels one by one.
    until : float
        Start no fold that would end after this time (``time.monotonic()``) if it took as long as the last one.
    say : callable

    Returns
    -------
    bool
        Whether all requested folds exist.
    """
    settings = _settings(images, labels, network, training)
    folds = assign_folds(labels, training.folds, training.seed)
    output.mkdir(parents=True, exist_ok=True)
    took = 0.0
    for fold in range(training.folds) if only_folds is None else only_folds:
        path = fold_path(output, network, fold)
        if path.exists():
            check_settings(path, settings)
            continue
        started = time.monotonic()
        if started + took > until:
            return False
        torch.manual_seed(training.seed * 1009 + fold)
        test = np.flatnonzero(folds == fold)
        train = np.flatnonzero(folds != fold)
        record = _train_fold(images, labels, train, test, network, training, device, graphs)
        record |= {"test": test, "settings": json.dumps(settings), "device": _device_name(device)}
        write_atomically(path, partial(_save, record=record))
        took = time.monotonic() - started
        right = np.mean(record["predicted"] == labels[test])
        say(f"{network}: fold {fold + 1} of {training.folds}, accuracy {right:.4f}, {took:.1f} s")
    return True


def _save(stream: IO[bytes], record: dict[str, Any]) -> None:
    np.savez_compressed(stream, **record)


def _settings(
    images: NDArray[np.uint8], labels: NDArray[np.int64], network: str, training: Training
) -> dict[str, Any]:
    digest = hashlib.sha256(np.ascontiguousarray(images).tobytes())
    digest.update(labels.astype("<i8").tobytes())
    return {"network": network, "n": len(labels), "images": digest.hexdigest(), **asdict(training)}


def _device_name(device: str) -> str:
    if torch.device(device).type == "cuda":
        return str(torch.cuda.get_device_name(device))
    return f"CPU, {torch.get_num_threads()} threads"


def _train_fold(
    images: NDArray[np.uint8],
    labels: NDArray[np.int64],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    network: str,
    training: Training,
    device: str,
    graphs: bool,
) -> dict[str, Any]:
    model = build_network(network, int(labels.max()) + 1).to(device, memory_format=torch.channels_last)
    pixels = torch.from_numpy(np.ascontiguousarray(images)).to(device)
    targets = torch.from_numpy(labels.astype(np.int64)).to(device)
    picture = _Picture(pixels, torch.from_numpy(train).to(device), training)
    step = _Step(model, picture, targets, training, graphs=graphs and torch.device(device).type == "cuda")

    batch = min(training.batch, len(train))
    per_epoch = len(train) // batch
    n_steps = training.epochs * per_epoch
    curves: dict[str, list[float]] = {name: [] for name in CURVES}
    done = 0
    for _ in range(training.epochs):
        started = time.perf_counter()
        model.train()
        step.forget()
        order = torch.from_numpy(train)[torch.randperm(len(train))].to(device)
        for chosen in order[: per_epoch * batch].view(per_epoch, batch):
            step(chosen, _learning_rate(training, done / n_steps))
            done += 1
        loss, right = step.totals()
        curves["loss"].append(loss / per_epoch)
        curves["training_accuracy"].append(right / (per_epoch * batch))
        curves["seconds"].append(time.perf_counter() - started)
        predicted, confidence = _predict(model, picture, torch.from_numpy(test).to(device), training)
        curves["test_accuracy"].append(float(np.mean(predicted == labels[test])))
    if not math.isfinite(curves["loss"][-1]):
        raise AdjudgeError(
            f"{network}: the loss is {curves['loss'][-1]} after {training.epochs} epochs: lower ",
            Option("learning_rate"),
        )
    return {
        "predicted": predicted,
        "confidence": confidence,
        **{name: np.array(values) for name, values in curves.items()},
    }


def _learning_rate(training: Training, progress: float) -> float:
    rise = 0.2
    if progress < rise:
        return training.learning_rate * (progress + 0.01) / (rise + 0.01)
    return training.learning_rate * 0.5 * (1 + math.cos(math.pi * (progress - rise) / (1 - rise)))


class _Picture:
    """Images on the device, as the network sees them: shifted and mirrored in training, resized, standardized."""

    def __init__(self, pixels: Tensor, train: Tensor, training: Training) -> None:
        if pixels.ndim == 3:
            pixels = pixels[..., None]
        self.pixels = pixels
        self.training = training
        values = pixels[train[:20_000]].float()
        self.mean = values.mean((0, 1, 2)).view(-1, 1, 1)
        self.deviation = values.std((0, 1, 2)).clamp_min(1).view(-1, 1, 1)

    def plain(self, chosen: Tensor) -> Tensor:
        return self._finish(self.pixels[chosen])

    def varied(self, chosen: Tensor) -> Tensor:
        _, height, width, _ = self.pixels.shape
        shift = self.training.shift
        n, device = len(chosen), chosen.device
        rows = torch.arange(height, device=device) + torch.randint(-shift, shift + 1, (n, 1), device=device)
        columns = torch.arange(width, device=device) + torch.randint(-shift, shift + 1, (n, 1), device=device)
        if self.training.flip:
            columns = torch.where(torch.rand(n, 1, device=device) < 0.5, columns, width - 1 - columns)
        # Pixels at the border repeat beyond it.
        rows, columns = rows.clamp(0, height - 1), columns.clamp(0, width - 1)
        return self._finish(self.pixels[chosen[:, None, None], rows[:, :, None], columns[:, None, :]])

    def _finish(self, pixels: Tensor) -> Tensor:
        x = (pixels.permute(0, 3, 1, 2).float() - self.mean) / self.deviation
        size = (self.training.size, self.training.size)
        if x.shape[2:] != size:
            x = F.interpolate(x, size=size, mode="bilinear", align_corners=False)
        return x.expand(-1, 3, -1, -1).contiguous(memory_format=torch.channels_last)


def _mixed(device: torch.device, training: Training) -> AbstractContextManager[Any]:
    if training.precision == "bfloat16":
        mixed: AbstractContextManager[Any] = torch.autocast(device.type, dtype=torch.bfloat16)
        return mixed
    return nullcontext()


class _Step:
    """One step of the optimiser; on CUDA it is recorded once and replayed."""

    def __init__(
        self, model: nn.Module, picture: _Picture, targets: Tensor, training: Training, *, graphs: bool
    ) -> None:
        self.model, self.picture, self.targets, self.training = model, picture, targets, training
        device = targets.device
        self.rate = torch.zeros((), device=device)
        self.loss = torch.zeros((), device=device)
        self.right = torch.zeros((), device=device)
        decayed = [p for p in model.parameters() if p.ndim > 1]
        others = [p for p in model.parameters() if p.ndim <= 1]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": decayed, "weight_decay": training.weight_decay},
                {"params": others, "weight_decay": 0.0},
            ],
            lr=self.rate,
            fused=True,
            capturable=device.type == "cuda",
        )
        self.graphs = graphs
        self.graph: Any = None
        self.chosen: Tensor | None = None
        self.warm = 0

    def __call__(self, chosen: Tensor, rate: float) -> None:
        self.rate.fill_(rate)
        if not self.graphs:
            self._run(chosen)
        elif self.warm < GRAPH_WARM_UP:
            self._warm_up(chosen)
        else:
            if self.graph is None:
                self._record(chosen)
            assert self.chosen is not None
            self.chosen.copy_(chosen)
            self.graph.replay()

    def forget(self) -> None:
        self.loss.zero_()
        self.right.zero_()

    def totals(self) -> tuple[float, float]:
        return float(self.loss), float(self.right)

    def _run(self, chosen: Tensor) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        wanted = self.targets[chosen]
        with _mixed(chosen.device, self.training):
            scores = self.model(self.picture.varied(chosen))
            loss = F.cross_entropy(scores, wanted)
        loss.backward()
        self.optimizer.step()
        self.loss += loss.detach()
        self.right += (scores.detach().argmax(1) == wanted).sum()

    def _warm_up(self, chosen: Tensor) -> None:
        # Steps before a capture must run on a stream other than the default one.
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._run(chosen)
        torch.cuda.current_stream().wait_stream(stream)
        self.warm += 1

    def _record(self, chosen: Tensor) -> None:
        self.chosen = chosen.clone()
        self.optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._run(self.chosen)


@torch.no_grad()
def _predict(
    model: nn.Module, picture: _Picture, chosen: Tensor, training: Training
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    model.eval()
    found = []
    with _mixed(chosen.device, training):
        for part in chosen.split(2 * training.batch):
            found.append(model(picture.plain(part)).float().softmax(1).max(1))
    confidence = torch.cat([f.values for f in found]).cpu().numpy()
    predicted = torch.cat([f.indices for f in found]).cpu().numpy()
    return predicted, confidence


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m adjudge_papers.networks", description=__doc__.splitlines()[0]
    )
    defaults = Training()
    parser.add_argument("--images", type=Path, required=True, help="an .npz file with images and labels")
    parser.add_argument("--output", type=Path, required=True, help="folder for the folds")
    parser.add_argument(
        "--network", action="append", choices=list(NETWORKS), help="repeatable; default: all four"
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--only-fold", type=int, action="append", help="repeatable; counted from 0")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no fold that would end later")
    parser.add_argument("--no-graphs", action="store_true", help="launch each kernel separately (CUDA)")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), help="default: bfloat16 on CUDA")
    parser.add_argument("--flip", action="store_true")
    for name in ("folds", "epochs", "batch", "size", "shift", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(defaults, name))
    parser.add_argument("--learning-rate", type=float, default=defaults.learning_rate)
    parser.add_argument("--weight-decay", type=float, default=defaults.weight_decay)
    return parser


def make_repeatable() -> None:
    """Make torch use only deterministic algorithms."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.set_flush_denormal(True)  # CPUs are slow at subnormal numbers


def main(arguments: list[str] | None = None) -> int:
    """Run the training from the command line; return the exit status."""
    asked = _parser().parse_args(arguments)
    started = time.monotonic()
    make_repeatable()
    cuda = torch.device(asked.device).type == "cuda"
    try:
        names = ("folds", "epochs", "batch", "size", "shift", "seed", "learning_rate", "weight_decay", "flip")
        training = Training(
            **{name: getattr(asked, name) for name in names},
            precision=asked.precision or ("bfloat16" if cuda else "float32"),
        )
        with np.load(asked.images) as file:
            images, labels = file["images"], file["labels"].astype(np.int64)
        complete = [
            train_network(
                images,
                labels,
                network,
                asked.output,
                training,
                device=asked.device,
                only_folds=asked.only_fold,
                graphs=not asked.no_graphs,
                until=started + 60 * asked.minutes,
                say=lambda line: print(line, flush=True),
            )
            for network in asked.network or NETWORKS
        ]
    except AdjudgeError as error:
        print(error, file=sys.stderr)
        return 2
    if not all(complete):
        print(
            "out of time: run the same command again to train the missing folds",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
