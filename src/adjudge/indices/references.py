"""The publications of the formulas, by the keys that the records use."""

from __future__ import annotations

from adjudge.indices.references_classes import CLASS_REFERENCES
from adjudge.indices.references_internal import INTERNAL_REFERENCES
from adjudge.indices.references_selection import SELECTION_REFERENCES

REFERENCES: dict[str, str] = {
    **INTERNAL_REFERENCES,
    **SELECTION_REFERENCES,
    **CLASS_REFERENCES,
    "amigo2009": "E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering evaluation "
    "metrics based on formal constraints. Information Retrieval 12, 461-486.",
    "amorim2014": "M. J. Amorim, M. G. M. S. Cardoso (2014). Paired indices for clustering evaluation: correction for "
    "agreement by chance. Proceedings of ICEIS 2014, volume 1, 164-170.",
    "baker1974": "F. B. Baker (1974). Stability of two hierarchical grouping techniques. Case I: sensitivity to data "
    "errors. Journal of the American Statistical Association 69, 440-445.",
    "bezdek1981": "J. C. Bezdek (1981). Pattern recognition with fuzzy objective function algorithms. Plenum Press.",
    "biswas": "A. Biswas (2022). Prayatul matrix: a direct comparison approach to evaluate performance of supervised "
    "machine learning models. arXiv:2209.12728. For clusterings: A. Biswas (2023). Prayatul matrix for evaluating "
    "clustering algorithms: a direct comparison approach. Preprint, 30 October 2023.",
    "brodersen2010": "K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann (2010). The balanced accuracy and its "
    "posterior distribution. ICPR, 3121-3124.",
    "cohen1960": "J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological "
    "Measurement 20, 37-46.",
    "fortunato2010": "S. Fortunato (2010). Community detection in graphs. Physics Reports 486, 75-174.",
    "gorodkin2004": "J. Gorodkin (2004). Comparing two K-category assignments by a K-category correlation coefficient. "
    "Computational Biology and Chemistry 28, 367-374.",
    "czekanowski1932": "J. Czekanowski (1932). Coefficient of racial likeness und durchschnittliche Differenz. "
    "Anthropologischer Anzeiger 9, 227-249.",
    "campello2006": "R. J. G. B. Campello, E. R. Hruschka (2006). A fuzzy extension of the silhouette width criterion for "
    "cluster analysis. Fuzzy Sets and Systems 157, 2858-2875.",
    "campello2007": "R. J. G. B. Campello (2007). A fuzzy extension of the Rand index and other related indexes for "
    "clustering and classification assessment. Pattern Recognition Letters 28, 833-841.",
    "dave1996": "R. N. Dave (1996). Validating fuzzy partitions obtained through c-shells clustering. Pattern Recognition "
    "Letters 17, 613-623.",
    "hullermeier2012": "E. Hüllermeier, M. Rifqi, S. Henzgen, R. Senge (2012). Comparing fuzzy partitions: a generalization "
    "of the Rand index and related measures. IEEE Transactions on Fuzzy Systems 20, 546-556.",
    "collins1988": "L. M. Collins, C. W. Dent (1988). Omega: a general formulation of the Rand index of cluster recovery "
    "suitable for non-disjoint solutions. Multivariate Behavioral Research 23, 231-242.",
    "lancichinetti2009": "A. Lancichinetti, S. Fortunato, J. Kertész (2009). Detecting the overlapping and hierarchical "
    "community structure in complex networks. New Journal of Physics 11, 033015.",
    "mcdaid2011": "A. F. McDaid, D. Greene, N. Hurley (2011). Normalized mutual information to evaluate overlapping "
    "community finding algorithms. arXiv:1110.2515.",
    "yang2013": "J. Yang, J. Leskovec (2013). Overlapping community detection at scale: a nonnegative matrix factorization "
    "approach. WSDM, 587-596.",
    "dasgupta2016": "S. Dasgupta (2016). A cost function for similarity-based hierarchical clustering. Proceedings of the "
    "48th Annual ACM Symposium on Theory of Computing, 118-127.",
    "dekel2004": "O. Dekel, J. Keshet, Y. Singer (2004). Large margin hierarchical classification. Proceedings of ICML "
    "2004, 209-216.",
    "desgraupes2017": "B. Desgraupes (2017). Clustering indices. Vignette of the R package clusterCrit.",
    "fowlkes1983": "E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical clusterings. "
    "Journal of the American Statistical Association 78, 553-569.",
    "gagolewski2025": "M. Gagolewski (2025). Normalised clustering accuracy: an asymmetric external cluster validity "
    "measure. Journal of Classification 42, 2-30.",
    "gates2019": "A. J. Gates, I. B. Wood, W. P. Hetrick, Y.-Y. Ahn (2019). Element-centric clustering comparison unifies "
    "overlaps and hierarchy. Scientific Reports 9, 8574.",
    "goodman1954": "L. A. Goodman, W. H. Kruskal (1954). Measures of association for cross classifications. "
    "Journal of the American Statistical Association 49, 732-764.",
    "gower1986": "J. C. Gower, P. Legendre (1986). Metric and Euclidean properties of dissimilarity coefficients. "
    "Journal of Classification 3, 5-48.",
    "hamann1961": "U. Hamann (1961). Merkmalsbestand und Verwandtschaftsbeziehungen der Farinosae. Willdenowia 2, 639-768.",
    "heller2005": "K. A. Heller, Z. Ghahramani (2005). Bayesian hierarchical clustering. Proceedings of ICML 2005, "
    "297-304.",
    "hubert1985": "L. Hubert, P. Arabie (1985). Comparing partitions. Journal of Classification 2, 193-218.",
    "jaccard1908": "P. Jaccard (1908). Nouvelles recherches sur la distribution florale. Bulletin de la Société Vaudoise "
    "des Sciences Naturelles 44, 223-270.",
    "kiritchenko2006": "S. Kiritchenko, S. Matwin, R. Nock, A. F. Famili (2006). Learning and evaluation in the presence "
    "of class hierarchies: application to text categorization. Canadian AI 2006, 395-406.",
    "kosmopoulos2015": "A. Kosmopoulos, I. Partalas, E. Gaussier, G. Paliouras, I. Androutsopoulos (2015). Evaluation "
    "measures for hierarchical classification: a unified view and novel approaches. Data Mining and Knowledge Discovery "
    "29, 820-865.",
    "kannan2004": "R. Kannan, S. Vempala, A. Vetta (2004). On clusterings: good, bad and spectral. Journal of the ACM 51, "
    "497-515.",
    "jerdee2024": "M. Jerdee, A. Kirkley, M. E. J. Newman (2024). Mutual information and the encoding of contingency tables. "
    "Physical Review E 110, 064306.",
    "luo2005": "X. Luo (2005). On coreference resolution performance metrics. Proceedings of HLT/EMNLP, 25-32.",
    "menestrina2010": "D. Menestrina, S. E. Whang, H. Garcia-Molina (2010). Evaluating entity resolution results. "
    "Proceedings of the VLDB Endowment 3, 208-219.",
    "moosavi2016": "N. S. Moosavi, M. Strube (2016). Which coreference evaluation metric do you trust? A proposal for a "
    "link-based entity aware metric. Proceedings of ACL, 632-642.",
    "recasens2011": "M. Recasens, E. Hovy (2011). BLANC: implementing the Rand index for coreference evaluation. Natural "
    "Language Engineering 17, 485-510.",
    "romano2014": "S. Romano, J. Bailey, V. Nguyen, K. Verspoor (2014). Standardized mutual information for clustering "
    "comparisons: one step further in adjustment for chance. Proceedings of ICML, 1143-1151.",
    "sundqvist2023": "M. Sundqvist, J. Chiquet, G. Rigaill (2023). Adjusting the adjusted Rand index: a multinomial story. "
    "Computational Statistics 38, 327-347.",
    "vilain1995": "M. Vilain, J. Burger, J. Aberdeen, D. Connolly, L. Hirschman (1995). A model-theoretic coreference scoring "
    "scheme. Proceedings of MUC-6, 45-52.",
    "kulczynski1927": "S. Kulczyński (1927). Die Pflanzenassoziationen der Pieninen. Bulletin International de l'Académie "
    "Polonaise des Sciences et des Lettres, 57-203.",
    "kvalseth1987": "T. O. Kvalseth (1987). Entropy and correlation: some comments. IEEE Transactions on Systems, Man, "
    "and Cybernetics 17, 517-519.",
    "larsen1999": "B. Larsen, C. Aone (1999). Fast and effective text mining using linear-time document clustering. "
    "Proceedings of KDD-99, 16-22.",
    "manning2008": "C. D. Manning, P. Raghavan, H. Schütze (2008). Introduction to Information Retrieval, chapter 16. "
    "Cambridge University Press.",
    "mcconnaughey1964": "B. H. McConnaughey (1964). The determination and analysis of plankton communities. "
    "Marine Research in Indonesia, 1-40.",
    "mcnemar1947": "Q. McNemar (1947). Note on the sampling error of the difference between correlated proportions or "
    "percentages. Psychometrika 12, 153-157.",
    "meila2001": "M. Meilă, D. Heckerman (2001). An experimental comparison of model-based clustering methods. "
    "Machine Learning 42, 9-29.",
    "meila2007": "M. Meilă (2007). Comparing clusterings: an information based distance. Journal of Multivariate "
    "Analysis 98, 873-895.",
    "mirkin1996": "B. Mirkin (1996). Mathematical Classification and Clustering. Kluwer.",
    "newman2004": "M. E. J. Newman, M. Girvan (2004). Finding and evaluating community structure in networks. Physical Review E "
    "69, 026113. Directed: E. A. Leicht, M. E. J. Newman (2008). Community structure in directed networks. Physical "
    "Review Letters 100, 118703. Resolution: J. Reichardt, S. Bornholdt (2006). Physical Review E 74, 016110.",
    "peirce1884": "C. S. Peirce (1884). The numerical measure of the success of predictions. Science 4, 453-454.",
    "rand1971": "W. M. Rand (1971). Objective criteria for the evaluation of clustering methods. Journal of the American "
    "Statistical Association 66, 846-850.",
    "rezaei2016": "M. Rezaei, P. Fränti (2016). Set matching measures for external cluster validity. IEEE Transactions on "
    "Knowledge and Data Engineering 28, 2173-2186.",
    "rijsbergen1979": "C. J. van Rijsbergen (1979). Information Retrieval. Butterworths.",
    "rogers1960": "D. J. Rogers, T. T. Tanimoto (1960). A computer program for classifying plants. Science 132, 1115-1118.",
    "rosenberg2007": "A. Rosenberg, J. Hirschberg (2007). V-measure: a conditional entropy-based external cluster "
    "evaluation measure. Proceedings of EMNLP-CoNLL, 410-420.",
    "russell1940": "P. F. Russell, T. R. Rao (1940). On habitat and association of species of anopheline larvae in "
    "south-eastern Madras. Journal of the Malaria Institute of India 3, 153-178.",
    "shannon1948": "C. E. Shannon (1948). A mathematical theory of communication. Bell System Technical Journal 27, "
    "379-423.",
    "silla2011": "C. N. Silla, A. A. Freitas (2011). A survey of hierarchical classification across different application "
    "domains. Data Mining and Knowledge Discovery 22, 31-72.",
    "sokal1962": "R. R. Sokal, F. J. Rohlf (1962). The comparison of dendrograms by objective methods. Taxon 11, 33-40.",
    "shi2000": "J. Shi, J. Malik (2000). Normalized cuts and image segmentation. IEEE Transactions on Pattern Analysis and "
    "Machine Intelligence 22, 888-905.",
    "sokal1963": "R. R. Sokal, P. H. A. Sneath (1963). Principles of Numerical Taxonomy. Freeman.",
    "traag2013": "V. A. Traag, G. Krings, P. Van Dooren (2013). Significant scales in community structure. Scientific "
    "Reports 3, 2930.",
    "traag2015": "V. A. Traag, R. Aldecoa, J.-C. Delvenne (2015). Detecting communities using asymptotical surprise. "
    "Physical Review E 92, 022816.",
    "vandongen2000": "S. van Dongen (2000). Performance criteria for graph clustering and Markov cluster experiments. "
    "Report INS-R0012, CWI Amsterdam.",
    "vinh2010": "N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings comparison: "
    "variants, properties, normalization and correction for chance. Journal of Machine Learning Research 11, 2837-2854.",
    "wallace1983": "D. L. Wallace (1983). Comment on 'A method for comparing two hierarchical clusterings'. Journal of the "
    "American Statistical Association 78, 569-576.",
    "yang2015": "J. Yang, J. Leskovec (2015). Defining and evaluating network communities based on ground-truth. Knowledge "
    "and Information Systems 42, 181-213.",
}
