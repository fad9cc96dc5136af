#!/usr/bin/python3
"""The network between the servers of an etcd cluster, which can be cut.

usage: links.py NAME=FROM:TO…

Of each server: its name, the port at which the others reach it, and the port at which it listens. It says `ready`. Then
each line of standard input is a command, and is answered by `done`:

  cut NAME ID   nothing passes to or from this server, whose member id is ID (in hex, as etcd says it to the others)
  mend          what was held up goes on, as TCP would send it again

It ends when standard input does.
"""
import asyncio
import os
import re
import sys

SOURCE = re.compile(rb"X-Server-From: ([0-9a-f]+)", re.IGNORECASE)
CUT = set()  # names and ids
MENDED = asyncio.Condition()


async def passes(*ends):
    async with MENDED:
        await MENDED.wait_for(lambda: CUT.isdisjoint(ends))


class Link:
    """One connection to a server. Who made it is in the headers of its requests, perhaps not in those of the first."""

    def __init__(self, name):
        self.to = name
        self.source = None

    async def pump(self, reader, writer, reads_requests):
        try:
            while chunk := await reader.read(65536):
                if reads_requests and self.source is None and (found := SOURCE.search(chunk)):
                    self.source = found[1].decode()
                await passes(self.to, self.source)
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        await passes(self.to, self.source)
        writer.close()


async def serve(name, listens_at, leads_to):
    async def accepted(reader, writer):
        link = Link(name)
        await passes(name)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", leads_to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(link.pump(reader, far_writer, True), link.pump(far_reader, writer, False))

    await asyncio.start_server(accepted, "127.0.0.1", listens_at)


async def obey(command, *ends):
    CUT.clear()
    if command == "cut":
        CUT.update(ends)
    async with MENDED:
        MENDED.notify_all()


async def main():
    for argument in sys.argv[1:]:
        name, ports = argument.split("=")
        await serve(name, *map(int, ports.split(":")))
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        await obey(*line.split())
        print("done", flush=True)
    os._exit(0)  # connections may be held up


asyncio.run(main())
