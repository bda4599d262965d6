"""Every open link is reset: RST at both ends. New ones are taken at once."""

from __future__ import annotations

from chaos.proxy.proxy import Proxy, Toxic

__all__ = ["Reset"]


class Reset(Toxic):
    def added(self, proxy: Proxy) -> None:
        for link in tuple(proxy.links):
            link.reset()
        proxy.remove(self)
