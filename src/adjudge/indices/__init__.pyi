from adjudge.indices.catalog import find_index as find_index
from adjudge.indices.catalog import list_indices as list_indices
from adjudge.indices.catalog import register as register
from adjudge.indices.catalog import unregister as unregister
from adjudge.indices.every_index import *
from adjudge.indices.instance_overlap import element_centric_scores as element_centric_scores
from adjudge.indices.internal_record import InternalIndex as InternalIndex
from adjudge.indices.internal_record import internal as internal
from adjudge.indices.label_record import ExternalIndex as ExternalIndex
from adjudge.indices.label_record import external as external
from adjudge.indices.matching import matched_clusters as matched_clusters
from adjudge.indices.matching import normalized_confusion_matrix as normalized_confusion_matrix
from adjudge.indices.matching import normalizing_permutation as normalizing_permutation
from adjudge.indices.pairs import concordance as concordance
from adjudge.indices.record import Index as Index
from adjudge.indices.record import Noted as Noted
from adjudge.indices.record import quotient as quotient
