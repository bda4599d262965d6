"""A TCP proxy with faults: between workers and relay, and between workers and database. One file a fault ("toxic").

    proxy = Proxy("127.0.0.1", relay_port)
    await proxy.start()
    frozen = Freeze("both")
    proxy.add(frozen)
    ...
    proxy.remove(frozen)

What a toxic holds back is passed on when it is removed, as TCP itself sends lost packets again: a pulled cable and a
bandwidth of 0 are one thing to a stream. Everything random comes from the toxic's own seed.
"""

from chaos.proxy.cut import Cut
from chaos.proxy.cut_after import CutAfter
from chaos.proxy.delay import Delay
from chaos.proxy.freeze import Freeze
from chaos.proxy.half_open import HalfOpen
from chaos.proxy.idle import Idle
from chaos.proxy.loss import Loss
from chaos.proxy.proxy import Direction, Proxy, Toxic
from chaos.proxy.refuse import Refuse
from chaos.proxy.reset import Reset

__all__ = [
    "Cut", "CutAfter", "Delay", "Direction", "Freeze", "HalfOpen", "Idle", "Loss", "Proxy", "Refuse", "Reset", "Toxic",
]  # fmt: skip
