"""Publications on criteria for choosing the number of clusters."""

from __future__ import annotations

SELECTION_REFERENCES: dict[str, str] = {
    "akaike1974": "H. Akaike (1974). A new look at the statistical model identification. IEEE Transactions on Automatic "
    "Control 19, 716-723.",
    "beale1969": "E. M. L. Beale (1969). Euclidean cluster analysis. Bulletin of the International Statistical Institute 43, "
    "92-94.",
    "biernacki2000": "C. Biernacki, G. Celeux, G. Govaert (2000). Assessing a mixture model for clustering with the integrated "
    "completed likelihood. IEEE Transactions on Pattern Analysis and Machine Intelligence 22, 719-725.",
    "duda1973": "R. O. Duda, P. E. Hart (1973). Pattern Classification and Scene Analysis. Wiley.",
    "fang2012": "Y. Fang, J. Wang (2012). Selection of the number of clusters via the bootstrap method. Computational "
    "Statistics and Data Analysis 56, 468-477.",
    "frey1972": "T. Frey, H. van Groenewoud (1972). A cluster analysis of the D-squared matrix of white spruce stands in "
    "Saskatchewan based on the maximum-minimum principle. Journal of Ecology 60, 873-886.",
    "hennig2007": "C. Hennig (2007). Cluster-wise assessment of cluster stability. Computational Statistics and Data Analysis "
    "52, 258-271.",
    "hopkins1954": "B. Hopkins, J. G. Skellam (1954). A new method for determining the type of distribution of plant "
    "individuals. Annals of Botany 18, 213-227.",
    "krzanowski1988": "W. J. Krzanowski, Y. T. Lai (1988). A criterion for determining the number of groups in a data set "
    "using sum-of-squares clustering. Biometrics 44, 23-34.",
    "lebart2000": "L. Lebart, A. Morineau, M. Piron (2000). Statistique exploratoire multidimensionnelle. Dunod.",
    "milligan1985": "G. W. Milligan, M. C. Cooper (1985). An examination of procedures for determining the number of clusters "
    "in a data set. Psychometrika 50, 159-179.",
    "sarle1983": "W. S. Sarle (1983). Cubic clustering criterion. SAS Technical Report A-108, SAS Institute.",
    "schwarz1978": "G. Schwarz (1978). Estimating the dimension of a model. Annals of Statistics 6, 461-464.",
    "senbabaoglu2014": "Y. Senbabaoglu, G. Michailidis, J. Z. Li (2014). Critical limitations of consensus clustering in class "
    "discovery. Scientific Reports 4, 6207.",
    "tibshirani2001": "R. Tibshirani, G. Walther, T. Hastie (2001). Estimating the number of clusters in a data set via the "
    "gap statistic. Journal of the Royal Statistical Society B 63, 411-423.",
    "tibshirani2005": "R. Tibshirani, G. Walther (2005). Cluster validation by prediction strength. Journal of Computational "
    "and Graphical Statistics 14, 511-528.",
}
