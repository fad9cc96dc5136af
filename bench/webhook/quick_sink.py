#!/usr/bin/python3
"""Answers 200 to each POST as quickly as Python can. It prints its port, and ends when its standard input does."""
import asyncio
import re
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Receiver(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.buffer = transport, b""

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            whole = end + 4 + int(LENGTH.search(self.buffer, 0, end).group(1))
            if len(self.buffer) < whole:
                return
            self.buffer = self.buffer[whole:]
            self.transport.write(ANSWER)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Receiver, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
