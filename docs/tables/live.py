#!/usr/bin/env python3
"""Prints the tables of docs/live.md.

    /usr/bin/python3 docs/tables/live.py TENURE failovers [RUNS]   8 kinds and stores, all at once; a minute a run
    /usr/bin/python3 docs/tables/live.py TENURE gallery [RUNS]     the gallery's verdicts; an hour a run, eight at once
    /usr/bin/python3 docs/tables/live.py TENURE others             real clients of other stores; a quarter of an hour

from the root of the repository, on a machine that does nothing else. node_redlock.js needs NODE_PATH, a node_modules with
redlock 5.0.0-beta.2 and ioredis 5.4.1. Six to eight failovers come of a run: 30 runs make
200 of each kind. Each row's command is on stderr.
"""
import concurrent.futures
import contextlib
import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

CLIENTS = "docs/examples/live"
DESIGNS = "../../../scenarios/designs"  # from there
STORES = ("sqlite", "postgres")
SIDES = ("live", "simulated")
LOST, RESTARTS = "tests/cli/live/leader_lost.toml", "tests/cli/live/store_restarts.toml"
KINDS = [
    ("crash", LOST, [], STORES),
    ("clean stop", LOST, ["fault.1.action=stop"], STORES),
    ("pause", LOST, ["fault.1.action=pause", "fault.1.duration=4s"], STORES),
    ("cut", LOST, ["fault.1.action=partition", "fault.1.peers=store", "fault.1.duration=4s", "sim.tail=21s"],
     STORES[1:]),
    ("store restart", RESTARTS, [], STORES[1:]),
]
GALLERY = [
    "scenarios/leader-crash", "scenarios/zombie-leader", "scenarios/gallery/rolling-deploy",
    "scenarios/gallery/clock-step", "scenarios/gallery/vm-pause", "scenarios/gallery/crash-at-the-slot",
    "scenarios/gallery/overlapping-jobs", "scenarios/gallery/edits-during-failover",
    "scenarios/schedules/failing-work", "scenarios/gallery/asymmetric-partition",
    "scenarios/gallery/lost-acknowledgement", "scenarios/stores/store-lock-held", "scenarios/gallery/store-hang",
    "scenarios/gallery/store-failover",
]
# The client, its server, and the model that comes nearest to it.
OTHERS = [
    ("redis_lock.py", "redis", "redis-setnx",
     '{ttl="2s", renew_period="250ms", retry_period="250ms", request_timeout="1s", trust="clock"}'),
    ("etcd_lease.py", "etcd", "etcd-election", '{session_ttl="2s", request_timeout="1s", watch_timeout="5s"}'),
    ("zookeeper_lock.py", "zookeeper", "zookeeper-latch",
     '{session_timeout="4s", request_timeout="1s", retry_time="2s"}'),
    ("node_redlock.js", "redis", "node-redlock", '{duration="2s", resend_most="200ms"}'),
    ("article_lease.py", "postgres", "article-lease",
     '{lock_duration="2s", poll_period="500ms", request_timeout="1s"}'),
]
FAULTS = [
    ("crash", 'action="kill", target="believer", duration="1s"'),
    ("clean stop", 'action="stop", target="believer", duration="1s"'),
    ("pause", 'action="pause", target="believer", duration="6s"'),
    ("cut", 'action="partition", target="believer", peers="store", duration="6s"'),
    ("store down", 'action="store-down", duration="6s"'),
]


def run(*command):
    print(shlex.join(command), file=sys.stderr, flush=True)
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr


def sets(pairs):
    return [word for pair in pairs for word in ("--set", pair)]


def in_words(seconds):
    return f"{seconds:.3f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def distance(measure):
    text = f"{measure['distance']:.3f}"
    return f"**{text}** ({measure['critical']:.3f})" if measure["differs"] else f"{text} ({measure['critical']:.3f})"


def failovers(tenure, runs):
    print("| kind | store | live failovers | p50 live, simulated | failover (critical) | leaderless (critical) | "
          "requests (critical) |\n|---|---|---|---|---|---|---|", flush=True)

    def measure(one):
        (kind, file, changes, _), store = one
        text = run(tenure, "live", file, "--store", store, "--runs", runs, "--compare-with-simulation",
                   "--format", "json", *sets(changes))
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        if not lines or lines[-1]["kind"] != "comparison":
            return kind, store, "not measured:", text.strip().splitlines()[-1], "", "", ""
        failover, _, leaderless, requests = lines[-1]["measures"][:4]
        return (kind, store, str(failover["live"]["n"]), ", ".join(in_words(failover[side]["p50"]) for side in SIDES),
                distance(failover), distance(leaderless), distance(requests))

    pairs = [(one, store) for one in KINDS for store in one[3]]
    with concurrent.futures.ThreadPoolExecutor(len(pairs)) as pool:  # they wait most of the time
        for cells in pool.map(measure, pairs):
            print("| " + " | ".join(cells) + " |", flush=True)


