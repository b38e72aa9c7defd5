"""The file of a saved result: a zip of JSON and NumPy arrays that holds no executable code.

``manifest.json`` says what the file is and how many bytes each member has. ``result.json`` is the result
(:mod:`adjudge.saved.encoding`), and ``arrays/0.npy`` ... are its arrays.
"""

from __future__ import annotations

import json
import os
import re
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from adjudge.atomic import check_writable, write_atomically
from adjudge.errors import AdjudgeError, InputError, InputTypeError, Option, a_type
from adjudge.saved.classes import CLASSES
from adjudge.saved.decoding import Decoder
from adjudge.saved.encoding import PLAIN_KINDS, Encoder
from adjudge.saved.versions import keep_versions, read_versions, versions_of
from adjudge.version import __version__

#: Schema of the files that this version writes; it reads this one and all earlier ones.
SCHEMA = 1

_FORMAT = "adjudge result"
_MEMBER = re.compile(r"result\.json|arrays/(0|[1-9][0-9]{0,8})\.npy")
# Most bytes of the manifest, which states the size of everything else.
_LARGEST_MANIFEST = 1 << 24
_MOST_BYTES = 1 << 30
_AGAIN = "save the result again with its save()"


def holds_instances(result: Any) -> bool:
    """Whether a result holds data of single instances that can be saved."""
    encoder = Encoder(instances=True)
    encoder.encode(result)
    return encoder.has_rows


def write_result(result: Any, path: str | Path, *, instances: bool = False) -> Path:
    """Write a result to a file, completely or not at all."""
    check_replaced(path)
    encoder = Encoder(instances=instances)
    encoded = encoder.encode(result)
    if instances and not encoder.has_rows:
        raise InputError("the result holds no instances: leave ", Option("instances"), " out")
    text = json.dumps({"result": encoded, "shared": encoder.shared}, allow_nan=False).encode()

    def write(stream: IO[bytes]) -> None:
        sizes: dict[str, int] = {}
        with ZipFile(stream, "w") as file:

            def add(name: str, content: bytes | memoryview) -> None:
                member = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                member.compress_type = ZIP_DEFLATED
                sizes[name] = len(content)
                with file.open(member, "w", force_zip64=True) as own:
                    own.write(content)

            add("result.json", text)
            for place, array in enumerate(encoder.arrays):
                with BytesIO() as buffer:
                    np.lib.format.write_array(buffer, array, allow_pickle=False)
                    add(f"arrays/{place}.npy", buffer.getbuffer())
            manifest = {
                "format": _FORMAT,
                "schema": SCHEMA,
                "adjudge": __version__,
                "made_with": dict(versions_of(result)),
                "kind": type(result).__name__,
                "instances": instances,
                "members": dict(sizes),
            }
            add("manifest.json", json.dumps(manifest, indent=1).encode())

    return write_atomically(path, write)


def check_replaced(path: str | Path) -> None:
    """Raise unless a result can be written there, where nothing is but an earlier result or an empty file."""
    target = check_writable(path)
    try:
        if not target.is_file() or not target.stat().st_size:
            return
        with ZipFile(target) as file:
            is_result = {"manifest.json", "result.json"} <= set(file.namelist())
    except (OSError, BadZipFile):
        is_result = False
    if not is_result:
        raise InputError(
            f"{str(path)!r} is there, and is no saved result: name another file, or remove it first"
        )


