"""`python -m reference_relay`."""

import sys

from reference_relay.main import run

sys.exit(run())
