#!/usr/bin/python3
"""How late other schedulers begin a job, and how late ours does, on one machine, one after another.

    PGOPTION="fsync=on shared_preload_libraries=pg_cron cron.use_background_workers=on max_worker_processes=140" \\
      bash tests/adapters/postgres/with_postgres.sh \\
      /usr/bin/python3 bench/others/others.py build/release/bin/tenured

100 schedules at `* * * * *` each, for two minutes. Of the others that is the time at which a job's function begins, in
the process that schedules; of pg_cron the time at which its statement begins; of ours the time at which a webhook has
reached another process. npm installs the others, in a folder that is deleted. Those that are not at hand are
named: pg_cron is Debian's postgresql-15-cron, and is left out without the library above. Whoever names systems after the
program has these alone.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from service import Receiver, fresh_store, percentiles, put_many, receive, service, sql  # noqa: E402

MINUTES = 2


def wait_for_minutes():
    """Until most of a minute after the last of them, so that those who are late are counted. Returns when the first began."""
    first = (time.time() // 60 + 1) * 60
    time.sleep(first + 60 * (MINUTES - 1) + 45 - time.time())
    return first


def report(name, first, began):
    """What began before `first` was for the minute before the schedules were made."""
    late = [at % 60 for at in began if at >= first]
    print(f"{name}: {percentiles(late) if late else 'nothing began'} ({len(late)} of {100 * MINUTES}, "
          f"load {os.getloadavg()[0]:.1f})", flush=True)


def in_node(folder, system):
    store = fresh_store(tempfile.mkdtemp(dir=folder))
    time.sleep(max(0, 5 - time.time() % 60))  # not at a minute's end
    with subprocess.Popen(["node", "others.mjs", system, "postgres:///" + store.removeprefix("dbname=")], cwd=folder,
                          stdout=subprocess.PIPE, text=True) as node:
        try:
            while node.stdout.readline() not in ("ready\n", ""):
                pass
            first = wait_for_minutes()
        finally:
            node.terminate()
        report(system, first, [float(line) / 1000 for line in node.stdout])


def pg_cron():
    preloaded = sql("dbname=postgres", "SHOW shared_preload_libraries")
    if "pg_cron" not in preloaded:
        print("pg_cron: not at hand (postgresql-15-cron, and shared_preload_libraries=pg_cron)")
        return
    sql("dbname=postgres", "CREATE EXTENSION IF NOT EXISTS pg_cron; CREATE TABLE began (at timestamptz)")
    sql("dbname=postgres", "SELECT cron.schedule('job-' || i, '* * * * *', 'INSERT INTO began VALUES (clock_timestamp())')"
                           " FROM generate_series(1, 100) i")
    first = wait_for_minutes()
    sql("dbname=postgres", "SELECT cron.unschedule(jobid) FROM cron.job")
    began = sql("dbname=postgres", "SELECT string_agg(extract(epoch FROM at)::text, ' ') FROM began")
    report("pg_cron", first, [float(at) for at in began.split()])


def ours():
    with service(receive()) as daemon:
        put_many(daemon, 100, lambda i: {"cron": "* * * * *", "timezone": "UTC", "destination": "d"})
        first = wait_for_minutes()
        report("tenured, to the webhook's arrival", first, [at for at, _ in Receiver.got])
        committed = sql(daemon.store, "SELECT string_agg(at_us::text, ' ') FROM tenure.history WHERE what = 0")
        report("tenured, to the commit", first, [int(at) / 1e6 for at in committed.split()])


def main():
    wanted = sys.argv[2:] or ["tenured", "pg_cron", "croner", "graphile-worker", "pg-boss", "pg-boss-quick"]
    if "tenured" in wanted:
        ours()
    if "pg_cron" in wanted:
        pg_cron()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", "others.mjs"):
            shutil.copy(HERE / name, folder)
        install = ["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for system in wanted:
            if system not in ("tenured", "pg_cron"):
                in_node(folder, system)


main()
