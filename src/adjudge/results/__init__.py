"""What the verbs return: frozen results that print, convert to JSON and to data frames, and compute nothing."""

from adjudge.results.candidates import Choice
from adjudge.results.choice import KChoice
from adjudge.results.comparison import Comparison
from adjudge.results.evaluation import Evaluation
from adjudge.results.head_to_head import HeadToHead

__all__ = ["Choice", "Comparison", "Evaluation", "HeadToHead", "KChoice"]
