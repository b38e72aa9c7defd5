"""Which way a score is better, by its name: that of an index, or words such as "error" and "accuracy"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from adjudge.errors import InputError, Option
from adjudge.indices.catalog import exactly_named
from adjudge.indices.with_parameters import base_and_parameters

__all__ = ["direction_of", "said_direction"]

_LOWER = re.findall(
    r"\w+",
    """
    error errors err loss losses cost costs penalty risk regret deviance deviation divergence distance
    discrepancy perplexity ppl mistakes failures violations misclassification misclassifications misclassified
    rmse mae mse mape smape wape mase rmsle msle nrmse rmsse rmspe mspe mdae medae sse sae rss crps pinball hinge
    logloss crossentropy nll brier ece mce ace eer hter wer cer ter der fid kid lpips bpc bpb bpd bits
    fpr fnr fdr far frr aic bic inertia stress distortion impurity
    time times latency latencies runtime duration delay seconds secs sec ms milliseconds minutes hours
    memory megabytes mb gigabytes gb energy joules flops toxicity hallucination hallucinations complaints
    """,
)
_HIGHER = re.findall(
    r"\w+",
    """
    accuracy acc accuracies correct auc auroc roc aucroc aucpr auprc ap map precision recall sensitivity
    specificity tpr tnr ppv npv f1 f2 fscore fbeta fmeasure gmean informedness youden kappa mcc correlation corr
    pearson spearman kendall r2 rsquared iou miou jaccard dice overlap agreement similarity
    ari ami nmi rand purity homogeneity completeness silhouette modularity
    bleu rouge meteor chrf bertscore comet ndcg dcg mrr hits hit psnr ssim elbo likelihood loglikelihood evidence
    win wins winrate success successes solved pass passes passed quality performance utility profit revenue
    reward rewards return returns gain throughput speedup elo rating ratings satisfaction
    """,
)
_ONE_WORD = {**dict.fromkeys(_LOWER, "lower"), **dict.fromkeys(_HIGHER, "higher")}
# Words that mean something else together than one by one. They are looked for first.
_TOGETHER = {
    "false positive": "lower",
    "false negative": "lower",
    "false discovery": "lower",
    "false alarm": "lower",
    "true positive": "higher",
    "true negative": "higher",
    "predictive value": "higher",
    "negative predictive": "higher",
    "cross entropy": "lower",
    "r squared": "higher",
    "r 2": "higher",
    "exact match": "higher",
    "signal noise": "higher",
    "f measure": "higher",
    "f score": "higher",
}
# Of the other libraries, scikit-learn's scores such as neg_log_loss are negated: higher is better.
_NEGATED = ("neg", "negated", "minus", "negative")
# Beside another word, these say that a change is meant, or a ratio, whose direction is open.
_OPEN = re.findall(
    r"\w+",
    """
    reduction reduced drop decrease increase improvement improved skill saved avoided ratio relative delta
    diff difference change gap std sd stdev var variance sem rank ranks
    """,
)
_OTHER = {"lower": "higher", "higher": "lower"}
# Words for where or how a score was taken.
_PLACES = re.findall(
    r"\w+",
    """
    val valid validation test testing train training dev eval cv oof holdout heldout mean avg average median
    final best macro micro weighted total
    """,
)


def said_direction(score: str, better: str | None) -> str:
    """Return which values of a score are better: as said, or by its name.

    Raises
    ------
    InputError
        If the name does not tell, and nobody said it.
    """
    found = better or direction_of(score)
    if found is None:
        raise InputError(
            f"the name {score!r} does not tell which values are better: pass ",
            Option("better", "higher"),
            " or ",
            Option("better", "lower"),
        )
    return found


def direction_of(score: str) -> str | None:
    """Return "higher" or "lower" by the name of a score; None if it does not tell.

    The name of an index counts first, with its aliases and its names in other programs, then words in the name.

    Examples
    --------
    >>> [direction_of(name) for name in ("davies_bouldin", "val_loss", "neg_log_loss", "valAccuracy", "x")]
    ['lower', 'lower', 'higher', 'higher', None]
    """
    called = base_and_parameters(score)
    if called is not None and exactly_named(called[0]) is not None:
        score = called[0]
    words = _words(score)
    for names, negated in _readings(score, words):
        index = exactly_named(names)
        if index is not None and index.better is not None:
            return _OTHER[index.better] if negated else index.better
    return _by_words(words)


def _readings(score: str, words: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield names that the score may mean, and whether it is the negative of it."""
    own = [word for word in words if word not in _PLACES]
    is_negated = bool(own) and own[0] in _NEGATED
    if not is_negated or own[0] == "negative":  # as in the negative predictive value
        yield score, False
        yield "_".join(own), False
    if is_negated:
        yield "_".join(own[1:]), True


def _words(score: str) -> list[str]:
    """Split a name at signs and blanks, and before capitals."""
    text = unicodedata.normalize("NFKC", score)
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return re.findall(r"[^\W_]+", text.casefold())


def _by_words(words: list[str]) -> str | None:
    text = f" {' '.join(words)} "
    found: set[str] = set()
    for together, direction in _TOGETHER.items():
        if f" {together} " in text:
            found.add(direction)
            text = text.replace(f" {together} ", " ")
    rest = text.split()
    known = {_of_word(word) for word in rest} - {None}
    found |= {direction for direction in known if direction is not None}
    if not found:
        # A "score" is higher for what is better, unless another word says what it scores.
        return "higher" if [word for word in rest if word not in _PLACES] in (["score"], ["scores"]) else None
    if len(found) > 1 or any(word in _OPEN for word in rest):
        return None
    (direction,) = found
    return _OTHER[direction] if any(word in _NEGATED for word in rest) else direction


def _of_word(word: str) -> str | None:
    """Return the direction of a word, also of ``loss2`` and ``acc5``."""
    return _ONE_WORD.get(word) or _ONE_WORD.get(word.rstrip("0123456789"))
