"""Write the stubs of the kernels for type checkers, from the signatures in the compiled modules.

`python tools/kernel_stubs.py [MODULES [STUBS]]`: the folders of the modules and stubs, if not in the package.
"""

import re
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

KERNELS = Path(__file__).parents[1] / "src" / "adjudge" / "kernels"
HEADER = "from typing import Any\n\nimport numpy as np\nfrom numpy.typing import NDArray\n\n"


def main(modules: Path = KERNELS, stubs: Path | None = None) -> None:
    """Write one stub file per subject."""
    into = stubs or modules
    into.mkdir(exist_ok=True)
    for subject, module in vars(any_level(modules)).items():
        if isinstance(module, ModuleType):
            lines = [
                line_of(name, value) for name, value in vars(module).items() if not name.startswith("__")
            ]
            stub = HEADER + "\n".join(lines) + "\n"
            path = into / f"{subject}.pyi"
            if not path.exists() or path.read_text() != stub:
                path.write_text(stub)


def any_level(modules: Path) -> ModuleType:
    """Import, without the package, a compiled module that every processor can run."""
    suffix = EXTENSION_SUFFIXES[0]
    name = next(level for level in ("_v2", "_any") if (modules / f"{level}{suffix}").exists())
    loader = ExtensionFileLoader(name, str(modules / f"{name}{suffix}"))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def line_of(name: str, value: object) -> str:
    """Return the stub line of a function or a constant."""
    if not hasattr(value, "__nb_signature__"):
        return f"{name}: {type(value).__name__}"
    (signature, *_), *_ = value.__nb_signature__
    typed = re.sub(r"(?:numpy\.)?ndarray\[dtype=(\w+)[^\]]*\]", as_numpy, signature)
    return re.sub(r"(?:numpy\.)?ndarray(?:\[[^\]]*\])?", "NDArray[Any]", typed) + ": ..."


def as_numpy(found: re.Match[str]) -> str:
    """Write an array's type in the notation of NumPy's annotations."""
    dtype = found[1]
    return f"NDArray[np.{'bool_' if dtype == 'bool' else dtype}]"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
