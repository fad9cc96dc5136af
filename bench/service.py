#!/usr/bin/python3
"""What `tenured` does in a second, and how late it is: real processes on a Postgres of their own.

    bash tests/adapters/postgres/with_postgres.sh /usr/bin/python3 bench/service.py build/release/bin/tenured PART…

Each PART is one of the functions below: lateness, sql, http, claims, webhooks, reads, million, failover; none: all.
PGOPTION="fsync=on" before it has the server flush, as it does in service. Everything runs on this machine: server,
instances, consumers and receivers share its processors.
"""
import asyncio
import contextlib
import datetime
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/daemon"))
os.environ["TENURED"] = sys.argv[1]
os.environ["ENGINE"] = "postgres"
from daemon import Daemon, eventually, fresh_store  # noqa: E402: it reads the environment

SECONDS = 10


def percentiles(values):
    values = sorted(values)
    return "p50 %.1f, p99 %.1f, max %.1f ms" % tuple(
        1000 * values[min(len(values) - 1, int(len(values) * part))] for part in (0.5, 0.99, 1.0))


def sql(store, statement):
    return subprocess.run(["psql", "-XAtqc", statement, store], capture_output=True, text=True, check=True).stdout.strip()


class Session:
    """One connection for many statements: a psql for each costs more than what is measured."""

    def __init__(self, store):
        self.psql = subprocess.Popen(["psql", "-XAtq", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, statement):
        """The one value that it gives."""
        self.psql.stdin.write(statement + ";\n")
        self.psql.stdin.flush()
        return self.psql.stdout.readline().strip()

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()


@contextlib.contextmanager
def service(config="", lease="15s"):
    with tempfile.TemporaryDirectory() as folder:
        with Daemon(fresh_store(folder), config=config, lease=lease) as daemon:
            eventually(daemon.leads, 60)
            yield daemon


def put_many(daemon, count, schedule):
    """`schedule` makes the i-th of them. Those that a busy leader left no time for are put again."""
    left = [{"name": f"s-{i}", **schedule(i)} for i in range(count)]
    while left:
        answer = daemon.ask("POST", "/v1/schedules:bulk", {"schedules": left[:500]}, timeout=60)
        assert answer.status == 200, answer
        failed = [one for one in answer.json["results"] if one["result"] == "failed"]
        assert all(one["problem"]["status"] == 503 for one in failed), failed[0]
        again = {one["name"] for one in failed}
        left = [one for one in left[:500] if one["name"] in again] + left[500:]


def history_rate(daemon, seconds):
    def count():
        return int(sql(daemon.store, "SELECT coalesce(max(seq), 0) FROM tenure.history"))
    before, began = count(), time.monotonic()
    time.sleep(seconds)
    return (count() - before) / (time.monotonic() - began)


class Receiver(asyncio.Protocol):
    """Of webhooks: it answers at once, and keeps when each event came."""

    got, length = [], re.compile(rb"content-length: (\d+)", re.IGNORECASE)

    def connection_made(self, transport):
        self.transport, self.buffer = transport, b""

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            whole = end + 4 + int(self.length.search(self.buffer, 0, end).group(1))
            if len(self.buffer) < whole:
                return
            self.got.append((time.time(), self.buffer[end + 4:whole]))
            self.buffer = self.buffer[whole:]
            self.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")


def receive():
    """Configuration with a destination that a thread of this program listens for."""
    port, Receiver.got = [], []

    async def serve():
        server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", 0)
        port.append(server.sockets[0].getsockname()[1])
        await asyncio.sleep(3600)

    threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
    eventually(lambda: port)
    return (f'[[destination]]\nname = "d"\nurl = "http://127.0.0.1:{port[0]}/"\nallow = ["127.0.0.0/8"]\n'
            "in_flight = 64\n")


def slot_of(event):
    return datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()


def lateness():
    """100 schedules that are due in one minute, with a webhook each: the store commits, and the receiver has it."""
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    with service(receive()) as daemon:
        put_many(daemon, 100, lambda i: {
            "every": "60s", "destination": "d",
            "start": (start + datetime.timedelta(milliseconds=600 * i + 7)).isoformat().replace("+00:00", "Z")})
        time.sleep(62)
        late = sql(daemon.store, "SELECT string_agg((at_us - slot_us)::text, ' ') FROM tenure.history WHERE what = 0")
        print("lateness: slot to commit:", percentiles([int(one) / 1e6 for one in late.split()]))
        arrived = [at - slot_of(json.loads(body)) for at, body in Receiver.got]
        print(f"lateness: slot to webhook: {percentiles(arrived)} ({len(arrived)} events)")


def fill(store, count):
    """So many events of the first schedule wait."""
    sql(store, "UPDATE tenure.head SET outbox_seq = 100000000")
    sql(store, "INSERT INTO tenure.waiting (resource, seq, slot_us, schedule, run, version, kind, name, delivery, "
        "at_us) SELECT 0, 90000000 + i, i, 1, 0, 1, 1, 't', s.delivery, 0 FROM tenure.segment s, "
        f"generate_series(1, {count}) i WHERE s.schedule = 1")


def consumed(daemon, what, consume):
    """Schedules with 20,000 slots a second, and one consumer beside them, once it has caught up."""
    put_many(daemon, 4000, lambda i: {"every": "200ms", "topic": "t", "data": {"n": i}, "max_catchup": 1000000})
    over = threading.Event()
    taken = []
    thread = threading.Thread(target=lambda: [taken.append(consume()) for _ in iter(over.is_set, True)], daemon=True)
    thread.start()
    eventually(lambda: taken and taken[-1] < 1000, 60)
    before, began = sum(taken), time.monotonic()
    fired = history_rate(daemon, SECONDS)
    rate = (sum(taken) - before) / (time.monotonic() - began)
    daemon.process.kill()  # and now what waits, with nothing beside it
    time.sleep(0.5)
    over.set()
    thread.join()
    print(f"{what}: {fired:,.0f} fires a second, and {rate:,.0f} consumed beside them")
    fill(daemon.store, 200000)


def drained(what, consume):
    began, taken = time.monotonic(), 0
    while time.monotonic() < began + 5 and (some := consume()):
        taken += some
    print(f"{what}: {taken / (time.monotonic() - began):,.0f} events a second, of what waited and with nothing beside")


def sql_consumer():
    """A consumer in the database that polls and acknowledges 1,000 events a statement."""
    with service() as daemon:
        session = Session(daemon.store)

        def consume():
            return int(session.ask("SELECT tenure.ack(ARRAY(SELECT key FROM tenure.poll('t', 0, 1000)))"))

        consumed(daemon, "sql", consume)
        drained("sql", consume)
        session.close()


def http_consumer():
    """The same over HTTP."""
    def consume(daemon):
        events = daemon.get("/v1/events?topic=t&limit=1000").json["events"]
        if events:
            daemon.ask("POST", "/v1/events:ack", {"keys": [one["key"] for one in events]})
        return len(events)

    def consume_until_killed(daemon):
        try:
            return consume(daemon)
        except OSError:
            return 0

    with service() as daemon:
        consumed(daemon, "http", lambda: consume_until_killed(daemon))
        with Daemon(daemon.store, lease="15s") as other:  # it does not lead yet
            drained("http", lambda: consume(other))


def claims():
    """Ten events a statement, out of 300,000 that wait."""
    with service() as daemon:
        daemon.create("one", {"every": "1000h", "topic": "t"})
        fill(daemon.store, 300000)
        session = Session(daemon.store)
        began, taken = time.monotonic(), 0
        while time.monotonic() < began + SECONDS:
            taken += int(session.ask("SELECT count(*) FROM tenure.claim_events('t', 10)"))
        session.close()
        print(f"claims: {taken / (time.monotonic() - began):,.0f} events a second, ten at a time of 300,000 that wait")


def webhooks():
    """More fires than can be sent: how many are."""
    with service(receive()) as daemon:
        put_many(daemon, 500, lambda i: {"every": "250ms", "destination": "d", "max_catchup": 1000000})
        time.sleep(3)
        before = len(Receiver.got)
        fired = history_rate(daemon, SECONDS)
        print(f"webhooks: {(len(Receiver.got) - before) / SECONDS:,.0f} a second, beside {fired:,.0f} fires")


OLD = "Cache-Control: max-age=1\r\n"


def reads():
    """GET of one schedule by eight clients, each as soon as it has the answer before: from the store, and as it was at
    most a second before."""
    with service() as daemon:
        daemon.create("one", {"every": "1h", "data": {"n": 1}})
        print(f"reads: {reads_a_second(daemon, ''):,.0f} a second, each from the store")
        print(f"reads: {reads_a_second(daemon, OLD):,.0f} a second, up to a second old")


def reads_a_second(daemon, fields):
    request = f"GET /v1/schedules/one HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode()
    counts = [0] * 8

    def ask(i):
        with socket.create_connection(("127.0.0.1", daemon.port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                connection.sendall(request)
                assert connection.recv(65536).startswith(b"HTTP/1.1 200")
                counts[i] += 1

    clients = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    return sum(counts) / SECONDS


def put_a_million(store, data, alike):
    """As the store would, but by one statement a table. `alike`: all have the same rule; else each has one of its own."""
    definition = sql(store, "SELECT definition FROM tenure.change WHERE schedule = 2 ORDER BY seq LIMIT 1")
    pad = "x" * data
    definition = f"'{definition}'"
    if not alike:
        definition = f"""replace({definition}, '"start_us":0', '"start_us":' || i)"""
    for statement in (
            "INSERT INTO tenure.schedule (resource, schedule, version, change_seq, since_us, name, pause_us) "
            "SELECT 0, i, 1, i, 0, 'schedule-number-' || i, 0 FROM generate_series(3, 1000002) i",
            "INSERT INTO tenure.segment (resource, schedule, version, begin_us, cursor_us, covered_us, delivery) "
            "SELECT 0, i, 1, 0, cursor_us, 0, delivery FROM tenure.segment, generate_series(3, 1000002) i WHERE schedule = 2",
            "INSERT INTO tenure.change (resource, seq, schedule, version, begin_us, end_us, cursor_us, deleted, ended_us, "
            f"definition) SELECT 0, i, i, 1, 0, 9223372036854775, 0, false, 9223372036854775, {definition} "
            "FROM generate_series(3, 1000002) i",
            "INSERT INTO tenure.payload (resource, schedule, version, topic, type, data, labels, description) "
            f"SELECT 0, i, 1, 't', 'x', '{{\"n\":\"{pad}\"}}', '{{}}', '' FROM generate_series(3, 1000002) i",
            "UPDATE tenure.head SET change_seq = 1000002", "ANALYZE"):
        sql(store, statement)


def million():
    """An instance begins on a million schedules: until its first fire, and its memory; payloads of 100 B and of 1 KB."""
    for data, alike in ((100, True), (1000, True), (100, False)):
        with tempfile.TemporaryDirectory() as folder:
            store = fresh_store(folder)
            with Daemon(store, lease="15s") as daemon:
                eventually(daemon.leads, 60)
                daemon.create("first", {"every": "1s", "topic": "t"})
                daemon.create("rest", {"every": "1000h", "topic": "t"})
                daemon.stop()
            put_a_million(store, data, alike)
            session = Session(store)
            before = session.ask("SELECT max(seq) FROM tenure.history")
            began = time.monotonic()
            with Daemon(store, lease="15s") as daemon:
                eventually(lambda: session.ask("SELECT max(seq) FROM tenure.history") != before, 120)
                first = time.monotonic() - began
                session.close()
                time.sleep(5)
                status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
                peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024
                rules = "one rule" if alike else "a rule for each"
                print(f"million: payloads of {data} B, {rules}: {first:.1f} s to the first fire, {peak:,.0f} MB at most")
            subprocess.run(["dropdb", "--force", store.removeprefix("dbname=")], check=True)


def failover():
    """Until another instance says that it leads: after SIGTERM, and after SIGKILL what is beyond the end of the lease."""
    for name, rounds in (("SIGTERM", 5), ("SIGKILL", 5)):
        took = []
        with service(lease="3s") as first, Daemon(first.store) as second:
            pair = [first, second]
            for _ in range(rounds):
                leader = eventually(lambda: next((one for one in pair if one.leads()), None), 60)
                other = next(one for one in pair if one is not leader)
                time.sleep(1)
                left = sql(leader.store, "SELECT expires_us FROM tenure.lease")
                if name == "SIGTERM":
                    leader.process.terminate()
                else:
                    leader.process.kill()
                began = time.time()
                while not other.leads():
                    time.sleep(0.002)
                took.append(time.time() - (began if name == "SIGTERM" else int(left) / 1e6))
                leader.process.wait()
                pair = [other, Daemon(first.store).wait_for_port()]
            for one in pair:
                one.kill()
        print(f"failover: {name}: {percentiles(took)}")


PARTS = {"lateness": lateness, "sql": sql_consumer, "http": http_consumer, "claims": claims,
         "webhooks": webhooks, "reads": reads,
         "million": million, "failover": failover}
if __name__ == "__main__":
    for part in sys.argv[2:] or PARTS:
        PARTS[part]()
