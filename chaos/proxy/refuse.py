"""Open links are reset and new ones turned away while it lasts: nobody listens there."""

from __future__ import annotations

from chaos.proxy.proxy import Link, Proxy, Toxic

__all__ = ["Refuse"]


class Refuse(Toxic):
    def added(self, proxy: Proxy) -> None:
        for link in tuple(proxy.links):
            link.reset()

    def opened(self, link: Link) -> bool:
        return False