def load(path: str | Path, *, max_bytes: int = _MOST_BYTES) -> Any:
    """Load a saved result.

    Only numbers and text are read from the file: nothing in it is run, whoever wrote it.

    Parameters
    ----------
    path : str or Path
    max_bytes : int, default 2**30
        Most bytes that the file may unpack to, so that a small file cannot fill the memory.

    Returns
    -------
    Evaluation, Comparison, Choice, KChoice, Benchmark or another result
        It prints, draws and reports like the one that was saved. A custom index that is not registered keeps its name
        and its values.

    Raises
    ------
    InputError
        If the file is not a saved result, is damaged, or was written by a later version.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import adjudge
    >>> models = {"old": ["a", "b", "b", "b"], "new": ["a", "a", "b", "b"]}
    >>> both = adjudge.compare(["a", "a", "b", "b"], models)
    >>> with TemporaryDirectory() as folder:
    ...     path = both.save(Path(folder) / "run.adjudge", instances=True)
    ...     adjudge.load(path)["new", "old"].instances("right_wrong")
    array([1])
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"{path!r} is {a_type(path)}: give the path of a file")
    return loaded(path, max_bytes)


def loaded(path: str | Path, max_bytes: int = _MOST_BYTES, *, remedy: str = _AGAIN) -> Any:
    """Load a saved result; the remedy is for a file that is none."""
    try:
        with Path(path).open("rb") as stream:
            return _sound(stream, repr(str(path)), max_bytes, remedy)
    except AdjudgeError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None


def _sound(stream: IO[bytes], name: str, max_bytes: int, remedy: str) -> Any:
    """Read the file of this name; report any failure as a file that is not a saved result."""
    try:
        return _read(stream, max_bytes)
    except UnfitFileError as error:
        raise InputError(f"{name} ", *error.parts) from None
    except Exception as error:
        why = str(error) if isinstance(error, AdjudgeError) else "it is damaged, or another kind of file"
        raise InputError(f"{name} is no saved result of adjudge ({why}): {remedy}") from error


class UnfitFileError(InputError):
    """The file is sound, but not for this version or this call."""


def _read(stream: IO[bytes], max_bytes: int) -> Any:
    with ZipFile(stream) as file:
        members = {member.filename: member for member in file.infolist()}
        if len(members) < len(file.infolist()):
            raise InputError("it has two members of one name")
        manifest = json.loads(_content(file, members.pop("manifest.json"), _LARGEST_MANIFEST))
        sizes = _checked(manifest, members)
        # Python values take more memory than their text.
        total = sum(sizes.values()) + 7 * sizes["result.json"]
        if total > max_bytes:
            raise UnfitFileError(
                f"unpacks to up to {total:,} bytes: if you trust it, pass ", Option("max_bytes", total)
            )
        text = json.loads(_content(file, members["result.json"], sizes["result.json"]))

        def array(place: int) -> NDArray[Any]:
            name = f"arrays/{place}.npy"
            return _array(_content(file, members[name], sizes[name]))

        decoder = Decoder(array, text["shared"], max_bytes - total)
        result = decoder.decode(text["result"])
    keep_versions(result, read_versions(manifest.get("made_with")))
    if type(result).__name__ != manifest["kind"] or not hasattr(result, "save"):
        raise InputError(f"it holds no {manifest['kind'][:60]}")
    # Parts that are sound by themselves may contradict each other: a result must at least be printable.
    repr(result)
    if hasattr(result, "to_dict"):
        result.to_dict()
    return result


def _checked(manifest: Any, members: dict[str, ZipInfo]) -> dict[str, int]:
    """Return the sizes of the members if the manifest is valid and this version can read it."""
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise InputError("its manifest is another one")
    schema, version = manifest["schema"], str(manifest["adjudge"])[:40]
    if type(schema) is not int or schema < 1:
        raise InputError("its schema is not known")
    if schema > SCHEMA:
        raise UnfitFileError(
            f"was written by a later version of adjudge ({version}, schema {schema}): upgrade adjudge"
        )
    sizes = manifest["members"]
    if manifest["kind"] not in CLASSES or sizes.keys() != members.keys() or "result.json" not in sizes:
        raise InputError("its manifest does not fit it")
    for name, size in sizes.items():
        if not _MEMBER.fullmatch(name) or type(size) is not int or size != members[name].file_size:
            raise InputError("its manifest does not fit it")
    return cast("dict[str, int]", sizes)


def _content(file: ZipFile, member: ZipInfo, most: int) -> bytes:
    """Unpack a member, but no more bytes than it declares."""
    if member.file_size > most:
        raise InputError(f"{member.filename!r} is too large")
    with file.open(member) as stream:
        return stream.read(member.file_size + 1)


def _array(content: bytes) -> NDArray[Any]:
    """Read an array; its header must match the data exactly, and must not declare objects."""
    stream = BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    shape, by_column, dtype = read(stream)
    values = np.frombuffer(content, np.uint8, offset=stream.tell())
    if dtype.kind not in PLAIN_KINDS or dtype.itemsize == 0:
        raise InputError(f"an array of {dtype} is not plain")
    found = values.copy().view(dtype)
    return found.reshape(shape, order="F" if by_column else "C")
