#!/usr/bin/env python3
"""Draws scenarios of the families of scenarios/ with other numbers, and says what the second model does in them.

  draw.py FOLDER [--draw 1] [--scenarios 30] [--seeds 200]     writes FOLDER/scenarios/*.toml and FOLDER/expected.json

The numbers are those of second.py, for each release that the model knows.
"""
import argparse, functools, json, multiprocessing, os, random, shutil

import second

RELEASES = ["0.29", "0.31", "0.33", "0.36", "0.37"]


def duration(seconds):
    return f"{round(seconds * 1000)}ms"


# L > D > 1.2 R, as the library asks.
def settings(r, lease=None):
    lease = lease or r.randint(6, 25)
    deadline = lease * r.uniform(0.5, 0.85)
    retry = deadline * r.uniform(0.1, 0.3)
    return {"lease_duration": duration(lease), "renew_deadline": duration(deadline), "retry_period": duration(retry),
            "request_timeout": duration(deadline * r.uniform(0.3, 0.8))}


def fault(action, lasts, **more):
    return {"at": duration(FAULT_AT), "action": action, "duration": duration(lasts), **more}


FAULT_AT = 50


def crash(r, s, L):
    s["fault"] = [fault("kill", r.uniform(1, 2) * L, target="leader")]


def cut(r, s, L):
    s["fault"] = [fault("partition", r.uniform(0.5, 2) * L, target="leader", peers="store")]


def no_answers(r, s, L):
    s["fault"] = [fault("partition", r.uniform(0.5, 2) * L, target="leader", peers="store", direction="to")]


def store_down(r, s, L):
    s["fault"] = [fault("store-down", r.uniform(0.5, 1.5) * L)]


def store_hang(r, s, L):
    s["fault"] = [fault("store-hang", r.uniform(0.4, 1.2) * L)]


def request_lost(r, s, L):
    s["fault"] = [fault("store-request-lost", r.uniform(0.3, 1) * L)]


def ack_lost(r, s, L):
    s["fault"] = [fault("store-ack-lost", r.uniform(0.1, 0.8) * L)]


def reject(r, s, L):
    s["fault"] = [fault("store-reject", 60, rate=round(r.uniform(0.3, 0.7), 2))]


def pause(r, s, L):
    s["fault"] = [fault("pause", r.uniform(0.5, 1.8) * L, target="leader")]


def pause_within_an_attempt(r, s, L):
    s["store"] = {"latency": duration(r.uniform(0.3, 1))}
    pause(r, s, L)


def delay(r, s, L):
    s["fault"] = [fault("delay", 3 * L, target="leader", peers="store", latency=duration(r.uniform(0.05, 0.3) * L))]


def slow(r, s, L):
    s["store"] = {"latency": duration(r.uniform(0.02, 0.3) * L)}


def release_cut(r, s, L):
    s["election"]["release_on_cancel"] = True
    cut(r, s, L)


def release_stop(r, s, L):
    s["election"]["release_on_cancel"] = True
    s["fault"] = [fault("stop", r.uniform(1, 2) * L, target="leader", grace="10s")]


def stop_while_paused(r, s, L):
    s["election"]["release_on_cancel"] = True
    pause(r, s, L)
    stop = fault("stop", 2 * L, target="leader", grace=duration(2 * L))
    s["fault"].append({**stop, "at": duration(FAULT_AT + 0.4 * L)})


def shorter(r, s, L):
    s["instance"] = [{"names": ["n2", "n3"], "election": settings(r, r.randint(4, 10))}]
    s["cluster"]["instances"] = 3
    crash(r, s, L)


def rates(r, s, L):
    s["instance"] = [{"names": ["n1"], "clock": {"rate_ppm": -r.randint(1, 40) * 1000}},
                     {"names": ["n2", "n3"], "clock": {"rate_ppm": r.randint(1, 40) * 1000}}]
    s["cluster"]["instances"] = 3
    cut(r, s, L)


def first_moments(r, s, L):
    s["fault"] = [{"on": "leads", "nth": 1, "after": "100us", "action": "store-down", "duration": duration(2 * L)}]


def alone(r, s, L):
    s["cluster"]["instances"] = 1
    store_down(r, s, L)


# Cycles shorter than a second, so that some renewals are not seen.
def short_crash(r, s, L):
    s["election"] = settings(r, r.randint(2, 4))
    crash(r, s, 6)


def short_cut(r, s, L):
    s["election"] = settings(r, r.randint(2, 4))
    cut(r, s, 8)


FAMILIES = [crash, cut, no_answers, store_down, store_hang, request_lost, ack_lost, reject, pause,
            pause_within_an_attempt, delay, slow, release_cut, release_stop, stop_while_paused, shorter, rates,
            first_moments, alone, short_crash, short_cut]


def is_unsafe(election):
    times = [second.sec(election.get(key, "0s")) for key in ("retry_period", "renew_deadline", "lease_duration")]
    return times[2] > 0 and times[0] + times[1] >= times[2]


def drawn(r, family, name):
    election = settings(r)
    lease = second.sec(election["lease_duration"])
    s = {"format": 1, "name": name, "summary": "Drawn by draw.py.", "tags": ["client-go", "against-the-second-model"],
         "sim": {"duration": "110s", "tail": "90s"},
         "cluster": {"instances": r.randint(2, 5), "protocol": "client-go", "start_spread": duration(r.uniform(1, 15))},
         "election": election}
    family(r, s, lease)
    # What is unsafe is what some of these are about.
    if any(is_unsafe(one) for one in [s["election"]] + [one.get("election", {}) for one in s.get("instance", [])]):
        s["election"]["accept"] = ["belief-beyond-lease"]
    s["expect"] = {"eventually": []}
    return s


def text(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {text(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)


def as_toml(s):
    lines, tables = [], []
    for key, value in s.items():
        if isinstance(value, dict):
            tables += ["", f"[{key}]"] + [f"{k} = {text(v)}" for k, v in value.items()]
        elif isinstance(value, list) and isinstance(value[0], dict):
            for one in value:
                tables += ["", f"[[{key}]]"] + [f"{k} = {text(v)}" for k, v in one.items()]
        else:
            lines.append(f"{key} = {text(value)}")
    return "\n".join(lines + tables) + "\n"


def expected(path, seeds):
    return {release: second.summary(path, release, seeds, False) for release in RELEASES}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--draw", type=int, default=1)
    parser.add_argument("--scenarios", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=200)
    options = parser.parse_args()
    r = random.Random(options.draw)
    paths = {}
    shutil.rmtree(options.folder + "/scenarios", ignore_errors=True)
    os.makedirs(options.folder + "/scenarios")
    for i in range(options.scenarios):
        family = FAMILIES[i % len(FAMILIES)]
        name = f"{family.__name__.replace('_', '-')}-{i + 1:02}"
        paths[name] = f"{options.folder}/scenarios/{name}.toml"
        with open(paths[name], "w") as file:
            file.write(as_toml(drawn(r, family, name)))
    with multiprocessing.Pool() as pool:
        numbers = pool.map(functools.partial(expected, seeds=options.seeds), paths.values(), chunksize=1)
    with open(options.folder + "/expected.json", "w") as file:
        json.dump(dict(zip(paths, numbers)), file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
