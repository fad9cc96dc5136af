#!/usr/bin/env python3
"""A leader by a key in etcd that is bound to a lease, through etcd's JSON gateway: a client for `tenure live`.

    tenure live FILE --store … -- python3 etcd_lease.py {node} {store} {journal}

`{store}` is HOST:PORT. The key exists as long as its lease is kept alive. The belief ends with the lease's time to live,
counted from before the last keep-alive was sent.
"""

import base64
import contextlib
import http.client
import json
import sys
import time

from journal import SECOND, Journal, stop_signal

TIME_TO_LIVE, PERIOD, TIMEOUT = 2, SECOND // 4, 1.0  # etcd's leases are whole seconds
KEY = base64.b64encode(b"leader").decode()


class Etcd:
    def __init__(self, address):
        self.address, self.connection = address, None

    def __call__(self, path, **body):
        """Raises OSError: nobody knows whether it was done."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.address, timeout=TIMEOUT)
            self.connection.request("POST", "/v3/" + path, json.dumps(body))
            answer = self.connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise ConnectionError(text.decode(errors="replace"))
            return json.loads(text.splitlines()[0])
        except (OSError, http.client.HTTPException, ValueError, IndexError) as error:
            with contextlib.suppress(OSError):
                if self.connection is not None:
                    self.connection.close()
            self.connection = None
            raise ConnectionError(str(error)) from error


class Candidate:
    def __init__(self, etcd, node):
        self.etcd, self.value, self.lease = etcd, base64.b64encode(b"%d" % node).decode(), None

    def keep(self):
        """Whether the lease lives on."""
        answer = self.etcd("lease/keepalive", ID=self.lease).get("result", {})
        return int(answer.get("TTL", 0)) > 0

    def take(self):
        """Whether the key is there with our lease now."""
        if self.lease is None or not self.keep():
            self.lease = self.etcd("lease/grant", TTL=TIME_TO_LIVE)["ID"]
        done = self.etcd("kv/txn", compare=[{"key": KEY, "target": "CREATE", "result": "EQUAL", "create_revision": 0}],
                         success=[{"request_put": {"key": KEY, "value": self.value, "lease": self.lease}}],
                         failure=[{"request_range": {"key": KEY}}])
        if done.get("succeeded"):
            return True
        held = done["responses"][0]["response_range"].get("kvs", [])
        return bool(held) and held[0].get("lease") == self.lease  # its answer was lost


def main():
    node, address, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    journal = Journal(path, node, "etcd-lease", {"election.lease_duration": TIME_TO_LIVE * SECOND})
    asked_to_stop = stop_signal(journal)
    candidate, until = Candidate(Etcd(address), node), 0
    while not asked_to_stop.is_set():
        sent = time.monotonic_ns()
        if journal.believing and until <= sent:
            journal.steps_down("its lease is over")
        try:
            if not (candidate.keep() if journal.believing else candidate.take()):
                journal.steps_down("its lease has expired")
            elif sent + TIME_TO_LIVE * SECOND > time.monotonic_ns():
                until = sent + TIME_TO_LIVE * SECOND
                journal.believes(until_mono=until)
        except OSError:
            pass  # nobody knows: the belief lasts as long as it would have
        if journal.believing and time.monotonic_ns() < until:
            journal.checked()
        asked_to_stop.wait(PERIOD / SECOND)
    journal.steps_down("it stops")
    with contextlib.suppress(OSError):
        if candidate.lease is not None:
            candidate.etcd("lease/revoke", ID=candidate.lease)
    journal.stopped()


if __name__ == "__main__":
    main()
