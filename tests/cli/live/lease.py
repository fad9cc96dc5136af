"""lease.py NODE STORE JOURNAL: a lease in an SQLite table, and its journal, written from docs/reference/journal.md."""
import hashlib
import json
import random
import signal
import sqlite3
import sys
import time

node, store, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
LEASE, RENEW, RETRY, GUARD = 2_000_000_000, 0.5, 0.2, 200_000_000
life, nonce = random.getrandbits(31) | 1, str(random.getrandbits(63))
seq, requests, prev, stops = 0, 0, "0" * 32, []
journal = open(path, "ab", buffering=0)
signal.signal(signal.SIGTERM, lambda *_: stops.append(True))


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def write(event, **fields):
    global seq, prev
    seq += 1
    at = now()
    line = json.dumps({"v": 5, "prev": prev, "at": at, "mono": at, "node": node, "life": life, "seq": seq,
                       "event": event, **fields}).encode()
    prev = hashlib.sha256(line).hexdigest()[:32]
    journal.write(line + b"\n")


def apply(kind, epoch_seen):
    """The request in one transaction: what it is answered."""
    db.execute("BEGIN IMMEDIATE")
    held_by, held_life, epoch, held_nonce, until, position = db.execute("SELECT * FROM lease").fetchone()
    clock, why = time.time_ns() // 1000, None
    if kind == "acquire":
        if held_by and until > clock:
            why = "other holder"
        elif epoch != epoch_seen:
            why = "stale view"
        row = (node, life, epoch + 1, nonce, clock + LEASE // 1000)
    else:
        if (held_by, held_life, epoch, held_nonce) != (node, life, epoch_seen, nonce):
            why = "other holder" if held_by else "no lease"
        elif until <= clock:
            why = "expired"
        row = (node, life, epoch, nonce, clock + LEASE // 1000) if kind == "renew" else (0, 0, epoch, "0", 0)
    if why is None:
        db.execute("UPDATE lease SET node=?, life=?, epoch=?, nonce=?, until=?, position=?", (*row, position + 1))
    db.execute("COMMIT")
    answer = {"store_time_us": clock, "position": position + (why is None), "changed": why is None}
    if why is not None:
        return answer | {"kind": "refused", "why_refused": why, "remaining_ns": max(until - clock, 0) * 1000,
                         "holder_node": held_by, "holder_life": held_life, "held_epoch": epoch}
    if kind == "release":
        return answer | {"kind": "released"}
    return answer | {"kind": "granted", "branch": 1, "epoch": row[2], "nonce": nonce, "duration_ns": LEASE}


def ask(kind, epoch_seen):
    global requests, nonce
    requests += 1
    if kind == "acquire":
        nonce = str(random.getrandbits(63))
        fields = {"epoch_seen": epoch_seen, "nonce": nonce}
    else:
        fields = {"branch": 1, "epoch": epoch_seen, "nonce": nonce}
    if kind != "release":
        fields["duration_ns"] = LEASE
    name = {"part": "elector", "request": requests, "store": 0}
    write("submitted", **name, as_leader=False, kind=kind, resource=0, text=kind, **fields)
    try:
        answer = apply(kind, epoch_seen)
    except sqlite3.OperationalError as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        write("answered", **name, outcome="rejected", text=str(error))
        return {"kind": "none"}
    write("answered", **name, outcome="applied", **answer, text=answer["kind"])
    return answer


db = sqlite3.connect(store, timeout=0.3, isolation_level=None)
db.execute("CREATE TABLE IF NOT EXISTS lease (node, life, epoch, nonce, until, position)")
db.execute("INSERT INTO lease SELECT 0, 0, 0, '0', 0, 0 WHERE NOT EXISTS (SELECT 1 FROM lease)")
write("started", boot="", settings={"election.lease_duration": LEASE, "election.guard": GUARD,
                                    "election.max_clock_drift_ppm": 0, "election.request_timeout": 1_000_000_000})
leads, epoch, until = False, 0, 0
while not stops:
    sent = now()
    if leads and sent >= until:
        write("steps-down", resource=0, why="belief ran out")
        leads = False
    answer = ask("renew" if leads else "acquire", epoch)
    if answer["kind"] == "granted":
        leads, epoch, until = True, answer["epoch"], sent + LEASE - GUARD
        if now() < until:
            write("believes", resource=0, branch=1, epoch=epoch, nonce=nonce, until_mono=until)
    elif answer["kind"] == "refused":
        if leads:
            write("steps-down", resource=0, why=answer["why_refused"])
        leads, epoch = False, answer["held_epoch"]
    if not stops:
        time.sleep(RENEW if leads else RETRY)
write("stop-heard")
if leads:
    write("steps-down", resource=0, why="it is to stop")
    ask("release", epoch)
write("stopped")
write("died", how="stopped")
