"""Tables for a paper."""

from __future__ import annotations

from adjudge.presentation.tables import Table


def test_a_table_has_rules_between_groups_and_no_empty_columns() -> None:
    rows = (("rand", 0.5, ""), ("vi", -1.0, ""), ("jaccard", 0.25, ""))
    table = Table(("index", "value", "note"), rows, groups=("agreement", "distance", "agreement"))
    assert table.latex(digits=2, caption="Scores & more", label="tab:s").splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Scores \& more}",
        r"\label{tab:s}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"index & value \\",
        r"\midrule",
        r"rand & 0.50 \\",
        r"jaccard & 0.25 \\",
        r"\midrule",
        r"vi & $-$1.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_signs_of_numbers_are_minus_signs_and_hyphens_stay() -> None:
    rows = (("k-means 2020-01-02", "-0.295 [-0.431, -0.150]", "1e-05"), ("x-1", "[-inf, 3]", "-1"))
    lines = Table(("a", "b", "c"), rows).latex().splitlines()
    assert lines[4] == r"k-means 2020-01-02 & $-$0.295 [$-$0.431, $-$0.150] & 1e-05 \\"
    assert lines[5] == r"x-1 & [$-$inf, 3] & $-$1 \\"
