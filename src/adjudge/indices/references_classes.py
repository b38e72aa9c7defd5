"""Publications of the scores of classifiers."""

from __future__ import annotations

CLASS_REFERENCES: dict[str, str] = {
    "altman1994": "D. G. Altman, J. M. Bland (1994). Diagnostic tests 2: predictive values. BMJ 309, 102.",
    "brennan1981": "R. L. Brennan, D. J. Prediger (1981). Coefficient kappa: some uses, misuses, and alternatives. "
    "Educational and Psychological Measurement 41, 687-699.",
    "cohen1968": "J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial "
    "credit. Psychological Bulletin 70, 213-220.",
    "gwet2008": "K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. "
    "British Journal of Mathematical and Statistical Psychology 61, 29-48.",
    "kubat1997": "M. Kubat, S. Matwin (1997). Addressing the curse of imbalanced training sets: one-sided selection. "
    "ICML, 179-186.",
    "matthews1975": "B. W. Matthews (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme. "
    "Biochimica et Biophysica Acta 405, 442-451.",
    "powers2011": "D. M. W. Powers (2011). Evaluation: from precision, recall and F-measure to ROC, informedness, markedness "
    "and correlation. Journal of Machine Learning Technologies 2, 37-63.",
    "scott1955": "W. A. Scott (1955). Reliability of content analysis: the case of nominal scale coding. Public Opinion "
    "Quarterly 19, 321-325.",
    "yerushalmy1947": "J. Yerushalmy (1947). Statistical problems in assessing methods of medical diagnosis, with special "
    "reference to X-ray techniques. Public Health Reports 62, 1432-1449.",
}
