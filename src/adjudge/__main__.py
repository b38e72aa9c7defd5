"""``python -m adjudge``."""

import sys

from adjudge.cli import main

sys.exit(main())
