"""Scores of a sample whose shares of classes are not those where the model will be used."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError

TRUTH = np.repeat(["ill", "well"], [40, 60])
MODEL = np.concatenate([np.repeat(["ill", "well"], [36, 4]), np.repeat(["ill", "well"], [6, 54])])


def test_precision_at_another_prevalence() -> None:
    """It is Bayes' theorem of sensitivity and specificity (Altman & Bland 1994)."""
    found = adjudge.evaluate(TRUTH, MODEL, indices="all", positive="ill", prevalence=0.02)
    sensitivity, specificity = 36 / 40, 54 / 60
    hits, alarms = 0.02 * sensitivity, 0.98 * (1 - specificity)
    assert found["precision"] == pytest.approx(hits / (hits + alarms), abs=1e-12)
    assert found["recall"] == pytest.approx(sensitivity, abs=1e-12)
    assert found["specificity"] == pytest.approx(specificity, abs=1e-12)
    assert found["accuracy"] == pytest.approx(hits + 0.98 * specificity, abs=1e-12)
    assert found.settings["prevalence"] == {"ill": 0.02, "well": 0.98}


def test_a_mapping_says_it_of_each_class() -> None:
    one = adjudge.evaluate(TRUTH, MODEL, positive="ill", prevalence=0.1, confidence=0.95)
    each = adjudge.evaluate(
        TRUTH, MODEL, positive="ill", prevalence={"well": 0.9, "ill": 0.1}, confidence=0.95
    )
    assert one.values == each.values
    assert one.intervals == each.intervals


