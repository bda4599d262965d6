"""The relay on asyncio: WebSocket endpoint, management API, and the hub that drives the core between them."""
