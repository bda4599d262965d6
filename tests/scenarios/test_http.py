"""The HTTP client against a server whose bytes the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from scenarios.http import HttpClient, HttpError, Response

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def exchange(script: Script, use: Callable[[HttpClient, str], Awaitable[object]]) -> object:
    async def main() -> object:
        server = await asyncio.start_server(script, "127.0.0.1", 0)
        client = HttpClient()
        try:
            return await use(client, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        finally:
            client.close()
            server.close()

    return asyncio.run(main())


def answering(*answers: bytes) -> tuple[Script, list[bytes], list[int]]:
    """Gives the answers one after the other over however many connections; notes requests and connections."""
    left, requests, connections = list(answers), [], []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(1)
        while left:
            try:
                requests.append(await reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError:
                break
            answer = left.pop(0)
            writer.write(answer)
            if answer == b"" or b"close" in answer:
                break
        writer.close()

    return script, requests, connections


def get(path: str = "/", **more: object) -> Callable[[HttpClient, str], Awaitable[Response]]:
    return lambda client, base: client.request("GET", base + path, **more)  # type: ignore[arg-type]


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length: 2\r\n\r\n{}"


def test_an_answer_has_status_headers_and_content() -> None:
    script, requests, _ = answering(OK)
    answer = exchange(script, get("/a%2Fb?q=1", headers={"authorization": "Bearer t"}))
    assert isinstance(answer, Response)
    assert (answer.status, answer.content_type, answer.content) == (200, "application/json", b"{}")
    assert (
        requests[0].startswith(b"GET /a%2Fb?q=1 HTTP/1.1\r\nhost: 127.0.0.1:")
        and b"authorization: Bearer t" in requests[0]
    )


def test_connections_are_used_again() -> None:
    script, requests, connections = answering(OK, OK)

    async def twice(client: HttpClient, base: str) -> None:
        await client.request("GET", base)
        await client.request("POST", base, content=b"")

    exchange(script, twice)
    assert (len(requests), len(connections)) == (2, 1)
    assert b"content-length: 0" in requests[1]


def test_a_stale_connection_is_replaced_for_a_get_and_told_for_anything_else() -> None:
    async def after_a_stale_one(client: HttpClient, base: str, method: str) -> object:
        await client.request("GET", base)
        return await client.request(method, base)

    script, _, connections = answering(OK, b"", OK)
    answer = exchange(script, lambda client, base: after_a_stale_one(client, base, "GET"))
    assert isinstance(answer, Response) and len(connections) == 2
    script, _, _ = answering(OK, b"", OK)
    with pytest.raises(HttpError, match="without a whole answer"):
        exchange(script, lambda client, base: after_a_stale_one(client, base, "PATCH"))


def test_a_body_may_end_with_the_connection() -> None:
    script, _, _ = answering(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it")
    answer = exchange(script, get())
    assert isinstance(answer, Response) and answer.content == b"all of it"


@pytest.mark.parametrize(
    "cut", [b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhalf", b"nonsense close\r\n"]
)
def test_half_an_answer_is_none(cut: bytes) -> None:
    script, _, _ = answering(cut)
    with pytest.raises(HttpError):
        exchange(script, get())


def test_silence_ends_at_the_deadline() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    with pytest.raises(HttpError, match=r"no answer within 0\.1 s"):
        exchange(silent, get(within_s=0.1))


def test_nobody_there() -> None:
    async def main() -> None:
        await HttpClient().request("GET", "http://127.0.0.1:1/")

    with pytest.raises(HttpError):
        asyncio.run(main())


def test_an_upgrade_and_a_head_have_no_body() -> None:
    script, _, _ = answering(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n")
    answer = exchange(script, get())
    assert isinstance(answer, Response) and answer.status == 101
    script, _, _ = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")
    answer = exchange(script, lambda client, base: client.request("HEAD", base))
    assert isinstance(answer, Response) and answer.content == b""


def test_a_connection_that_is_ending_is_not_used_for_what_can_not_be_repeated() -> None:
    """As after a host that stood still: the end is known, and nobody has been told yet."""
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    script, requests, connections = answering(answer, answer)

    async def use(client: HttpClient, base: str) -> int:
        await client.request("GET", base + "/")
        ((connection,),) = client._idle.values()
        assert connection._transport is not None
        connection._transport.close()
        return (await client.request("PUT", base + "/")).status

    assert exchange(script, use) == 200
    assert (len(requests), len(connections)) == (2, 2)
