"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# A busy machine is no failure of the code: no deadline. In CI the same examples each time: what a new one finds there
# would stop a change that did not cause it; developers' runs go on looking.
settings.register_profile("relayproof", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("relayproof")
