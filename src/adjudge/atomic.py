"""Write a file so that it appears in full or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from glob import escape
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from adjudge.errors import InputError, InputTypeError, a_type

__all__ = ["check_writable", "remove_leftovers", "write_atomically"]


def check_writable(path: str | Path) -> Path:
    """Raise unless a file can be written to `path`: to be called before a long computation, not after it.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Path
        Where the file will be; symbolic links are followed, so that the link itself stays.

    Raises
    ------
    InputError
        If the folder is missing or cannot be written to, or `path` is a folder or not a file name.
    """
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise InputTypeError(f"{path!r} is {a_type(path)}: give the path of a file")
    try:
        target = Path(os.path.realpath(path))
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


def write_atomically(path: str | Path, content: str | bytes | Callable[[IO[bytes]], object]) -> Path:
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
    target = check_writable(path)
    if _is_special(target):  # /dev/stdout or a named pipe cannot be replaced
        with target.open("wb") as stream:
            _write(stream, content)
        return target
    temporary = None
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as stream:
            temporary = stream.name
            _write(stream, content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
        raise
    return target


def remove_leftovers(path: Path) -> None:
    """Delete the temporary files of processes that were killed while they wrote this file."""
    for left in path.parent.glob(f".{escape(path.name)}.????????"):
        left.unlink(missing_ok=True)


def _write(stream: IO[bytes], content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    if callable(content):
        content(stream)
    else:
        stream.write(content.encode() if isinstance(content, str) else content)


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
