"""Plant one error at a time in the kernels and see tests fail: `python tools/plant_errors.py [SUBJECT...]`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The build level, as CMake knows it: for any processor, so that this one can run it.
LEVEL = "planted"
# Source file, original code, planted code, and the tests that have to fail.
ERRORS = [
    ("assignment", "v[col] -= reached", "v[col] += reached", "indices/test_matching"),
    ("centroids", "root * ((point[j]", "1.0 * ((point[j]", "engines/test_weighted_points"),
    ("cluster_rows.h", "weight * (d * d)", "d * d", "engines/test_weighted_points"),
    (
        "cluster_rows.h",
        "for (; j < p; j++) square +=",
        "for (; j + 1 < p; j++) square +=",
        "engines/test_centroid_fast_path engines/test_internal_twins",
    ),
    (
        "closest",
        "cluster[a] >= 0 && cluster[a] ==",
        "cluster[a] ==",
        "engines/test_density_engines engines/test_internal_engine",
    ),
    ("coding", "return unlike == 0;", "return true;", "given/test_strings"),
    ("coding", "high = number > high", "high = number < high", "given/test_labels"),
    ("counting", "if (++counts[cell] == 0)", "if (++counts[cell] == 1)", "statistics/test_contingency"),
    (
        "counts.h",
        "lanes[2 * k + c] + lanes[3 * k + c]",
        "lanes[2 * k + c]",
        "engines/test_centroid_fast_path",
    ),
    ("dip", "if (b - a < 2 ||", "if (b - a < 3 ||", "inference/test_dip"),
    ("dip", "majorant.begin() + (mode.high == mode.low)", "majorant.begin()", "inference/test_dip"),
    ("extremes", "diagonal < 0 || c != own;", "true;", "engines/test_products"),
    (
        "farthest",
        "squared_span(tree, a, b) <= best",
        "squared_span(tree, a, a) <= best",
        "engines/test_density_engines engines/test_internal_engine",
    ),
    ("few_points", "*squares = means + c.k * p", "*squares = means + p", "engines/test_centroid_fast_path"),
    ("hierarchical", "(2 * (1 - data.rhos[i]))", "(2 * (1 + data.rhos[i]))", "inference/test_posterior"),
    ("hypergeometric", "(k * (others + k))", "(k * (others + k + 1.0))", "indices/test_information"),
    (
        "information",
        "lost += sum >= term ? (sum - grown) + term : (term - grown) + sum;",
        "",
        "indices/test_information",
    ),
    ("kmeans", "upper[i] += steps[c];", "", "choosing/test_choose_k"),
    ("label_ranks", "among_all.above - among_true.above;", "among_all.above;", "verbs/test_multilabel"),
    ("linkage", "best[k] = best[left];", "", "engines/test_density_engines"),
    ("exponential.h", "1.0 / 6227020800", "1.0 / 479001600", "statistics/test_elementary"),
    ("exponential.h", "+ y * lost", "", "statistics/test_elementary"),
    (
        "elementary",
        "return each(values, log_of_one_plus);",
        "return each(values, natural_log);",
        "statistics/test_elementary",
    ),
    ("logarithm.h", "0x1.2b5f15b8214eep-3", "0x1.2b5f15b8214eep-4", "statistics/test_elementary"),
    ("magnitude", "load(at + 3 * LANES)", "load(at + 2 * LANES)", "given/test_finite"),
    ("metric_tiles", "z < 0.25", "z < 0.75", "engines/test_kernel_metrics"),
    (
        "neighbours",
        "positions[j - 1] > position)",
        "positions[j - 1] < position)",
        "engines/test_density_engines",
    ),
    (
        "pair_ranks",
        "((own + equal) * (own + equal - 1)) >> 1",
        "(own * (own - 1)) >> 1",
        "engines/test_ranks_in_order",
    ),
    ("pair_tiles", "sum30 += (x - row3[d])", "sum30 += (y - row3[d])", "engines/test_internal_engine"),
    (
        "perplexity",
        "ties += unit[j] == 0.0;",
        "ties += unit[j] < 0.0;",
        "indices/test_density_reference engines/test_cliffs",
    ),
    ("products", "lost += d < close * together;", "lost += d < 0;", "engines/test_products"),
    (
        "random_tables",
        "(1.0 - v <= SQUEEZE0 - SQUEEZE1 / b)",
        "(1.0 - v <= SQUEEZE0)",
        "inference/test_chance_tables",
    ),
    (
        "reachability",
        "return low < other_low ||",
        "return low > other_low ||",
        "engines/test_density_engines",
    ),
    (
        "rows",
        "line[d] += row[d] - base[d];",
        "line[d] += row[d];",
        "engines/test_places_of_points engines/test_products",
    ),
    ("scores", "n[b - 1] >= score", "n[b - 1] > score", "statistics/test_ranked_scores"),
    (
        "silhouette_jackknife",
        "which[i] == shrunk ? next : nearest",
        "nearest",
        "inference/test_internal_intervals_by_hand",
    ),
    (
        "sparse_rows",
        " + static_cast<double>(n_columns - n_stored) * (shift * shift)",
        "",
        "engines/test_sparse_rows",
    ),
    (
        "arrays.h",
        "if (static_cast<u64>(code) >= static_cast<u64>(k))",
        "if (code >= k)",
        "project/test_compiled_kernels",
    ),
]


def main() -> int:
    """Try all errors, or those of some subjects, in a copy of the checkout; return 1 if the tests miss one."""
    wanted = sys.argv[1:]
    chosen = [error for error in ERRORS if not wanted or error[0] in wanted]
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "adjudge"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "docs", "*.so", "__pycache__")
        )
        build(copy)
        tests = sorted({name for *_, names in chosen for name in names.split()})
        if said := failure(copy, tests):
            print(f"tests fail without an error:\n{said}")
            return 2
        for subject, old, new, names in chosen:
            source = copy / "src" / "kernels" / (subject if subject.endswith(".h") else f"{subject}.cpp")
            text = source.read_text()
            if text.count(old) != 1:
                print(f"{subject}: `{old}` occurs {text.count(old)} times")
                return 2
            source.write_text(text.replace(old, new))
            build(copy)
            killed = failure(copy, names.split()) != ""
            source.write_text(text)
            survived += not killed
            print(f"{'killed  ' if killed else 'SURVIVED'} {subject}: {old} -> {new}", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} are killed")
    return int(survived > 0)


def build(copy: Path) -> None:
    """Compile the kernels of a copy."""
    command = [sys.executable, "tools/build_kernels.py", f"-DADJUDGE_SANITIZE={LEVEL}"]
    subprocess.run(command, cwd=copy, check=True)


def failure(copy: Path, tests: list[str]) -> str:
    """Return the output if a test fails, or a kernel crashes or hangs; return nothing if all tests pass."""
    environment = {**os.environ, "ADJUDGE_KERNELS": LEVEL, "PYTHONPATH": str(copy / "src")}
    names = [f"tests/{name}.py" for name in tests]
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *names]
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, timeout=1200, text=True, capture_output=True
        )
    except subprocess.TimeoutExpired:
        return "it takes too long"
    said = f"{done.stdout[-2000:]}{done.stderr[-1000:]}\n(status {done.returncode})"
    return said if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