def verdicts(text):
    return re.findall(r"^(PASS|FAIL|INCONCLUSIVE|CANARY)", text, re.M)


def gallery(tenure, runs):
    print(f"| scenario | simulated | SQLite, {runs} times | Postgres, {runs} times |\n|---|---|---|---|", flush=True)

    def cell(path, store):
        text = run(tenure, "live", path + ".toml", "--store", store, "--runs", runs)
        if found := verdicts(text):
            return ", ".join(f"{found.count(each)} {each.lower()}" for each in dict.fromkeys(found))
        return "cannot be live" if "nothing was started" in text else text.strip().splitlines()[-1]

    def row(path):
        simulated = (verdicts(run(tenure, "run", path + ".toml")) or ["?"])[0].lower()
        return f"| {path} | {simulated} | " + " | ".join(cell(path, store) for store in STORES) + " |"

    with concurrent.futures.ThreadPoolExecutor(8) as pool:  # they wait most of the time
        for line in pool.map(row, GALLERY):
            print(line, flush=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def server_command(kind, port, folder):
    if kind == "redis":
        return ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    if kind == "etcd":
        clients, peers = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{free_port()}"
        return ["etcd", "--data-dir", folder + "/etcd", "--listen-client-urls", clients, "--advertise-client-urls",
                clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster",
                "default=" + peers, "--logger", "zap", "--log-level", "fatal"]
    with open(folder + "/zoo.cfg", "w", encoding="utf-8") as file:
        file.write(f"tickTime=500\ndataDir={folder}/zookeeper\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
                   "admin.enableServer=false\n")
    jars = ":".join(f"/usr/share/java/{each}.jar"
                    for each in ("zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api", "netty-all"))
    return ["java", "-Dzookeeper.admin.enableServer=false", "-cp", jars,
            "org.apache.zookeeper.server.quorum.QuorumPeerMain", folder + "/zoo.cfg"]


@contextlib.contextmanager
def server(kind):
    """What `--store` takes."""
    if kind == "postgres":
        yield kind
        return
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = server_command(kind, port, folder)
        if shutil.which(command[0]) is None:
            sys.exit(f"{command[0]} is missing: ./dev setup all")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def overlap(values):
    worst = max(values)
    return "none" if worst == 0 else f"{worst:.1f} s" if worst >= 1 else f"{worst * 1000:.0f} ms"


def in_seconds(text):
    units = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9, "s": 1, "m": 60, "h": 3600}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+)(ms|us|ns|s|m|h)", text))


def others(tenure):
    def rows(one):
        client, kind, design, election = one
        lines = []
        model = [f"cluster.protocol={DESIGNS}/{design}/{design}.lua", f"election={election}"]
        for fault, what in FAULTS:
            here = sets(model + ['fault=[{every="4s..6s", %s}]' % what])
            file = f"{CLIENTS}/leader.toml"
            simulated = [json.loads(line) for line in
                         run(tenure, "run", file, "--seeds", "1..20", "--format", "json", *here).splitlines()
                         if line.startswith('{"format"') and '"trace_hash"' in line]
            with server(kind) as place:
                text = run(tenure, "live", file, "--store", place, *here, "--",
                           *(["node"] if client.endswith(".js") else ["/usr/bin/python3", "-B"]),
                           f"{CLIENTS}/{client}", "{node}", "{store}", "{journal}")
            live = (verdicts(text) or [text.strip().splitlines()[-1]])[0].lower()
            measured = re.search(r"failovers (\d+), .*two believers for ([^,]+)", text)
            passed = [each["verdict"] for each in simulated]
            lines.append([client, design, fault,
                          ", ".join(f"{passed.count(each)} {each}" for each in dict.fromkeys(passed)), live,
                          overlap(each["metrics"]["believer_overlap_seconds"] for each in simulated),
                          overlap([in_seconds(measured[2])]) if measured else "-",
                          measured[1] if measured else "-"])
            print(text, file=sys.stderr)
        return lines

    print("| client | model | fault | model, 20 seeds | live | overlap, model (worst run) | overlap, live | live failovers |")
    print("|---|---|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for lines in pool.map(rows, OTHERS):
            for line in lines:
                print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    tenure, what, *runs = sys.argv[1:]
    if what == "others":
        others(tenure)
    else:
        {"failovers": failovers, "gallery": gallery}[what](tenure, (runs or ["30" if what == "failovers" else "5"])[0])
