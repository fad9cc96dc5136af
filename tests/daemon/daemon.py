"""Real processes of tenured, and a client that speaks HTTP to them."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

BINARY = os.environ.get("TENURED", "tenured")


def eventually(ask, within=20.0, what=""):
    """What `ask` returns, as soon as it is true."""
    end = time.monotonic() + within
    while True:
        got = ask()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s: {what or ask}")
        time.sleep(0.02)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:600]!r}"


class Process:
    """It is killed when it is left."""

    def __init__(self, arguments, environment):
        self.lines = []
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        env={**os.environ, **(environment or {})})
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for raw in self.process.stderr:
            self.lines.append(raw.decode())
            self.saw(self.lines[-1])

    def saw(self, line):
        pass

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def stop(self, within=30):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within)


class Daemon(Process):
    """One instance."""

    def __init__(self, store, *flags, config=None, lease="3s", renew="500ms", timeout="1s", environment=None,
                 text=None, binary=BINARY):
        self.folder = tempfile.mkdtemp(prefix="tenured-")
        self.store = store
        self.port = None
        arguments = [binary, "--store", store, "--listen", "127.0.0.1:0"]
        if lease:
            arguments += ["--set", f"election.lease_duration={lease}", "--set", f"election.renew_period={renew}",
                          "--set", "election.retry_period=200ms", "--set", "election.retry_jitter=50ms",
                          "--set", f"election.request_timeout={timeout}"]
        if config is not None:
            self.config = os.path.join(self.folder, "tenured.toml")
            self.write_config(config)
            arguments += ["--config", self.config]
        super().__init__(arguments + list(flags), environment)

    def write_config(self, text):
        with open(self.config, "w") as file:
            file.write(text)

    def saw(self, line):
        found = re.search(r"listens on http://127\.0\.0\.1:(\d+)", line)
        if found:
            self.port = int(found.group(1))

    def __enter__(self):
        return self.wait_for_port()

    def wait_for_port(self):
        eventually(lambda: self.port or self.process.poll() is not None, what="it listens")
        assert self.port, "".join(self.lines)
        return self

    def ask(self, method, path, body=None, headers=None, timeout=20, host=None):
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=host is not None)
            if host is not None:
                connection.putheader("Host", host)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body is not None:
                body = body.encode() if isinstance(body, str) else body
                connection.putheader("Content-Length", str(len(body)))
            elif method in ("POST", "PUT"):
                connection.putheader("Content-Length", "0")
            connection.endheaders(body)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def create(self, name, schedule):
        answer = self.ask("PUT", f"/v1/schedules/{name}", schedule, {"If-None-Match": "*"})
        assert answer.status == 201, answer
        return answer

    def leads(self):
        try:
            return self.process.poll() is None and self.get("/leaderz").status == 200
        except (OSError, http.client.HTTPException):  # it may be killed just now
            return False

    def connect(self, timeout=20):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        return connection

    @contextlib.contextmanager
    def stream(self, path, position="", **headers):
        """A connection on which a stream was asked for."""
        asked = {"Host": "localhost", "Accept": "text/event-stream", **headers}
        if position:
            asked["Last-Event-ID"] = position
        fields = "".join(f"{name}: {value}\r\n" for name, value in asked.items())
        with self.connect(40) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\n{fields}\r\n".encode())
            yield connection

    def raw(self, data, timeout=20):
        """Sends bytes, and returns all that comes until the other side closes."""
        with self.connect(timeout) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it may have had enough
            return read_all(connection)


def read_until(connection, last, count=1):
    """What a stream sends up to the event in which `last` is there so often."""
    text = b""
    end = time.monotonic() + 60  # a stream says for ever that it is still there
    while text.count(last) < count or not text.endswith(b"\n\n"):
        piece = connection.recv(65536)
        assert piece and time.monotonic() < end, text
        text += piece
    return text


def read_all(connection):
    got = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionError:
            return got
        if not piece:
            return got
        got += piece


POSTGRES = os.environ.get("ENGINE") == "postgres"


def fresh_store(folder):
    """A file in the folder; with ENGINE=postgres a database of the server that PGHOST and the others name."""
    if not POSTGRES:
        return os.path.join(folder, "tenure.db")
    name = "daemon_" + os.path.basename(folder).lower().replace("-", "_")
    subprocess.run(["createdb", name], check=True)
    return f"dbname={name}"


def quote(text):
    return urllib.parse.quote(text, safe="")


class OnOneDaemon(unittest.TestCase):
    """Tests that share one instance, which leads."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.daemon = Daemon(fresh_store(cls.folder.name)).wait_for_port()
        eventually(cls.daemon.leads)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.kill()
        cls.folder.cleanup()
