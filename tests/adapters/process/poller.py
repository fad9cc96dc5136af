"""A scheduler that speaks the node protocol with nothing but JSON and pipes, and misbehaves as its argument says.

Each second, if its election leads, it asks for what is due, does it, and moves it on. With the role `both` it believes
that it leads for as long as it lives.
"""

import json
import sys

SECOND = 1_000_000_000
how = sys.argv[1] if len(sys.argv) > 1 else "well"
role = sys.argv[2] if len(sys.argv) > 2 else "scheduler"

DESCRIPTION = {
    "tenure": 1, "name": "my-poller", "role": role,
    "tokens": how == "needs-tokens", "writes": how == "writes",
    "schema": "CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, period interval)",
}
PUT = """
    INSERT INTO jobs VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET next_run = excluded.next_run, period = excluded.period
"""


def edit(told):
    if how == "cannot-edit":
        return {"error": "no room"}
    if "delete_schedule" in told:
        return {"statements": [{"text": "DELETE FROM jobs WHERE id = $1", "values": [told["delete_schedule"]["id"]]}]}
    s = told["put_schedule"]
    table = "nowhere" if how == "writes-nowhere" else "jobs"
    values = [s["id"], {"time": s["first"]}, {"interval": s["period"]}]
    return {"statements": [{"text": PUT.replace("jobs", table), "values": values}]}


class Poller:
    def __init__(self, told):
        self.leads = None
        self.due = []
        self.stopping = False
        self.next_poll = told["mono"]

    def answer(self, told):
        acts = []
        if "start" in told and role == "both":
            acts.append({"believe": {"open": True}})
        self.leads = told.get("leadership") if role == "scheduler" else {"open": True}
        if "start" in told and how.startswith("begins "):
            acts.append(json.loads(how.removeprefix("begins ")))
        if how == "tells" and told.keys() == {"mono", "wall", "leadership"}:
            acts.append({"log": {"text": "leads" if self.leads else "does not lead"}})
        if "reply" in told:
            self.take_reply(told["reply"])
            acts += self.work()
        elif "ran" in told:
            acts += self.move(told["ran"])
        if "stop" in told:
            self.stopping = True
        if self.stopping and not self.due:
            return {"do": acts + [{"stopped": {}}]}
        if told["mono"] >= self.next_poll:
            self.next_poll = told["mono"] + SECOND
            acts += self.poll(told["mono"])
        return {"do": acts, "wake": self.next_poll}

    def poll(self, now):
        self.now = now
        if not self.leads or self.due or self.stopping or how == "is-lazy":
            return []
        statement = {"text": "SELECT id, next_run FROM jobs WHERE next_run <= now() ORDER BY id"}
        return [{"checked": {}}, self.sql(1, statement)]

    def sql(self, id, statement):
        return {"sql": {"id": id, "deadline": self.now + 5 * SECOND, "statements": [statement]}}

    def take_reply(self, reply):
        if reply["id"] == 1 and reply["outcome"] == "done":
            self.due = [(id, at["time"]) for id, at in reply["results"][0]["rows"]]
        elif reply["id"] == 2:
            self.due = self.due[1:]

    def work(self):
        if not self.due:
            return []
        schedule, slot = self.due[0]
        run = {"id": 7, "schedule": schedule, "slot": slot}
        if how == "shows-its-token":
            run["token"] = self.leads["token"]
        return [{"run": run}]

    def move(self, ran):
        acts = [{"log": {"text": ran["result"]}}]
        statement = {"text": "UPDATE jobs SET next_run = next_run + period WHERE id = $1", "values": [self.due[0][0]]}
        return acts + [self.sql(2, statement)]


poller = None
for line in sys.stdin:
    told = json.loads(line)
    if "describe" in told:
        answer = DESCRIPTION
    elif "put_schedule" in told or "delete_schedule" in told:
        answer = edit(told)
    else:
        poller = poller or Poller(told)
        poller.now = told["mono"]
        answer = poller.answer(told)
    print(json.dumps(answer), flush=True)
