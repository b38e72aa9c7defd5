"""Publications on the internal criteria."""

from __future__ import annotations

INTERNAL_REFERENCES: dict[str, str] = {
    "baker1975": "F. B. Baker, L. J. Hubert (1975). Measuring the power of hierarchical cluster analysis. Journal of the "
    "American Statistical Association 70, 31-38.",
    "ball1965": "G. H. Ball, D. J. Hall (1965). ISODATA, a novel method of data analysis and pattern classification. "
    "Stanford Research Institute, NTIS AD 699616.",
    "banfield1993": "J. D. Banfield, A. E. Raftery (1993). Model-based Gaussian and non-Gaussian clustering. Biometrics 49, "
    "803-821.",
    "beer2025": "A. Beer, L. Krieger, P. Weber, M. Ritzert, I. Assent, C. Plant (2025). Internal evaluation of "
    "density-based clusterings with noise. arXiv:2503.00127.",
    "bezdek1998": "J. C. Bezdek, N. R. Pal (1998). Some new indexes of cluster validity. IEEE Transactions on Systems, Man, "
    "and Cybernetics B 28, 301-315.",
    "calinski1974": "T. Caliński, J. Harabasz (1974). A dendrite method for cluster analysis. Communications in Statistics "
    "3, 1-27.",
    "davies1979": "D. L. Davies, D. W. Bouldin (1979). A cluster separation measure. IEEE Transactions on Pattern Analysis "
    "and Machine Intelligence 1, 224-227.",
    "dunn1974": "J. C. Dunn (1974). Well-separated clusters and optimal fuzzy partitions. Journal of Cybernetics 4, 95-104.",
    "edwards1965": "A. W. F. Edwards, L. L. Cavalli-Sforza (1965). A method for cluster analysis. Biometrics 21, 362-375.",
    "friedman1967": "H. P. Friedman, J. Rubin (1967). On some invariant criteria for grouping data. Journal of the American "
    "Statistical Association 62, 1159-1178.",
    "halkidi2001": "M. Halkidi, M. Vazirgiannis (2001). Clustering validity assessment: finding the optimal partitioning of "
    "a data set. Proceedings of the IEEE International Conference on Data Mining, 187-194.",
    "halkidi2001techniques": "M. Halkidi, Y. Batistakis, M. Vazirgiannis (2001). On clustering validation techniques. "
    "Journal of Intelligent Information Systems 17, 107-145.",
    "hartigan1975": "J. A. Hartigan (1975). Clustering Algorithms. Wiley.",
    "hubert1976": "L. J. Hubert, J. Schultz (1976). Quadratic assignment as a general data analysis strategy. British "
    "Journal of Mathematical and Statistical Psychology 29, 190-241.",
    "marriott1971": "F. H. C. Marriott (1971). Practical problems in a method of cluster analysis. Biometrics 27, 501-514.",
    "mcclain1975": "J. O. McClain, V. R. Rao (1975). CLUSTISZ: a program to test for the quality of clustering of a set of "
    "objects. Journal of Marketing Research 12, 456-460.",
    "milligan1981": "G. W. Milligan (1981). A Monte Carlo study of thirty internal criterion measures for cluster analysis. "
    "Psychometrika 46, 187-199.",
    "pakhira2004": "M. K. Pakhira, S. Bandyopadhyay, U. Maulik (2004). Validity index for crisp and fuzzy clusters. Pattern "
    "Recognition 37, 487-501.",
    "rautenstrauch2025": "P. Rautenstrauch, U. Ohler (2025). Shortcomings of silhouette in single-cell integration "
    "benchmarking. Nature Biotechnology, doi:10.1038/s41587-025-02743-4.",
    "ratkowsky1978": "D. A. Ratkowsky, G. N. Lance (1978). A criterion for determining the number of groups in a "
    "classification. Australian Computer Journal 10, 115-117.",
    "ray1999": "S. Ray, R. H. Turi (1999). Determination of number of clusters in k-means clustering and application in "
    "colour image segmentation. Proceedings of the 4th International Conference on Advances in Pattern Recognition and "
    "Digital Techniques, 137-143.",
    "rohlf1974": "F. J. Rohlf (1974). Methods of comparing classifications. Annual Review of Ecology and Systematics 5, "
    "101-113.",
    "rousseeuw1987": "P. J. Rousseeuw (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster "
    "analysis. Journal of Computational and Applied Mathematics 20, 53-65.",
    "scott1971": "A. J. Scott, M. J. Symons (1971). Clustering methods based on likelihood ratio criteria. Biometrics 27, "
    "387-397.",
    "wemmert2000": "C. Wemmert, P. Gançarski, J. J. Korczak (2000). A collaborative approach to combine multiple learning "
    "methods. International Journal on Artificial Intelligence Tools 9, 59-78.",
    "xie1991": "X. L. Xie, G. Beni (1991). A validity measure for fuzzy clustering. IEEE Transactions on Pattern Analysis "
    "and Machine Intelligence 13, 841-846.",
    "ding2004": "C. Ding, X. He (2004). K-nearest-neighbor consistency in data clustering: incorporating local information into global optimization. Proceedings of the ACM Symposium on Applied Computing, 584-589.",
    "gagolewski2021": "M. Gagolewski, M. Bartoszuk, A. Cena (2021). Are cluster validity measures (in)valid? Information Sciences 581, 620-636.",
    "gurrutxaga2010": "I. Gurrutxaga, I. Albisua, O. Arbelaitz, J. I. Martín, J. Muguerza, J. M. Pérez, I. Perona (2010). SEP/COP: an efficient method to find the best partition in hierarchical clustering based on a new cluster validity index. Pattern Recognition 43, 3364-3373.",
    "handl2005": "J. Handl, J. Knowles, D. B. Kell (2005). Computational cluster validation in post-genomic data analysis. Bioinformatics 21, 3201-3212.",
    "hennig2019": "C. Hennig (2019). Cluster validation by measurement of clustering characteristics relevant to the user. In: Data Analysis and Applications 1, Wiley, 1-24.",
    "hruschka2004": "E. R. Hruschka, L. N. de Castro, R. J. G. B. Campello (2004). Evolutionary algorithms for clustering gene-expression data. Proceedings of the IEEE International Conference on Data Mining, 403-406.",
    "jaskowiak2022": "P. A. Jaskowiak, I. G. Costa, R. J. G. B. Campello (2022). The area under the ROC curve as a measure of clustering quality. Data Mining and Knowledge Discovery 36, 1219-1245.",
    "buttner2019": "M. Büttner, Z. Miao, F. A. Wolf, S. A. Teichmann, F. J. Theis (2019). A test metric for assessing single-cell RNA-seq batch correction. Nature Methods 16, 43-49.",
    "luecken2022": "M. D. Luecken, M. Büttner, K. Chaichoompu et al. (2022). Benchmarking atlas-level data integration in single-cell genomics. Nature Methods 19, 41-50.",
    "korsunsky2019": "I. Korsunsky, N. Millard, J. Fan et al. (2019). Fast, sensitive and accurate integration of single-cell data with Harmony. Nature Methods 16, 1289-1296.",
    "liu2013": "Y. Liu, Z. Li, H. Xiong, X. Gao, J. Wu, S. Wu (2013). Understanding and enhancement of internal clustering validation measures. IEEE Transactions on Cybernetics 43, 982-994.",
    "moulavi2014": "D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek, J. Sander (2014). Density-based clustering validation. Proceedings of the SIAM International Conference on Data Mining, 839-847.",
    "vanderlaan2003": "M. J. van der Laan, K. S. Pollard, J. Bryan (2003). A new partitioning around medoids algorithm. Journal of Statistical Computation and Simulation 73, 575-584.",
    "wiroonsri2024": "N. Wiroonsri (2024). Clustering performance analysis using a new correlation-based cluster validity index. Pattern Recognition 145, 109910.",
    "zhao2014": "Q. Zhao, P. Fränti (2014). WB-index: a sum-of-squares based index for cluster validity. Data & Knowledge Engineering 92, 77-89.",
}
