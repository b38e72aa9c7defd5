"""The networks: their published sizes, and training by cross-validation that can be interrupted."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import InputError
from conftest import raises_line

torch = pytest.importorskip("torch", reason="the extra 'deep' is not installed")

from adjudge_papers import networks  # noqa: E402
from adjudge_papers.architectures import NETWORKS, build_network  # noqa: E402
from adjudge_papers.folds import collect  # noqa: E402

SMALL = networks.Training(folds=3, epochs=2, batch=16, size=32, learning_rate=0.002, shift=1)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("ResNet50V2", 25_549_352),
        ("MobileNetV2", 3_504_872),
        ("EfficientNet-B0", 5_288_548),
        ("Xception", 22_855_952),
    ],
)
def test_published_numbers_of_parameters(name, parameters):
    assert sum(p.numel() for p in build_network(name, 1000).parameters()) == parameters


@pytest.mark.parametrize("name", list(NETWORKS))
def test_every_parameter_is_used(name):
    torch.manual_seed(0)
    network = build_network(name, 5)
    network.eval()  # stochastic depth would leave blocks out
    scores = network(torch.randn(2, 3, 64, 64))
    assert scores.shape == (2, 5)
    scores.square().sum().backward()
    assert all(p.grad is not None for p in network.parameters())


@pytest.fixture(scope="module")
def stripes():
    """Two classes that any of the networks tells apart: stripes across and stripes down."""
    rng = np.random.default_rng(0)
    wave = np.where(np.arange(16) % 4 < 2, 220, 30)
    across = np.broadcast_to(wave[:, None], (16, 16))
    labels = np.tile([0, 1], 36)
    images = np.stack([across if y == 0 else across.T for y in labels]) + rng.integers(0, 20, (72, 16, 16))
    return images.astype(np.uint8), labels.astype(np.int64)


def test_folds_are_a_partition_with_equal_shares():
    labels = np.repeat([0, 1, 2], [50, 31, 9])
    fold = networks.assign_folds(labels, 5, seed=3)
    table = np.array([[np.sum((labels == c) & (fold == f)) for f in range(5)] for c in range(3)])
    assert (table.max(1) - table.min(1)).max() <= 1
    assert np.array_equal(fold, networks.assign_folds(labels, 5, seed=3))
    assert not np.array_equal(fold, networks.assign_folds(labels, 5, seed=4))
    with raises_line(InputError, "the smallest class has 9 images: give at most 9 folds"):
        networks.assign_folds(labels, 10, seed=0)


def test_training_learns_resumes_and_repeats(tmp_path, stripes):
    images, labels = stripes
    said = []
    first = tmp_path / "first"
    networks.make_repeatable()
    networks.train_network(images, labels, "MobileNetV2", first, SMALL, only_folds=[1], say=said.append)
    assert sorted(p.name for p in first.iterdir()) == ["MobileNetV2-fold01.npz"]
    with raises_line(InputError, f"{str(first)!r} holds no fold 1 of MobileNetV2: train it first"):
        collect(first, "MobileNetV2")
    stamp = (first / "MobileNetV2-fold01.npz").stat().st_mtime_ns
    assert networks.train_network(images, labels, "MobileNetV2", first, SMALL, say=said.append)
    assert (first / "MobileNetV2-fold01.npz").stat().st_mtime_ns == stamp
    assert len(said) == 3
    outcome = collect(first, "MobileNetV2")
    assert np.array_equal(outcome.fold, networks.assign_folds(labels, 3, SMALL.seed))
    assert outcome.curves["loss"].shape == (3, 2)
    assert ((outcome.confidence > 0.4) & (outcome.confidence <= 1)).all()

    # A run in one go gives the same, digit by digit.
    second = tmp_path / "second"
    networks.train_network(images, labels, "MobileNetV2", second, SMALL, say=said.append)
    again = collect(second, "MobileNetV2")
    assert np.array_equal(again.predicted, outcome.predicted)
    assert np.array_equal(again.confidence, outcome.confidence)
    assert np.array_equal(again.curves["loss"], outcome.curves["loss"])


def test_it_learns(tmp_path, stripes):
    images, labels = stripes
    longer = networks.Training(folds=2, epochs=12, batch=9, size=32, learning_rate=0.002, shift=1)
    networks.train_network(images, labels, "MobileNetV2", tmp_path, longer, say=lambda _: None)
    outcome = collect(tmp_path, "MobileNetV2")
    assert np.mean(outcome.predicted == labels) > 0.9
    assert (outcome.curves["loss"][:, -1] < outcome.curves["loss"][:, 0]).all()


def test_other_settings_are_refused(tmp_path, stripes):
    images, labels = stripes
    networks.train_network(images, labels, "MobileNetV2", tmp_path, SMALL, only_folds=[0], say=lambda _: None)
    other = networks.Training(**{**vars(SMALL), "seed": 7})
    with raises_line(
        InputError,
        f"{str(tmp_path / 'MobileNetV2-fold00.npz')!r} comes from a run with other settings: seed=0 (now 7); "
        "name another folder",
    ):
        networks.train_network(images, labels, "MobileNetV2", tmp_path, other, say=lambda _: None)
    changed = images.copy()
    changed[0, 0, 0] ^= 1
    with pytest.raises(InputError, match="comes from a run with other settings: images="):
        networks.train_network(changed, labels, "MobileNetV2", tmp_path, SMALL, say=lambda _: None)


def test_no_fold_begins_after_the_time(tmp_path, stripes):
    complete = networks.train_network(*stripes, "MobileNetV2", tmp_path, SMALL, until=0.0, say=lambda _: None)
    assert not complete
    assert list(tmp_path.iterdir()) == []


def test_command_line(tmp_path, stripes, capsys):
    images, labels = stripes
    np.savez(tmp_path / "images.npz", images=images, labels=labels)
    arguments = [
        "--images",
        str(tmp_path / "images.npz"),
        "--output",
        str(tmp_path / "out"),
        "--device",
        "cpu",
    ]
    arguments += [
        "--network",
        "MobileNetV2",
        "--folds",
        "2",
        "--epochs",
        "1",
        "--batch",
        "16",
        "--size",
        "32",
    ]
    assert networks.main(arguments) == 0
    assert capsys.readouterr().out.count("MobileNetV2: fold") == 2
    assert networks.main([*arguments, "--size", "16"]) == 2
    assert capsys.readouterr().err == "size=16 is too small: give at least 32\n"


def test_images_move_and_turn():
    pixels = torch.arange(2 * 4 * 4, dtype=torch.uint8).view(2, 4, 4)
    still = networks._Picture(pixels, torch.arange(2), networks.Training(shift=0, size=32))
    assert torch.equal(still.varied(torch.tensor([1, 0])), still.plain(torch.tensor([1, 0])))
    moved = networks._Picture(pixels, torch.arange(2), networks.Training(shift=1, size=32, flip=True))
    torch.manual_seed(0)
    assert not torch.equal(moved.varied(torch.tensor([1, 0])), moved.plain(torch.tensor([1, 0])))
    assert moved.plain(torch.tensor([0])).shape == (1, 3, 32, 32)


def test_learning_rate_rises_and_falls():
    rates = [networks._learning_rate(SMALL, step / 100) for step in range(100)]
    assert max(rates) == pytest.approx(SMALL.learning_rate, rel=0.01)
    assert np.argmax(rates) == 20
    assert rates[-1] < 0.01 * SMALL.learning_rate
