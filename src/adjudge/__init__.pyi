# The public names of the package: each is listed here and nowhere else.

from adjudge import displays as displays
from adjudge import errors as errors
from adjudge import indices as indices
from adjudge import inference as inference
from adjudge import metrics as metrics
from adjudge import results as results
from adjudge import statistics as statistics
from adjudge.choosing.votes import best_partition as best_partition
from adjudge.errors import AdjudgeError as AdjudgeError
from adjudge.errors import InputError as InputError
from adjudge.errors import InputTypeError as InputTypeError
from adjudge.errors import MissingExtraError as MissingExtraError
from adjudge.errors import UnknownIndexError as UnknownIndexError
from adjudge.given.option_groups import Classifier as Classifier
from adjudge.given.option_groups import Compute as Compute
from adjudge.given.option_groups import Points as Points
from adjudge.indices.catalog import find_index as find_index
from adjudge.indices.catalog import list_indices as list_indices
from adjudge.indices.catalog import register as register
from adjudge.indices.catalog import unregister as unregister
from adjudge.indices.every_index import *
from adjudge.results.benchmark import Benchmark as Benchmark
from adjudge.results.by_class import ClassifierEvaluation as ClassifierEvaluation
from adjudge.results.candidates import Choice as Choice
from adjudge.results.choice import KChoice as KChoice
from adjudge.results.comparison import Comparison as Comparison
from adjudge.results.evaluation import Evaluation as Evaluation
from adjudge.results.evaluations import Evaluations as Evaluations
from adjudge.results.gate import Gate as Gate
from adjudge.results.head_to_head import HeadToHead as HeadToHead
from adjudge.saved.archive import load as load
from adjudge.verbs.benchmark import benchmark as benchmark
from adjudge.verbs.choose import choose as choose
from adjudge.verbs.choose_k import choose_k as choose_k
from adjudge.verbs.compare import compare as compare
from adjudge.verbs.evaluate import evaluate as evaluate
from adjudge.verbs.gate import gate as gate
from adjudge.verbs.plan import Plan as Plan
from adjudge.verbs.plan import plan as plan
from adjudge.verbs.plan_gate import GatePlan as GatePlan
from adjudge.verbs.plan_gate import plan_gate as plan_gate
from adjudge.verbs.report import Report as Report
from adjudge.verbs.report import report as report
from adjudge.verbs.scoring import make_scorer as make_scorer

__version__: str
