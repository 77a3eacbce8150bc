from crfclean.core.table import Table
from crfclean.types import Bools, Ints

def zones_of(table: Table) -> tuple[int, Bools, Ints, Bools]: ...
