# What type checkers see of the names that are imported when they are first used.
from .planted import LabeledGraph as LabeledGraph
from .planted import LabeledVectors as LabeledVectors
from .planted import degree_corrected_partition as degree_corrected_partition
from .planted import planted_partition as planted_partition
from .small import crossing_lines as crossing_lines
from .small import load_digits as load_digits
from .small import load_karate as load_karate
