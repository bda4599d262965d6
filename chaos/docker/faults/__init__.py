"""Faults that are made on the container's own network, instead of in the harness's proxy. One small file each."""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
    importlib.import_module(_module.name)
