"""Write a file so that it appears in full or not at all."""

from __future__ import annotations

import os
import re
import stat
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from glob import escape, glob, has_magic
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from adjudge.errors import InputError, InputTypeError, Option, a_type

__all__ = [
    "check_outputs",
    "check_page",
    "check_writable",
    "remove_leftovers",
    "write_atomically",
    "write_together",
]

Content = str | bytes | Callable[[IO[bytes]], object]


# What readers of folders take: parts of a Parquet table, and the points, labels and results of a benchmark suite.
_READ_IN_FOLDERS = re.compile(r".*\.(parquet|pq)|.*\.(data|labels|result)\d*(\.gz)?", re.IGNORECASE)

# As many links one after another as Linux follows.
_MOST_LINKS = 40


def check_outputs(
    outputs: Sequence[tuple[str, str | Path]], inputs: Iterable[str | os.PathLike[str] | int]
) -> None:
    """Raise unless every output can be written, none of them is an input, and no two are one file.

    Files are compared, not their names: a symbolic link, and a second name of a file, are that file.

    Parameters
    ----------
    outputs : sequence of (str, str or Path)
        Each with the option that names it.
    inputs : iterable of str, Path or int
        Files, folders, patterns, or descriptors of open files; those that do not exist are left to their readers.

    Raises
    ------
    InputError
        If a file cannot be written, is read, or is written twice.
    """
    named = [(name, str(path), check_writable(path)) for name, path in outputs]
    named = [(name, path, target) for name, path, target in named if not _is_special(target)]
    inputs = list(inputs)
    present = {target: target.stat() for *_, target in named if target.exists()}
    for known in map(os.stat, _files_of(inputs)) if present else ():
        for name, path, target in named:
            if target in present and os.path.samestat(present[target], known):
                raise InputError(Option(name, path), " is a file that is read: name another one")
    for name, path, target in named:
        for given in inputs if target not in present else ():
            if _would_be_read(target, given):
                how = f" would be one of the files that are read from {str(given)!r}: name another one"
                raise InputError(Option(name, path), how)
    for place, (name, path, target) in enumerate(named):
        for other, _, before in named[:place]:
            both_there = target in present and before in present
            if target == before or (both_there and os.path.samestat(present[target], present[before])):
                raise InputError(
                    Option(name, path), " is the file of ", Option(other), ", too: name another one"
                )


def _files_of(inputs: Iterable[str | os.PathLike[str] | int]) -> Iterator[str | os.PathLike[str] | int]:
    """Yield the files that exist: those named, those in a folder that are read from there, those of a pattern."""
    for given in inputs:
        if isinstance(given, int):
            yield given
        elif os.path.isdir(given):
            yield from (
                p for p in Path(given).rglob("*") if _READ_IN_FOLDERS.fullmatch(p.name) and p.is_file()
            )
        elif os.path.exists(given):
            yield given
        elif has_magic(str(given)):
            yield from filter(os.path.exists, glob(str(given), recursive=True))


def _would_be_read(target: Path, given: str | os.PathLike[str] | int) -> bool:
    """Whether a file that does not exist yet would be read from a folder, or match a pattern."""
    if isinstance(given, int):
        return False
    if os.path.isdir(given):
        is_read = _READ_IN_FOLDERS.fullmatch(target.name) is not None
        return is_read and Path(given).resolve() in target.resolve().parents
    if os.path.exists(given) or not has_magic(str(given)):
        return False
    folder, name = os.path.split(str(given))
    same = fnmatch(target.name, name)
    return same and any(target.parent.samefile(own) for own in glob(folder or ".", recursive=True))


def check_writable(path: str | Path) -> Path:
    """Raise unless a file can be written to `path`: to be called before a long computation, not after it.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Path
        Where the file will be; symbolic links are followed, so that the link itself stays, but for open streams.

    Raises
    ------
    InputError
        If the folder is missing or cannot be written to, or `path` is a folder or not a file name.
    """
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise InputTypeError(f"{path!r} is {a_type(path)}: give the path of a file")
    try:
        stream = _open_stream(path)
        target = Path(os.path.realpath(path) if stream is None else path)
        if stream is not None:
            os.fstat(stream)
        is_folder = target.is_dir()
        target.exists()
    except (OSError, ValueError) as error:
        # Too long, with a NUL, or with a character that this system cannot encode in file names.
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot write {str(path)!r}: {reason}") from None
    if is_folder:
        raise InputError(f"cannot write {str(path)!r}: it is a folder; name a file in it")
    if _is_special(target):
        return target
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"cannot write {str(path)!r}: there is no folder {str(folder)!r}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot write {str(path)!r}: the folder {str(folder)!r} is not writable")
    return target


def check_page(path: str | Path) -> None:
    """Raise unless a page can be written there: a file of another name than a page's must be one, or empty."""
    target = check_writable(path)
    if target.suffix.lower() in (".html", ".htm") or not target.is_file():
        return
    try:
        with target.open("rb") as stream:
            start = stream.read(1024)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    if start and not start.removeprefix(BOM_UTF8).lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise InputError(
            f"{str(path)!r} is there, and is no HTML page: name another file, or remove it first"
        )


def write_atomically(path: str | Path, content: Content) -> Path:
    """Write a temporary file in the same folder and move it into place.

    Readers of `path` see the old file or the whole new one, even if the process is killed or the disk is full.

    Parameters
    ----------
    path : str or Path
    content : str, bytes, or a function that writes to a binary stream
        Text is written as UTF-8.

    Returns
    -------
    Path
        The file that was written.
    """
    return write_together([(path, content)])[0]


def write_together(contents: Iterable[tuple[str | Path, Content]]) -> list[Path]:
    """Write several files as `write_atomically` does: none is moved into place before all are written.

    Streams, such as /dev/stdout or a named pipe, cannot be replaced. They come last: a reader may close them early.
    """
    targets, written, streams = [], list[tuple[str, Path]](), list[tuple[str | Path, Path, Content]]()
    try:
        for path, content in contents:
            target = check_writable(path)
            targets.append(target)
            if _is_special(target) or _open_stream(target) is not None:
                streams.append((path, target, content))
                continue
            with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as stream:
                written.append((stream.name, target))
                _write(stream, content)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(stream.name, _mode(target))
        while written:
            os.replace(*written[0])
            written.pop(0)
        for path, target, content in streams:  # noqa: B007 - the error below names it
            own = _open_stream(target)
            with target.open("wb") if own is None else os.fdopen(os.dup(own), "wb") as special:
                _write(special, content)
    except BaseException as error:
        for temporary, _ in written:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
        raise
    return targets


def remove_leftovers(path: Path) -> None:
    """Delete the temporary files of processes that were killed while they wrote this file."""
    for left in path.parent.glob(f".{escape(path.name)}.????????"):
        left.unlink(missing_ok=True)


def _write(stream: IO[bytes], content: Content) -> None:
    if callable(content):
        content(stream)
    else:
        # Half of an emoji, as JSON lines may hold, cannot be encoded: it becomes an escape, which JSON reads back.
        encoded = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
        stream.write(encoded)


def _open_stream(path: str | Path) -> int | None:
    """Return the number of the open stream that a path names, as /dev/stdout and /dev/fd/63 do; None for files."""
    streams, at = os.path.realpath("/dev/fd"), os.fspath(path)
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(at)
        if name.isdigit() and os.path.realpath(folder) == streams:
            return int(name)
        if not os.path.islink(at):
            return None
        at = os.path.join(folder, os.readlink(at))
    return None


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or of a new file (temporary files are private)."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
