"""Stands between one instance and Postgres, on loopback: swallows or delays what passes, cuts connections, or acts at a
failpoint.
"""

import contextlib
import os
import socket
import threading
import time

READY = b"Z\x00\x00\x00\x05"  # the last message of each answer, but for one byte: it is committed by then


class Failpoint:
    """Acts once, when a request with `text` passes: before the server sees it, or when its answer is there.

    Either way the other side never sees the message, and the connection is gone.
    """

    def __init__(self, text, when, act):
        assert when in ("before", "after")
        self.text, self.when, self.act = text.encode(), when, act
        self.struck = threading.Event()
        self.lock = threading.Lock()
        self.taken = False

    def take(self):
        with self.lock:
            first, self.taken = not self.taken, True
            return first

    def strike(self):
        self.act()
        self.struck.set()


class PostgresProxy:
    def __init__(self):
        self.swallows = self.refuses = False
        self.delay = 0  # seconds, of each message
        self.failpoint = None
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def cut(self):
        """Ends all connections, and each new one, until `refuses` is no longer so."""
        self.refuses = True
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def connection(self, database):
        return f"dbname={database} host=127.0.0.1 port={self.port} sslmode=disable gssencmode=disable"

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection((os.environ["PGHOST"], int(os.environ["PGPORT"])))
            except OSError:  # the server begins anew
                client.close()
                continue
            if self.refuses:
                client.close()
                server.close()
                continue
            self.open |= {client, server}
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            answered = []  # the failpoint that waits for this connection's answer
            threading.Thread(target=self._requests, args=(client, server, answered), daemon=True).start()
            threading.Thread(target=self._answers, args=(server, client, answered), daemon=True).start()

    def _requests(self, client, server, answered):
        def pass_on(data):
            failpoint = self.failpoint
            if failpoint is not None and failpoint.text in data and failpoint.take():
                if failpoint.when == "before":
                    failpoint.strike()
                    return False
                answered.append(failpoint)
            server.sendall(data)
            return True

        self._pump(client, server, pass_on)

    def _answers(self, server, client, answered):
        def pass_on(data):
            if not answered:
                client.sendall(data)
            elif data[-6:-1] == READY:
                answered[0].strike()
                return False
            return True

        self._pump(server, client, pass_on)

    def _pump(self, source, other, pass_on):
        try:
            while True:
                data = source.recv(65536)
                time.sleep(self.delay)
                if not data or not (self.swallows or pass_on(data)):
                    break
        except OSError:
            pass
        for one in (source, other):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
            self.open.discard(one)
