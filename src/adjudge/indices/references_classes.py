"""Publications on the scores of classifiers."""

from __future__ import annotations

CLASS_REFERENCES: dict[str, str] = {
    "fisher1922": "R. A. Fisher (1922). On the mathematical foundations of theoretical statistics. Philosophical "
    "Transactions of the Royal Society A 222, 309-368.",
    "hyndman1996": "R. J. Hyndman, Y. Fan (1996). Sample quantiles in statistical packages. The American Statistician 50, "
    "361-365, definition 2.",
    "hyndman2006": "R. J. Hyndman, A. B. Koehler (2006). Another look at measures of forecast accuracy. International Journal "
    "of Forecasting 22, 679-688.",
    "chen2021": "M. Chen et al. (2021). Evaluating large language models trained on code. arXiv:2107.03374.",
    "kuhn2008": "M. Kuhn (2008). Building predictive models in R using the caret package. Journal of Statistical Software "
    "28 (5), 1-26.",
    "yao2024": "S. Yao, N. Shinn, P. Razavi, K. Narasimhan (2024). tau-bench: a benchmark for tool-agent-user interaction "
    "in real-world domains. arXiv:2406.12045.",
    "koenker1978": "R. Koenker, G. Bassett (1978). Regression quantiles. Econometrica 46, 33-50.",
    "kvalseth1985": "T. O. Kvålseth (1985). Cautionary note about R squared. The American Statistician 39, 279-285, "
    "R squared 1.",
    "traub2024": "J. Traub, T. J. Bungert, C. T. Lüth, M. Baumgartner, K. H. Maier-Hein, L. Maier-Hein, P. F. Jäger (2024). "
    "Overcoming common flaws in the evaluation of selective classification systems. NeurIPS.",
    "willmott2005": "C. J. Willmott, K. Matsuura (2005). Advantages of the mean absolute error (MAE) over the root mean square "
    "error (RMSE) in assessing average model performance. Climate Research 30, 79-82.",
    "altman1994": "D. G. Altman, J. M. Bland (1994). Diagnostic tests 2: predictive values. BMJ 309, 102.",
    "bicego2023": "M. Bicego, A. Mensi (2023). Null/no information rate (NIR): a statistical test to assess if a "
    "classification accuracy is significant for a given problem. arXiv:2306.06140.",
    "blasiok2024": "J. Błasiok, P. Nakkiran (2024). Smooth ECE: principled reliability diagrams via kernel smoothing. ICLR.",
    "brier1950": "G. W. Brier (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review 78, "
    "1-3.",
    "brill1998": "E. Brill, J. Wu (1998). Classifier combination for improved lexical disambiguation. COLING-ACL, 191-195.",
    "buckland1994": "M. Buckland, F. Gey (1994). The relationship between recall and precision. Journal of the American "
    "Society for Information Science 45, 12-19.",
    "deeks2004": "J. J. Deeks, D. G. Altman (2004). Diagnostic tests 4: likelihood ratios. BMJ 329, 168-169.",
    "dwork2012": "C. Dwork, M. Hardt, T. Pitassi, O. Reingold, R. Zemel (2012). Fairness through awareness. ITCS, 214-226.",
    "fawcett2006": "T. Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters 27, 861-874.",
    "fleiss1971": "J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, "
    "378-382.",
    "krippendorff2011": "K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. Annenberg School for "
    "Communication, University of Pennsylvania.",
    "geifman2017": "Y. Geifman, R. El-Yaniv (2017). Selective classification for deep neural networks. NeurIPS, 4878-4887.",
    "geifman2019": "Y. Geifman, G. Uziel, R. El-Yaniv (2019). Bias-reduced uncertainty estimation for deep neural classifiers. "
    "ICLR.",
    "glas2003": "A. S. Glas, J. G. Lijmer, M. H. Prins, G. J. Bonsel, P. M. M. Bossuyt (2003). The diagnostic odds ratio: a "
    "single indicator of test performance. Journal of Clinical Epidemiology 56, 1129-1135.",
    "good1952": "I. J. Good (1952). Rational decisions. Journal of the Royal Statistical Society B 14, 107-114.",
    "guo2017": "C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural networks. ICML, "
    "1321-1330.",
    "elyaniv2010": "R. El-Yaniv, Y. Wiener (2010). On the foundations of noise-free selective classification. Journal of "
    "Machine Learning Research 11, 1605-1641.",
    "hand2001": "D. J. Hand, R. J. Till (2001). A simple generalisation of the area under the ROC curve for multiple class "
    "classification problems. Machine Learning 45, 171-186.",
    "hanley1982": "J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under a receiver operating characteristic "
    "(ROC) curve. Radiology 143, 29-36.",
    "kuncheva2003": "L. I. Kuncheva, C. J. Whitaker (2003). Measures of diversity in classifier ensembles and their "
    "relationship with the ensemble accuracy. Machine Learning 51, 181-207.",
    "kull2019": "M. Kull, M. Perello-Nieto, M. Kängsepp, T. Silva Filho, H. Song, P. Flach (2019). Beyond temperature scaling: "
    "obtaining well-calibrated multiclass probabilities with Dirichlet calibration. NeurIPS, 12316-12326.",
    "baccianella2009": "S. Baccianella, A. Esuli, F. Sebastiani (2009). Evaluation measures for ordinal regression. ISDA, "
    "283-287.",
    "elkan2001": "C. Elkan (2001). The foundations of cost-sensitive learning. IJCAI, 973-978.",
    "epstein1969": "E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories. Journal of Applied "
    "Meteorology 8, 985-987.",
    "gaudette2009": "L. Gaudette, N. Japkowicz (2009). Evaluation methods for ordinal classification. Canadian AI, 207-210.",
    "cox1958": "D. R. Cox (1958). Two further applications of a model for binary regression. Biometrika 45, 562-565.",
    "miller1993": "M. E. Miller, C. D. Langefeld, W. M. Tierney, S. L. Hui, C. J. McDonald (1993). Validation of probabilistic "
    "predictions. Medical Decision Making 13, 49-58.",
    "vancalster2019": "B. Van Calster, D. J. McLernon, M. van Smeden, L. Wynants, E. W. Steyerberg (2019). Calibration: the "
    "Achilles heel of predictive analytics. BMC Medicine 17, 230.",
    "vickers2006": "A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating prediction models. "
    "Medical Decision Making 26, 565-574.",
    "kumar2019": "A. Kumar, P. Liang, T. Ma (2019). Verified uncertainty calibration. NeurIPS, 3792-3803.",
    "lipton2014": "Z. C. Lipton, C. Elkan, B. Naryanaswamy (2014). Optimal thresholding of classifiers to maximize F1 measure. "
    "ECML PKDD, 225-239.",
    "mcclish1989": "D. K. McClish (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9, 190-195.",
    "murphy1973": "A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied Meteorology 12, "
    "595-600.",
    "naeini2015": "M. P. Naeini, G. F. Cooper, M. Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian "
    "binning. AAAI, 2901-2907.",
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
    "tsoumakas2010": "G. Tsoumakas, I. Katakis, I. Vlahavas (2010). Mining multi-label data. Data Mining and Knowledge "
    "Discovery Handbook, 667-685.",
    "yan2021": "S. Yan, Y. Xiong, K. Kundu, S. Yang, S. Deng, M. Wang, W. Xia, S. Soatto (2021). Positive-congruent training: "
    "towards regression-free model updates. CVPR, 14299-14308.",
    "yerushalmy1947": "J. Yerushalmy (1947). Statistical problems in assessing methods of medical diagnosis, with special "
    "reference to X-ray techniques. Public Health Reports 62, 1432-1449.",
    "youden1950": "W. J. Youden (1950). Index for rating diagnostic tests. Cancer 3, 32-35.",
}
