"""Publications on communities in graphs."""

from __future__ import annotations

GRAPH_REFERENCES: dict[str, str] = {
    "aldecoa2013": "R. Aldecoa, I. Marín (2013). Surprise maximization reveals the community structure of complex networks. "
    "Scientific Reports 3, 1060.",
    "fortunato2010": "S. Fortunato (2010). Community detection in graphs. Physics Reports 486, 75-174.",
    "hagen1992": "L. Hagen, A. B. Kahng (1992). New spectral methods for ratio cut partitioning and clustering. IEEE "
    "Transactions on Computer-Aided Design of Integrated Circuits and Systems 11, 1074-1085.",
    "kannan2004": "R. Kannan, S. Vempala, A. Vetta (2004). On clusterings: good, bad and spectral. Journal of the ACM 51, "
    "497-515.",
    "newman2004": "M. E. J. Newman, M. Girvan (2004). Finding and evaluating community structure in networks. Physical "
    "Review E 69, 026113. The resolution: J. Reichardt, S. Bornholdt (2006). Statistical mechanics of community detection. "
    "Physical Review E 74, 016110. Directed graphs: E. A. Leicht, M. E. J. Newman (2008). Community structure in directed "
    "networks. Physical Review Letters 100, 118703.",
    "shi2000": "J. Shi, J. Malik (2000). Normalized cuts and image segmentation. IEEE Transactions on Pattern Analysis and "
    "Machine Intelligence 22, 888-905.",
    "traag2013": "V. A. Traag, G. Krings, P. Van Dooren (2013). Significant scales in community structure. Scientific "
    "Reports 3, 2930.",
    "traag2015": "V. A. Traag, R. Aldecoa, J.-C. Delvenne (2015). Detecting communities using asymptotical surprise. "
    "Physical Review E 92, 022816.",
    "yang2015": "J. Yang, J. Leskovec (2015). Defining and evaluating network communities based on ground-truth. Knowledge "
    "and Information Systems 42, 181-213.",
}