def test_the_share_of_the_sample_changes_nothing() -> None:
    plain = adjudge.evaluate(TRUTH, MODEL, positive="ill")
    same = adjudge.evaluate(TRUTH, MODEL, positive="ill", prevalence=0.4)
    for name, value in plain.values.items():
        if name in same.values:
            assert same[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize(
    ("prevalence", "said"),
    [
        (1.2, "prevalence=1.2 is not a share between 0 and 1"),
        (True, "prevalence"),
        ({"ill": 0.1}, "gives no share of 'well'"),
        ({"ill": 0.1, "well": 0.8}, "adds up to 0.9"),
        ({"ill": 0.1, "well": 0.8, "dead": 0.1}, "'dead'"),
        ({"ill": "some", "well": 0.5}, "prevalence= gives 'ill'"),
    ],
)
def test_what_is_no_share_is_refused(prevalence: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        adjudge.evaluate(TRUTH, MODEL, prevalence=prevalence)  # type: ignore[call-overload]


def test_many_classes_need_a_mapping() -> None:
    with pytest.raises(InputError, match="there are 3: give a mapping"):
        adjudge.evaluate(["a", "b", "c"] * 5, ["a", "b", "a"] * 5, prevalence=0.1)


def test_clusterings_have_no_prevalence() -> None:
    with pytest.raises(InputError, match="prevalence= is an option for classifiers"):
        adjudge.evaluate([0, 0, 1, 1], [1, 1, 0, 0], kind="clustering", prevalence=0.1)


def test_rates_within_a_class_do_not_depend_on_how_common_it_is() -> None:
    truth = np.repeat([1, 0], [200, 600])
    for n_missed in (0, 1, 20):
        said = np.r_[
            np.ones(200 - n_missed, int), np.zeros(n_missed, int), np.ones(30, int), np.zeros(570, int)
        ]
        ends = []
        for share in (0.25, 0.02, 0.002):
            asked = {"kind": "classification", "confidence": 0.95, "prevalence": share}
            found = adjudge.evaluate(truth, said, indices=["recall", "specificity"], **asked)
            ends.append(np.array([tuple(found.intervals[name]) for name in ("recall", "specificity")]))
            by_class = found.by_class[1].score("recall")
            assert (by_class.low, by_class.high) == pytest.approx(ends[-1][0])
        np.testing.assert_allclose(ends[1:], [ends[0]] * 2, atol=2e-3)


def test_the_shares_are_known_and_do_not_vary() -> None:
    """Of fixed numbers of cases and controls, intervals are as wide as scores vary."""
    rng = np.random.default_rng(0)
    names = ["precision", "brier_score", "brier_skill_score", "net_benefit(at=0.02)"]
    values, widths = {name: [] for name in names}, {name: [] for name in names}
    for _ in range(60):
        truth = np.repeat([1, 0], [150, 450])
        z = 1.5 * truth + rng.normal(size=600)
        p = 1 / (1 + np.exp(-(1.5 * z - 1.125 + np.log(0.02 / 0.98))))
        found = adjudge.evaluate(
            truth,
            (p > 0.03).astype(int),
            probabilities=p,
            kind="classification",
            prevalence=0.02,
            indices=names,
            confidence=0.95,
        )
        for name in names:
            low, high = found.intervals[name]
            values[name].append(found[name])
            widths[name].append(high - low)
    for name in names:
        assert 0.8 < np.mean(widths[name]) / (3.92 * np.std(values[name])) < 1.4, name
    # A skill is the score over a constant, 0.02 * 0.98.
    brier, skill = (found.intervals[name] for name in ("brier_score", "brier_skill_score"))
    assert tuple(skill) == pytest.approx(
        [1 - end / (0.02 * 0.98) for end in reversed(tuple(brier))], abs=1e-9
    )


def test_nothing_was_missed_and_yet_something_may_be() -> None:
    truth = np.repeat([1, 0], [200, 600])
    p = np.where(truth == 1, 0.6, 0.4)
    found = adjudge.evaluate(
        truth, probabilities=p, kind="classification", prevalence=0.02, confidence=0.95, indices="net_benefit"
    )
    low, high = found.intervals["net_benefit"]
    assert low < 0.0199
    assert high == pytest.approx(0.02)


def test_average_precision_has_no_interval_where_few_stand_for_many() -> None:
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [150, 450])
    p = 1 / (1 + np.exp(-(truth + rng.normal(size=600))))
    found = adjudge.evaluate(
        truth,
        probabilities=p,
        kind="classification",
        prevalence=0.02,
        confidence=0.95,
        indices=["average_precision", "roc_auc"],
    )
    assert "few instances of the other classes stand for many" in found.interval_reasons["average_precision"]
    assert "roc_auc" in found.intervals


def test_a_result_says_what_it_was_weighed_to() -> None:
    found = adjudge.evaluate(TRUTH, MODEL, positive="ill", prevalence=0.02)
    assert "note: rows are weighed to 2 % ill and 98 % well, not counted" in repr(found)
    assert "weighed to" not in repr(adjudge.evaluate(TRUTH, MODEL, positive="ill"))


def test_predictive_values_follow_from_likelihood_ratios() -> None:
    """Mercaldo, Lau & Zhou (2007): with known shares both say the same, whatever the shares."""
    truth = np.repeat([1, 0], [184, 500])
    said = np.r_[np.ones(24, int), np.zeros(160, int), np.ones(7, int), np.zeros(493, int)]
    names = [
        "precision",
        "npv",
        "false_discovery_rate",
        "false_omission_rate",
        "positive_likelihood_ratio",
        "negative_likelihood_ratio",
        "diagnostic_odds_ratio",
    ]
    asked = {"kind": "classification", "positive": 1, "indices": names, "confidence": 0.95}
    plain = adjudge.evaluate(truth, said, **asked).intervals
    for share in (0.001, 0.03, 0.5):
        found = adjudge.evaluate(truth, said, prevalence=share, **asked)
        for name in names[4:]:
            assert tuple(found.intervals[name]) == pytest.approx(tuple(plain[name]), rel=1e-9), name
        odds = share / (1 - share)
        (low, high), (least, most) = (plain[name] for name in names[4:6])
        wanted = [odds * end / (1 + odds * end) for end in (low, high)]
        assert tuple(found.intervals["precision"]) == pytest.approx(wanted)
        assert tuple(found.intervals["false_discovery_rate"]) == pytest.approx(
            [1 - own for own in wanted[::-1]]
        )
        others = [1 / (1 + odds * end) for end in (most, least)]
        assert tuple(found.intervals["negative_predictive_value"]) == pytest.approx(others)
        assert tuple(found.intervals["false_omission_rate"]) == pytest.approx(
            [1 - own for own in others[::-1]]
        )
        for name, ends in (("precision", wanted), ("negative_predictive_value", others)):
            score = found.by_class[1].score(name)
            assert (score.low, score.high) == pytest.approx(ends)
        # The other class turns both around.
        score = found.by_class[0].score("precision")
        assert (score.low, score.high) == pytest.approx(others)


def test_without_a_false_alarm_precision_is_one_and_may_be_less() -> None:
    truth = np.repeat([1, 0], [100, 400])
    found = adjudge.evaluate(
        truth,
        np.repeat([1, 0], [60, 440]),
        kind="classification",
        prevalence=0.01,
        confidence=0.95,
        indices=["precision"],
    )
    low, high = found.intervals["precision"]
    assert 0.2 < low < 0.6
    assert high == 1


def test_units_and_weights_keep_the_general_rule() -> None:
    """Rows of one unit, or of unequal weight, do not tell how rates vary as counts do."""
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 0], [184, 500])
    said = np.where(rng.random(684) < 0.1, 1 - truth, truth)
    asked = {"kind": "classification", "prevalence": 0.03, "indices": ["precision"], "confidence": 0.95}
    twice = [np.repeat(own, 2) for own in (truth, said)]
    units = np.repeat(np.arange(684), 2)
    alone = tuple(adjudge.evaluate(truth, said, **asked).intervals["precision"])
    paired = tuple(adjudge.evaluate(*twice, units=units, **asked).intervals["precision"])
    assert np.ptp(paired) > 0.8 * np.ptp(alone)
    weights = {"sample_weight": rng.exponential(size=684), "weights": "importance"}
    assert np.ptp(tuple(adjudge.evaluate(truth, said, **weights, **asked).intervals["precision"])) > np.ptp(
        alone
    )
