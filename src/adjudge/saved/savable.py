"""Results that can be saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class Savable:
    """A result that can be saved to a file and loaded with :func:`adjudge.load`."""

    __slots__ = ()

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of adjudge, Python and the numerical libraries that made the result."""
        from adjudge.saved.versions import versions_of

        return versions_of(self)

    def save(self, path: str | Path, *, instances: bool = False) -> Path:
        """Save the result to one file, which :func:`adjudge.load` reads. An existing file is replaced.

        Parameters
        ----------
        path : str or Path
            Usually ends in ``.adjudge``.
        instances : bool, default False
            Also save the data of each instance: labels, probabilities, units, groups, values of points. Without them no
            row leaves this machine, and whatever needs rows raises an error after loading.

        Returns
        -------
        Path
            The file that was written.

        Raises
        ------
        InputError
            If the file cannot be written, or instances are requested from a result that holds none.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import adjudge
        >>> judged = adjudge.evaluate([0, 0, 1, 1], [0, 0, 1, 2])
        >>> with TemporaryDirectory() as folder:
        ...     path = judged.save(Path(folder) / "run.adjudge")
        ...     adjudge.load(path) == judged
        True
        """
        from adjudge.saved.archive import write_result

        return write_result(self, path, instances=instances)
