"""What to do with missing labels and noise, for all label vectors alike or for each separately."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from adjudge.errors import Argument, InputError, Option
from adjudge.given.options import check_choice
from adjudge.presentation.numbers import count

MISSING = ("raise", "drop")
NOISE = ("cluster", "singletons", "drop")
#: Why `noise` is refused of classes, and `missing` where instances may have no label.
CLASSES_ARE_NO_NOISE = " is an option for clusterings: classes are never noise"
NEVER_MISSING = " is not an option for several labels per instance, which may have none: leave it out"

_Told = TypeVar("_Told", str | Mapping[str, str], str | Mapping[str, str] | None)


def rows_without_label(column: Any, n: int) -> InputError:
    """Return the error for a column of a table with missing labels."""
    return InputError(
        f"column {column!r} has {count(n, 'missing label')}: fill {'it' if n == 1 else 'them'} in, or pass ",
        Option("missing", "drop"),
        f" to leave {'this row' if n == 1 else 'such rows'} out",
    )


class LabelKeywords(TypedDict, total=False):
    """The options as keywords, for functions that hand them on."""

    missing: str | Mapping[str, str]
    noise: str | Mapping[str, str] | None
    noise_label: Any


@dataclass(frozen=True)
class LabelOptions:
    """How label vectors are read.

    Attributes
    ----------
    missing : {"raise", "drop"} or mapping of str to str
        Whether missing labels are an error, or their instances are left out.
    noise : {"cluster", "singletons", "drop"} or mapping of str to str, optional
        Instances labelled `noise_label` form an ordinary cluster, or one cluster each, or are left out. Default: an
        ordinary cluster, but noise for the indices that are defined with noise (DBCV, DISCO).
    noise_label : object
        The label of noise. Mappings in `missing` and `noise` decide for the vectors that they name; others keep the
        default.
    """

    missing: str | Mapping[str, str] = "raise"
    noise: str | Mapping[str, str] | None = None
    noise_label: Any = -1

    def __post_init__(self) -> None:
        for name, value, choices in (("missing", self.missing, MISSING), ("noise", self.noise, NOISE)):
            # Text is tested first: testing for a mapping takes ten times as long.
            if isinstance(value, str) or not isinstance(value, Mapping):
                if value is not None or name == "missing":
                    check_choice(name, value, choices)
                continue
            for vector, own in value.items():
                check_choice(f"{name}[{vector!r}]", own, choices)
        try:
            self.is_noise(-1)
        except ArithmeticError:  # a decimal number that signals
            raise InputError(
                Option("noise_label", self.noise_label), " equals no label: give a number or text"
            ) from None

    @property
    def treats_noise(self) -> bool:
        """Whether noise in any label vector is treated as more than an ordinary cluster."""
        return any(own != "cluster" for own in self._each(self.noise))

    @property
    def names_usual_noise(self) -> bool:
        """Whether the label of noise is the default, or its text."""
        return bool(str(self.noise_label) == "-1")

    @property
    def drops_noise(self) -> bool:
        """Whether noise in any label vector is left out."""
        return "drop" in self._each(self.noise)

    @property
    def scatters_noise(self) -> bool:
        """Whether each noise instance of any label vector is a separate cluster."""
        return "singletons" in self._each(self.noise)

    @property
    def drops_missing(self) -> bool:
        """Whether instances with a missing label in any vector are left out, and points with a gap."""
        return "drop" in self._each(self.missing)

    @property
    def drops(self) -> bool:
        """Whether instances may be left out."""
        return self.drops_missing or self.drops_noise

    def missing_of(self, vector: str) -> str:
        """Return what to do with missing labels in one vector."""
        return self.missing if isinstance(self.missing, str) else self.missing.get(vector, "raise")

    def noise_of(self, vector: str) -> str:
        """Return what to do with noise in one vector."""
        return self._told_of(vector) or "cluster"

    def leaves_noise_to_index(self, vector: str) -> bool:
        """Whether nothing was said about noise, so that an index that is defined with noise treats it as noise."""
        return self._told_of(vector) is None

    def is_noise(self, label: Any) -> bool:
        """Whether a label is the noise label, or its text."""
        try:
            return bool(label == self.noise_label) or label == str(self.noise_label)
        except (TypeError, ValueError):
            return False

    def _told_of(self, vector: str) -> str | None:
        return self.noise.get(vector) if isinstance(self.noise, Mapping) else self.noise

    @property
    def are_by_vector(self) -> bool:
        """Whether label vectors may be treated differently."""
        return not (isinstance(self.missing, str) and (self.noise is None or isinstance(self.noise, str)))

    def of_one(self, vector: str) -> LabelOptions:
        """Return the options of one vector, whatever it is called elsewhere."""
        if not self.are_by_vector:
            return self
        return LabelOptions(self.missing_of(vector), self._told_of(vector), self.noise_label)

    def only(self, vectors: Iterable[str]) -> LabelOptions:
        """Return the same options without the names of other vectors."""
        if not self.are_by_vector:
            return self
        known = set(vectors)
        return self._called(lambda vector: vector if vector in known else None)

    def renamed(self, names: Mapping[str, str]) -> LabelOptions:
        """Return the same options with renamed label vectors; `names` maps their names here to the new ones."""
        return self._called(lambda vector: names.get(vector, vector))

    def _called(self, name_of: Callable[[str], str | None]) -> LabelOptions:
        """Return the same options with other names for label vectors; without those that have none."""

        def of(value: _Told) -> _Told:
            if isinstance(value, Mapping):
                return {name: own for v, own in value.items() if (name := name_of(v)) is not None}
            return value

        return LabelOptions(of(self.missing), of(self.noise), self.noise_label)

    def check_names(self, vectors: Iterable[str]) -> None:
        """Raise if a mapping names an unknown label vector."""
        known = list(vectors)
        for name, value in (("missing", self.missing), ("noise", self.noise)):
            for vector in value if isinstance(value, Mapping) else ():
                if vector not in known:
                    choices = ", ".join(map(repr, known))
                    raise InputError(
                        Argument(name),
                        f" names {vector!r}, which is not a label vector: choose from {choices}",
                    )

    def check_kind(self, kind: str | None) -> None:
        """Raise if options treat noise where no label is noise, or missing labels where instances may have none."""
        if kind in ("classification", "multilabel") and self.treats_noise:
            raise InputError(Option("noise"), CLASSES_ARE_NO_NOISE)
        if kind == "multilabel" and self.drops:
            raise InputError(Option("missing"), NEVER_MISSING)

    def settings(self) -> dict[str, Any]:
        """Return the options as results store them."""
        noise = "cluster" if self.noise is None else self.noise
        found = {"missing": self.missing, "noise": noise, "noise_label": self.noise_label}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in found.items()}

    @staticmethod
    def _each(value: str | Mapping[str, str] | None) -> tuple[str, ...]:
        return tuple(value.values()) if isinstance(value, Mapping) else (value,) if value is not None else ()
