"""What the API promises: docs/daemon.md."""

import concurrent.futures
import json
import os
import time
import unittest

from daemon import OnOneDaemon, eventually, read_all, read_until

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs")


class ApiTest(OnOneDaemon):
    def ask(self, *arguments, **more):
        return self.daemon.ask(*arguments, **more)

    # ---- one schedule ----

    def test_what_is_put_is_what_is_got(self):
        schedule = {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "dst_gap": "skip", "misfire": "fire_once",
                    "grace": "5m", "jitter": "10s", "overlap": "skip", "end": "2099-01-01T00:00:00.000000Z",
                    "topic": "reports", "type": "report.nightly", "data": {"z": 1, "a": [True, None, "ü"]},
                    "labels": {"team": "ops"}, "description": "for the board"}
        made = self.daemon.create("same", schedule)
        self.assertEqual(made.headers["location"], "/v1/schedules/same")
        got = self.daemon.get("/v1/schedules/same")
        self.assertEqual(got.json, made.json)
        self.assertEqual(got.headers["etag"], made.headers["etag"])
        status = got.json["status"]
        self.assertEqual(got.headers["etag"], f'"{status["uid"]}.{status["version"]}"')
        self.assertEqual({key: value for key, value in got.json.items() if key not in ("name", "status")}, schedule)
        self.assertEqual(list(got.json["data"]), ["z", "a"], "keys keep their order")
        # What was got may be put.
        again = self.ask("PUT", "/v1/schedules/same", {**got.json, "description": "for all"},
                         {"If-Match": got.headers["etag"]})
        self.assertEqual(again.status, 200, again)
        self.assertEqual(again.json["status"]["version"], status["version"] + 1)

    def test_every_kind_of_recurrence_reads_back(self):
        for i, when in enumerate([{"every": "1h30m"}, {"every": "1m30s", "start": "2026-01-01T00:00:07.000000Z"},
                                  {"cron": "0 9 * * MON-FRI"}, {"once": "2099-01-01T00:00:00.000000Z"},
                                  {"at": ["2099-01-01T00:00:00.000000Z", "2099-01-02T00:00:00.000000Z"]}]):
            made = self.daemon.create(f"kind-{i}", when)
            self.assertEqual({key: made.json[key] for key in when}, when)

    def test_a_period_is_bounded_however_it_is_said(self):
        for i, when in enumerate([{"every": "1us"}, {"every": "999us"}, {"cron": "@every 1us"}, {"cron": "@every 10000h"}]):
            refused = self.ask("PUT", f"/v1/schedules/bound-{i}", when, {"If-None-Match": "*"})
            self.assertEqual(refused.status, 400, when)
            self.assertEqual(refused.json["errors"][0]["pointer"], "/" + next(iter(when)), when)
            self.assertIn("must be from 1ms to 8760h", refused.json["errors"][0]["message"], when)
        self.assertEqual(self.daemon.create("bound", {"cron": "@every 90s"}).json["every"], "1m30s")

    def test_who_names_no_edition_is_never_told_that_it_is_out_of_date(self):
        self.daemon.create("any", {"every": "1h"})

        def put(i):
            return self.ask("PUT", "/v1/schedules/any", {"every": f"{i + 1}h"}, {"If-Match": "*"}).status

        def bulk(i):
            answer = self.ask("POST", "/v1/schedules:bulk", {"schedules": [{"name": "any", "every": f"{i + 1}m"}]})
            return answer.json["results"][0]["result"]

        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            self.assertEqual(set(threads.map(put, range(16))), {200})
            self.assertEqual(set(threads.map(bulk, range(16))), {"updated"})

    def test_a_field_that_decides_comes_once(self):
        etag = self.daemon.create("field", {"every": "1h"}).headers["etag"]
        for name, values in (("If-Match", (etag, '"9.9"')), ("Idempotency-Key", ("a", "b"))):
            fields = "".join(f"{name}: {value}\r\n" for value in values)
            answer = self.daemon.raw(f"POST /v1/schedules/field/trigger HTTP/1.1\r\nHost: localhost\r\n{fields}"
                                     "Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
            self.assertIn(f"the field `{name.lower()}` comes twice".encode(), answer)

    def test_an_edit_says_what_it_is_based_on(self):
        etag = self.daemon.create("based", {"every": "1h"}).headers["etag"]
        path = "/v1/schedules/based"
        self.assertEqual(self.ask("PUT", path, {"every": "2h"}).status, 428)
        self.assertEqual(self.ask("DELETE", path).status, 428)
        exists = self.ask("PUT", path, {"every": "2h"}, {"If-None-Match": "*"})
        self.assertEqual((exists.status, exists.json["etag"]), (412, etag.strip('"')))
        edited = self.ask("PUT", path, {"every": "2h"}, {"If-Match": etag})
        self.assertEqual(edited.status, 200)
        # Its answer was lost: the same again.
        self.assertEqual(self.ask("PUT", path, {"every": "2h"}, {"If-Match": etag}).json, edited.json)
        stale = self.ask("PUT", path, {"every": "3h"}, {"If-Match": etag})
        self.assertEqual((stale.status, stale.json["etag"]), (412, edited.headers["etag"].strip('"')))
        self.assertEqual(self.ask("PUT", path, {"every": "3h"}, {"If-Match": "7.3"}).status, 400, "no quotes")
        self.assertEqual(self.ask("PUT", path, {"every": "3h"}, {"If-Match": etag, "If-None-Match": "*"}).status, 400)
        self.assertEqual(self.ask("PUT", path, {"every": "4h"}, {"If-Match": "*"}).status, 200)
        self.assertEqual(self.ask("DELETE", path, headers={"If-Match": etag}).status, 412)
        now = self.daemon.get(path).headers["etag"]
        self.assertEqual(self.ask("DELETE", path, headers={"If-Match": now}).status, 204)
        self.assertEqual(self.ask("DELETE", path, headers={"If-Match": now}).status, 204, "a repetition")
        self.assertEqual(self.daemon.get(path).status, 404)
        self.assertEqual(self.ask("PUT", path, {"every": "4h"}, {"If-Match": now}).status, 412)
        anew = self.daemon.create("based", {"every": "1h"})
        self.assertNotEqual(anew.headers["etag"].split(".")[0], etag.split(".")[0], "another uid")

    def test_a_client_that_has_it_is_not_sent_it_again(self):
        etag = self.daemon.create("cached", {"every": "1h"}).headers["etag"]
        for held in (etag, f"W/{etag}", f'"1.1", {etag}', "*"):
            got = self.daemon.get("/v1/schedules/cached", If_None_Match=held)
            self.assertEqual((got.status, got.body), (304, b""))
        self.assertEqual(self.daemon.get("/v1/schedules/cached", If_None_Match='"999.1"').status, 200)
        head = self.ask("HEAD", "/v1/schedules/cached")
        self.assertEqual((head.status, head.body, head.headers["etag"]), (200, b"", etag))

    def test_what_is_wrong_is_said_as_in_the_documentation(self):
        with open(f"{DOCS}/daemon.md") as page:
            example = page.read().split("(RFC 9457", 1)[1].split("```json", 1)[1].split("```", 1)[0]
        wrong = self.ask("PUT", "/v1/schedules/wrong", {"cron": "30 25 * * *", "timezone": "Europe/Berln"},
                         {"If-None-Match": "*"})
        self.assertEqual(wrong.json, json.loads(example))

    def test_a_key_comes_once(self):
        for body, key in (('{"every": "3s", "every": "4s"}', "every"),
                          ('{"every": "3s", "data": {"a": [{"b": 1, "b": 1}]}}', "b"),
                          ('{"every": "3s", "labels": {"a": "1", "a": "2"}}', "a")):
            answer = self.ask("PUT", "/v1/schedules/one-key", body, {"If-None-Match": "*"})
            self.assertEqual(answer.status, 400, body)
            self.assertIn(f"the key `{key}` is given twice", answer.json["detail"])
        self.assertEqual(self.ask("POST", "/v1/events:ack", '{"keys": [], "keys": []}').status, 400)
        data = {"a": {"x": 1}, "b": [{"x": 1}, {"x": 2}], "whole": [2**64 - 1, -2**63]}
        self.assertEqual(self.daemon.create("one-key", {"every": "1h", "data": data}).json["data"], data)

    def test_what_is_too_long_is_said_with_its_place(self):
        body = {"every": "1h", "topic": "t" * 121, "type": "a\u0001", "description": "d" * 1001, "data": "x" * 65535,
                "labels": {"a/b": "v" * 1001, **{f"l{i}": "" for i in range(32)}}}
        wrong = self.ask("PUT", "/v1/schedules/wrong", body, {"If-None-Match": "*"})
        self.assertEqual({error["pointer"]: error["message"] for error in wrong.json["errors"]},
                         {"/topic": "it has 121 bytes, and may have 120", "/type": "it has a control character",
                          "/description": "it has 1001 bytes, and may have 1000", "/data": "it has 65537 bytes, and may have 65536",
                          "/labels": "there are 33, and may be 32", "/labels/a~1b": "it has 1001 bytes, and may have 1000"})
        self.daemon.create("long-reason", {"every": "1h"})
        paused = self.ask("POST", "/v1/schedules/long-reason/pause", {"why": "w" * 1001})
        self.assertEqual((paused.status, paused.json["errors"][0]["pointer"]), (400, "/why"))
        claimed = self.ask("POST", "/v1/executions:claim", {"topic": "t" * 121, "worker": "\u0000"})
        self.assertEqual([error["pointer"] for error in claimed.json["errors"]], ["/topic", "/worker"])

    def test_all_that_is_wrong_is_said_at_once(self):
        wrong = self.ask("PUT", "/v1/schedules/wrong",
                         {"cron": "30 25 * * *", "timezone": "Europe/Berln", "grace": "5", "misfire": "fire",
                          "tpic": "t", "labels": {"a": 1}, "max_catchup": 0}, {"If-None-Match": "*"})
        self.assertEqual(wrong.status, 400)
        self.assertEqual(wrong.headers["content-type"], "application/problem+json")
        found = {error["pointer"]: error for error in wrong.json["errors"]}
        self.assertEqual(set(found), {"/cron", "/timezone", "/grace", "/misfire", "/tpic", "/labels/a", "/max_catchup"})
        self.assertEqual(found["/cron"]["caret"].splitlines()[0], "30 25 * * *")
        self.assertTrue(found["/cron"]["caret"].splitlines()[1].startswith("   ^^ "), found["/cron"])
        self.assertEqual(found["/timezone"]["hint"], "did you mean `Europe/Berlin`?")
        self.assertEqual(found["/tpic"]["hint"], "did you mean `topic`?")
        far = self.ask("PUT", "/v1/schedules/wrong", {"every": "1h", "delivery": "pull"}, {"If-None-Match": "*"})
        known = far.json["errors"][0]["hint"].removeprefix("one of ").split(", ")
        self.assertIn("every", known)
        self.assertEqual(len(known), len(set(known)), known)
        for body in ({}, {"every": "1h", "cron": "* * * * *"}, {"once": "tomorrow"}, {"every": "0s"}, {"at": []},
                     {"every": "1h", "timezone": "UTC"}, {"every": "1h", "end": "1970-01-01T00:00:00Z"},
                     {"every": "1h", "topic": "x" * 121}, {"every": "1h", "data": "x" * 70000},
                     {"every": "1h", "topic": "\x00"}, [], "text", 7, None):
            answer = self.ask("PUT", "/v1/schedules/wrong", json.dumps(body), {"If-None-Match": "*"})
            self.assertEqual(answer.status, 400, (body, answer))
        for name in ("-a", "a%20b", "a%2Fb", "%00", "%ff", "%c3%bc", "a" * 121, "12"):
            answer = self.ask("PUT", f"/v1/schedules/{name}", {"every": "1h"},
                              {"If-None-Match": "*"})
            self.assertIn(answer.status, (400, 404), (name, answer))

    # ---- many ----

    def test_lists_are_filtered_ordered_and_cut_into_pages(self):
        for i in range(7):
            self.daemon.create(f"many-{i}", {"every": f"{10 + i}h", "labels": {"half": "ab"[i % 2]}, "data": [1]})
        names = [f"many-{i}" for i in range(7)]

        def listed(query):
            got, cursor = [], ""
            while cursor is not None:
                page = self.daemon.get(f"/v1/schedules?prefix=many-{query}{cursor}")
                self.assertEqual(page.status, 200, page)
                got += page.json["schedules"]
                cursor = f"&cursor={page.json['cursor']}" if "cursor" in page.json else None
            return [one["name"] for one in got]

        for limit in (1, 2, 3, 7, 100):
            self.assertEqual(listed(f"&limit={limit}"), names)
            self.assertEqual(listed(f"&limit={limit}&order=-name"), names[::-1])
            self.assertEqual(listed(f"&limit={limit}&label=half=b"), names[1::2])
            self.assertEqual(set(listed(f"&limit={limit}&order=next")), set(names))
        soonest = self.daemon.get("/v1/schedules?prefix=many-&order=next").json["schedules"]
        self.assertEqual([one["status"]["next"] for one in soonest], sorted(one["status"]["next"] for one in soonest))
        self.assertNotIn("data", soonest[0])
        self.assertEqual(listed("&label=half=b&label=half=a"), [])
        self.ask("POST", "/v1/schedules/many-3/pause", {"why": "x"})
        self.assertEqual(listed("&state=paused"), ["many-3"])
        for query in ("order=next&cursor=a", "state=odd", "order=odd", "limit=0", "limit=x", "limit=1&limit=2", "label=x", "odd=1"):
            self.assertEqual(self.daemon.get(f"/v1/schedules?{query}").status, 400, query)

    def test_a_page_of_large_schedules_is_cut(self):
        times = [f"2099-01-{day:02}T{hour:02}:{minute:02}:{second:02}.000000Z" for day in range(1, 29)
                 for hour in range(24) for minute in range(0, 60, 8) for second in (0, 30)][:10_000]
        names = [f"large-{i:02}" for i in range(25)]
        for name in names:
            self.daemon.create(name, {"at": times})
        for order in ("name", "next"):
            got, query = [], f"/v1/schedules?prefix=large-&limit=1000&order={order}"
            page = self.daemon.get(query)
            self.assertLess(len(page.body), 5 * 1024 * 1024)
            while "cursor" in page.json:
                got += page.json["schedules"]
                page = self.daemon.get(f"{query}&cursor={page.json['cursor']}")
            got += page.json["schedules"]
            self.assertEqual([one["name"] for one in got], names, order)

    def test_a_list_of_schedules_is_made_to_hold(self):
        def bulk(**body):
            answer = self.ask("POST", "/v1/schedules:bulk", body)
            self.assertEqual(answer.status, 200, answer)
            return {result["name"]: result for result in answer.json["results"]}

        items = [{"name": "bulk-a", "every": "1h"}, {"name": "bulk-b", "cron": "61 * * * *"},
                 {"name": "bulk-c", "every": "1h"}]
        dry = bulk(owner="app=shop", schedules=items, dry_run=True)
        self.assertEqual([dry[name]["result"] for name in ("bulk-a", "bulk-b", "bulk-c")],
                         ["created", "failed", "created"])
        self.assertEqual(self.daemon.get("/v1/schedules/bulk-a").status, 404)
        made = bulk(owner="app=shop", schedules=items)
        self.assertEqual(made["bulk-b"]["problem"]["errors"][0]["pointer"], "/schedules/1/cron")
        self.assertEqual(self.daemon.get("/v1/schedules/bulk-a").json["labels"], {"app": "shop"})
        again = bulk(owner="app=shop", schedules=[items[0], {**items[2], "every": "2h"}])
        self.assertEqual((again["bulk-a"]["result"], again["bulk-c"]["result"]), ("unchanged", "updated"))
        self.daemon.create("bulk-foreign", {"every": "1h"})
        pruned = bulk(owner="app=shop", prune=True, schedules=[items[0], items[1]])
        self.assertEqual({name: result["result"] for name, result in pruned.items()},
                         {"bulk-a": "unchanged", "bulk-b": "failed", "bulk-c": "deleted"})
        self.assertEqual(self.daemon.get("/v1/schedules/bulk-foreign").status, 200)
        matched = bulk(schedules=[{"name": "bulk-a", "every": "3h", "if_match": "none"},
                                  {"name": "bulk-d", "every": "3h", "if_match": "1.1"}])
        self.assertEqual([matched[name]["problem"]["status"] for name in ("bulk-a", "bulk-d")], [412, 412])
        other = bulk(owner="app=blog", prune=True, schedules=[{"name": "bulk-a", "every": "4h"}])
        self.assertEqual((other["bulk-a"]["result"], other["bulk-a"]["problem"]["status"]), ("failed", 409))
        self.assertIn("it has another owner", other["bulk-a"]["problem"]["detail"])
        self.assertEqual(self.daemon.get("/v1/schedules/bulk-a").json["labels"], {"app": "shop"})
        self.assertEqual(bulk(owner="app=blog", prune=True, schedules=[]), {})
        self.assertEqual(bulk(owner="app=blog", schedules=[{"name": "bulk-foreign", "every": "1h"}])
                         ["bulk-foreign"]["result"], "updated", "it had no owner")
        twice = self.ask("POST", "/v1/schedules:bulk", {"schedules": [items[0], items[0]]}).json["results"]
        self.assertEqual([one["result"] for one in twice], ["updated", "failed"])
        for body in ({"prune": True, "schedules": []}, {"schedules": {}}, {}, {"owner": "x", "schedules": []}):
            self.assertEqual(self.ask("POST", "/v1/schedules:bulk", body).status, 400, body)

    # ---- pauses and runs ----

    def test_a_pause_says_who_and_why_and_an_edit_does_not_undo_it(self):
        etag = self.daemon.create("paused", {"every": "1h"}).headers["etag"]
        paused = self.ask("POST", "/v1/schedules/paused/pause", {"why": "the board is away"},
                          {"Tenure-Actor": "alice"})
        self.assertEqual(paused.status, 200)
        self.assertEqual((paused.json["status"]["state"], paused.json["status"]["paused"]["by"],
                          paused.json["status"]["paused"]["why"]), ("paused", "local/alice", "the board is away"))
        self.assertNotEqual(paused.headers["etag"], etag)
        edited = self.ask("PUT", "/v1/schedules/paused", {"every": "2h"}, {"If-Match": paused.headers["etag"]})
        self.assertEqual(edited.json["status"]["state"], "paused")
        self.assertEqual(self.ask("POST", "/v1/schedules/paused/resume").json["status"]["state"], "active")
        self.assertEqual(self.ask("POST", "/v1/schedules/nobody/pause").status, 404)
        self.assertEqual(self.ask("POST", "/v1/schedules/paused/pause", {"why": "x" * 1001}).status, 400)
        self.assertEqual(self.ask("POST", "/v1/schedules/paused/pause", {"wy": "x"}).status, 400)

    def test_a_run_with_a_key_happens_once(self):
        self.daemon.create("once", {"every": "1000h"})
        path = "/v1/schedules/once/trigger"

        def runs():
            return [one for one in self.daemon.get("/v1/events?limit=1000").json["events"]
                    if one["schedule"] == "once"]

        first = self.ask("POST", path, headers={"Idempotency-Key": "k1"})
        self.assertEqual(first.status, 202, first)
        self.assertEqual(self.ask("POST", path, headers={"Idempotency-Key": "k1"}).json, first.json)
        self.assertEqual(self.ask("POST", path, {"at": "2026-01-01T00:00:00Z"}, {"Idempotency-Key": "k1"}).status, 422)
        other_spelling = self.ask("POST", "/v1/schedules/o%6Ece/%74rigger", headers={"Idempotency-Key": "k1"})
        self.assertEqual((other_spelling.status, other_spelling.json), (202, first.json))
        self.assertEqual([one["key"] for one in runs()], [first.json["event"]["key"]])
        self.assertEqual(runs()[0]["id"], first.json["event"]["id"])
        self.ask("POST", path, headers={"Idempotency-Key": "k2"})
        self.ask("POST", path)
        self.ask("POST", path)
        self.assertEqual(len(runs()), 4)
        for key in ("", "k" * 201):
            self.assertEqual(self.ask("POST", path, headers={"Idempotency-Key": key}).status, 400, key)
        self.assertEqual(self.ask("POST", "/v1/schedules/nobody/trigger").status, 404)

    def test_a_backfill_says_first_what_it_would_do(self):
        self.daemon.create("filled", {"every": "1h"})
        path = "/v1/schedules/filled/backfill"
        body = {"from": "2026-01-01T00:30:00Z", "to": "2026-01-01T05:00:00Z"}
        dry = self.ask("POST", path, {**body, "dry_run": True})
        slots = [f"2026-01-01T0{hour}:00:00.000000Z" for hour in range(1, 5)]
        self.assertEqual((dry.status, dry.json), (200, {"slots": slots, "dry_run": True}))
        done = self.ask("POST", path, body, {"Idempotency-Key": "b"})
        self.assertEqual((done.status, done.json["slots"]), (202, slots))
        self.assertEqual(self.ask("POST", path, body, {"Idempotency-Key": "b"}).json, done.json)
        events = [one for one in self.daemon.get("/v1/events?limit=1000").json["events"]
                  if one["schedule"] == "filled" and one["run"] == done.json["run"]]
        self.assertEqual([one["slot"] for one in events], slots)
        many = {"from": "2025-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}
        for wrong in ({}, many, {**body, "slots": slots}, {"from": body["from"]}, {"slots": []},
                      {"slots": ["2099-01-01T00:00:00Z"]}, {"from": body["to"], "to": body["from"]},
                      {"from": "2098-01-01T00:00:00Z", "to": "2099-01-01T00:00:00Z"}):
            self.assertEqual(self.ask("POST", path, wrong).status, 400, wrong)

    def test_the_next_slots_are_those_of_the_zone(self):
        self.daemon.create("nexts", {"cron": "30 2 * * *", "timezone": "Europe/Berlin"})
        got = self.daemon.get("/v1/schedules/nexts/next?count=3&from=2026-03-27T12:00:00Z")
        self.assertEqual([one["local"] for one in got.json["slots"]],
                         ["2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"])
        self.daemon.create("last", {"once": "2099-01-01T00:00:00Z"})
        self.assertEqual(self.daemon.get("/v1/schedules/last/next").json["end"], True)
        for query in ("count=0", "count=1001", "from=x", "x=1"):
            self.assertEqual(self.daemon.get(f"/v1/schedules/nexts/next?{query}").status, 400, query)

    # ---- events ----

    def test_an_event_waits_until_it_is_acknowledged(self):
        etag = self.daemon.create("fires", {"every": "200ms", "topic": "t", "type": "ty", "data": {"n": 1},
                                            "labels": {"team": "ops"}}).headers["etag"]

        def waiting(after=0):
            return [one for one in self.daemon.get(f"/v1/events?limit=1000&after={after}").json["events"]
                    if one["schedule"] == "fires"]

        eventually(lambda: len(waiting()) >= 5)
        first = waiting()[0]
        self.assertEqual((first["topic"], first["type"], first["data"], first["labels"], first["run"]),
                         ("t", "ty", {"n": 1}, {"team": "ops"}, "0"))
        self.ask("PUT", "/v1/schedules/fires", {"every": "1000h", "data": {"n": 2}}, {"If-Match": etag})
        self.assertEqual(waiting()[0]["data"], {"n": 1}, "that of the version that fired")
        before = waiting()
        keys = [one["key"] for one in before[:3]]
        for _ in range(2):
            self.assertEqual(self.ask("POST", "/v1/events:ack", {"keys": keys}).status, 204)
        # Behind these may come slots that were due before the edit, and fire after it.
        left = [one["id"] for one in waiting()]
        self.assertEqual(left[:len(before) - 3], [one["id"] for one in before[3:]])
        self.assertFalse({one["id"] for one in before[:3]} & set(left))
        self.assertEqual([one["seq"] for one in waiting(before[3]["seq"])][:len(before) - 4],
                         [one["seq"] for one in before[4:]])

        def none_waits_any_more():
            acknowledged = {one["key"] for one in waiting()}
            self.assertEqual(self.ask("POST", "/v1/events:ack", {"keys": list(acknowledged)}).status, 204)
            late = {one["key"] for one in waiting()}
            self.assertFalse(acknowledged & late)
            return not late

        eventually(none_waits_any_more)
        for body in ({}, {"keys": "x"}, {"keys": ["x"]}, {"keys": ["1/2"]}, {"keys": ["1/2/3/4"]}, {"keys": ["01/2/3"]},
                     {"keys": ["1/9223372036854775807/0"]}, {"keys": ["1/2/3/"]}, {"keys": ["1.2.3"]}):
            self.assertEqual(self.ask("POST", "/v1/events:ack", body).status, 400, body)
        self.assertEqual(self.daemon.get("/v1/events/dead").json, {"events": [], "next": "0", "more": False})
        self.assertEqual(self.ask("POST", "/v1/events:replay", {"keys": keys}).json, {"replayed": 0})
        self.assertEqual(self.ask("POST", "/v1/events:discard", {"keys": keys}).json, {"discarded": 0})

    def test_a_stream_of_a_schedules_fires_ends_with_a_reset_once_it_is_deleted(self):
        path = "/v1/schedules/again/fires"

        def run():
            return self.ask("POST", "/v1/schedules/again/trigger").json["event"]["key"]

        etag = self.daemon.create("again", {"every": "1000h"}).headers["etag"]
        with self.daemon.stream(path) as stream, self.daemon.stream(path + "?outcome=missed") as quiet:
            for one in (stream, quiet):
                read_until(one, b"event: begin")
            keys = [run(), run()]
            self.assertEqual(self.ask("DELETE", "/v1/schedules/again", headers={"If-Match": etag}).status, 204)
            self.daemon.create("again", {"every": "1000h"})
            next_key = run()
            text = read_until(stream, b"event: reset")
            self.assertEqual([text.count(key.encode()) for key in (*keys, next_key)], [1, 1, 0], text)
            self.assertNotIn(b'"schedule":""', text)
            self.assertEqual(read_all(stream), b"", "that was the end")
            self.assertNotIn(b"event: fire", read_until(quiet, b"event: reset"))
        self.assertEqual([one["event"]["key"] for one in self.daemon.get(path).json["fires"]], [next_key])

    def test_who_leads_is_told(self):
        eventually(self.daemon.leads)
        got = self.daemon.get("/v1/leaders").json
        self.assertEqual((got["leaders"][0]["led"], got["leaders"][0]["is_this"], got["this"]["role"], got["hold"]),
                         (True, True, "leader", None))
        self.assertEqual(got["leaders"][0]["epoch"], got["this"]["epoch"])

    def test_metrics_count(self):
        # What has not happened is there, as 0: else its first time would be no increase.
        self.daemon.get("/v1/leaders")  # asks the store by a renewal, which is none
        text = self.daemon.get("/metrics").body.decode()
        for series in ('tenure_slots_total{what="missed"} 0', 'tenure_renewals_total{outcome="refused"} 0',
                       'tenure_store_errors_total{trouble="full"} 0'):
            self.assertIn(series, text)
        self.daemon.create("counted", {"every": "100ms"})
        self.daemon.create("overlapped", {"every": "100ms", "overlap": "skip"})

        def metrics():
            text = self.daemon.get("/metrics").body.decode()
            return text if all(f'tenure_slots_total{{what="{what}"}}' in text for what in ("fired", "overlapped")) else None

        text = eventually(metrics, what="slots that fired, and slots that the store judged as overlapped")
        for name in ("\ntenure_leader 1\n", "tenure_belief_left_seconds", 'tenure_renewals_total{outcome="granted"}',
                     "tenure_fire_lateness_seconds_bucket", "tenure_store_request_seconds_count",
                     'tenure_http_requests_total{', "tenure_clock_hold 0", "tenure_outbox_events"):
            self.assertIn(name, text)

    def test_the_page_is_served_under_a_strict_policy(self):
        for path, kind in (("/", "text/html"), ("/app.css", "text/css"), ("/app.js", "text/javascript")):
            got = self.daemon.get(path)
            self.assertEqual((got.status, got.headers["content-type"]), (200, kind + "; charset=utf-8"))
            self.assertIn("script-src 'self';", got.headers["content-security-policy"])
            self.assertNotIn("unsafe", got.headers["content-security-policy"])

    def test_what_is_not_there_is_said_to_be_so(self):
        self.assertEqual(self.daemon.get("/v2").status, 404)
        self.assertEqual(self.daemon.get("/v1/schedules/a/b/c").status, 404)
        wrong = self.ask("POST", "/v1/schedules/a")
        self.assertEqual((wrong.status, wrong.headers["allow"]), (405, "GET, PUT, DELETE"))


if __name__ == "__main__":
    unittest.main()
