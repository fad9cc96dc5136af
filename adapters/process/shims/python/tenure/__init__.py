"""Programs in Python under Tenure's simulator, on the simulator's clock (docs/node-protocol.md, docs/designs.md).

    python3 adapters/process/shims/python/tenure my_lease.py

My_lease.py has the variables of a design: name, and if it likes role, summary, parameters, schema, claims and tokens; and
`async def node(t)`, the process.
"""

from tenure.times import Duration, Mono, StoreTime, Wall
from tenure.values import StoreError
from tenure.world import Refused

__all__ = ["Duration", "Mono", "Refused", "StoreError", "StoreTime", "Wall"]
