import os
import sys

# `import tenure` finds this package; the program's own folder comes first, as it does for every program.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from tenure.main import main  # noqa: E402

main(sys.argv)
