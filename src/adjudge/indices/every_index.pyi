# Types of the indices as functions: `adjudge.jaccard` and `adjudge.indices.jaccard`.

from adjudge.indices.abstention import *
from adjudge.indices.batch_mixing import *
from adjudge.indices.batches import *
from adjudge.indices.calibration import *
from adjudge.indices.characteristics import *
from adjudge.indices.classes import *
from adjudge.indices.classification import *
from adjudge.indices.cluster_trees import *
from adjudge.indices.communities import *
from adjudge.indices.comparative import *
from adjudge.indices.coreference import *
from adjudge.indices.covers import *
from adjudge.indices.cvnn_index import *
from adjudge.indices.decisions import *
from adjudge.indices.density import *
from adjudge.indices.dispersion import *
from adjudge.indices.diversity import *
from adjudge.indices.gap_statistic import *
from adjudge.indices.hierarchy_splits import *
from adjudge.indices.information import *
from adjudge.indices.information_criteria import *
from adjudge.indices.instance_overlap import *
from adjudge.indices.internal_record import InternalIndex as _InternalIndex
from adjudge.indices.label_rankings import *
from adjudge.indices.label_sets import *
from adjudge.indices.level_differences import *
from adjudge.indices.matching import *
from adjudge.indices.nci_index import *
from adjudge.indices.neighbours import *
from adjudge.indices.numbers import *
from adjudge.indices.ordered_classes import *
from adjudge.indices.pairs import *
from adjudge.indices.probabilities import *
from adjudge.indices.purity_measures import *
from adjudge.indices.ranked import *
from adjudge.indices.raters import *
from adjudge.indices.scatter import *
from adjudge.indices.score_ranking import *
from adjudge.indices.separation import *
from adjudge.indices.soft_clusters import *
from adjudge.indices.stability import *
from adjudge.indices.table_measures import *
from adjudge.indices.taxonomies import *

# Members of a family, which a loop makes.
gdi12: _InternalIndex
gdi13: _InternalIndex
gdi21: _InternalIndex
gdi22: _InternalIndex
gdi23: _InternalIndex
gdi31: _InternalIndex
gdi32: _InternalIndex
gdi33: _InternalIndex
gdi41: _InternalIndex
gdi42: _InternalIndex
gdi43: _InternalIndex
gdi51: _InternalIndex
gdi52: _InternalIndex
gdi53: _InternalIndex
gdi61: _InternalIndex
gdi62: _InternalIndex
gdi63: _InternalIndex
