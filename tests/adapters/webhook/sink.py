#!/usr/bin/python3
"""A server that webhooks are sent to. It records each request as a line of JSON, and behaves as the path says:
/TEST/BEHAVIOUR, as the methods on_BEHAVIOUR say. TEST is for whoever reads the records.

usage: sink.py RECORDS [--secret whsec_…]… [--tls CERTIFICATE KEY]

It prints its port, and ends when its standard input does. Signatures are checked by Python's own hmac.
"""
import argparse
import base64
import hmac
import http.server
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

LOCK = threading.Lock()
FOREVER = threading.Event()


def signers(secrets, headers, body):
    """Which of the secrets have signed, by their places."""
    signed = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
    made = [part.partition(",")[2] for part in headers.get("webhook-signature", "").split() if part.startswith("v1,")]
    found = []
    for place, secret in enumerate(secrets):
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        mine = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
        if any(hmac.compare_digest(mine, each) for each in made):
            found.append(place)
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = 0  # on this connection

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.requests += 1
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.record_request(body)
        _, self.test, name, *arguments = url.path.split("/")
        getattr(self, "on_" + name.replace("-", "_"))(*arguments, **query)

    do_GET = do_POST

    def record_request(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.record({"method": self.command, "path": self.path, "headers": headers, "body": body.decode(),
                     "signers": signers(self.server.secrets, headers, body), "connection": self.client_address[1]})

    def record(self, fields):
        with LOCK:
            self.server.records.write(json.dumps(fields) + "\n")
            self.server.records.flush()

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def on_ok(self):
        self.answer(200, b"ok")

    def on_status(self, status, **headers):
        self.answer(int(status), b"x" * 5000, **headers)

    def on_redirect(self):
        self.answer(302, Location=f"/{self.test}/ok")

    def on_slow(self, ms):
        time.sleep(int(ms) / 1000)
        self.answer(200)

    def on_stall(self):
        FOREVER.wait()

    def on_half(self):
        """Complete headers, and a body that never comes."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
        self.wfile.flush()
        FOREVER.wait()

    def on_half_headers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
        self.wfile.flush()
        FOREVER.wait()

    def on_early(self):
        """An informational answer, and no final one."""
        self.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        self.wfile.flush()
        self.reset()

    def on_reset(self):
        self.reset()

    def on_second_closes(self):
        if self.requests > 1:
            self.reset()
        else:
            self.answer(200)

    def on_huge(self):
        self.endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536)

    def on_headers(self):
        self.endless(b"HTTP/1.1 200 OK\r\n", b"a: " + b"x" * 1000 + b"\r\n")

    def endless(self, begin, part):
        """Writes until the other side closes, and records how much it took."""
        taken = 0
        try:
            self.wfile.write(begin)
            while True:
                self.wfile.write(part)
                taken += len(part)
        except OSError:
            self.close_connection = True
        self.record({"path": self.path, "taken": taken})

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("records")
    parser.add_argument("--secret", action="append", default=[])
    parser.add_argument("--tls", nargs=2)
    arguments = parser.parse_args()
    server = Server(("127.0.0.1", 0), Handler)
    server.records, server.secrets = open(arguments.records, "a", encoding="utf-8"), arguments.secret
    if arguments.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*arguments.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    os._exit(0)  # handlers may stall for ever


main()
