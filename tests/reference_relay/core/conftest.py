from __future__ import annotations

import pytest

from tests.reference_relay.core.driving import Driver


@pytest.fixture
def drive() -> Driver:
    driver = Driver()
    driver.app()
    return driver
