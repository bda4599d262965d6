"""Every open link ends in good order below its protocol: FIN at both ends. New ones are taken at once."""

from __future__ import annotations

from chaos.proxy.proxy import Proxy, Toxic

__all__ = ["Cut"]


class Cut(Toxic):
    def added(self, proxy: Proxy) -> None:
        for link in tuple(proxy.links):
            link.end()
        proxy.remove(self)
