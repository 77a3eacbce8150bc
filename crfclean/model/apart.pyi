from crfclean.core.table import Table
from crfclean.types import Ints

def apart_of(table: Table, zones: Ints, heading: int) -> Ints: ...
