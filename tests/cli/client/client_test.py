#!/usr/bin/python3
"""`tenure schedule`, `tenure event` and `tenure leader` against a server with the API of docs/daemon.md.

usage: client_test.py TENURE [CLASS[.test]…]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from fake_tenured import FakeTenured

TENURE = pathlib.Path(sys.argv[1]).resolve()

TWO = """
[[schedule]]
name = "nightly-report"
cron = "30 2 * * *"
timezone = "Europe/Berlin"
labels = { team = "ops" }
data = { format = "pdf", pages = [1, 2] }

[[schedule]]
name = "tick"
every = "90s"
start = 2026-01-01T00:00:00Z
"""


class Client(unittest.TestCase):
    def setUp(self):
        self.server = FakeTenured()
        self.state = self.server.state
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.server.close()
        self.temporary.cleanup()

    def tenure(self, *arguments, code=0, stdin="", **environment):
        self.ended = subprocess.run(
            [TENURE, *arguments], input=stdin, capture_output=True, text=True, check=False, cwd=self.folder,
            env={"PATH": os.environ["PATH"], "TENURE_SERVER": self.server.url, **environment})
        self.assertEqual(self.ended.returncode, code, self.ended.stdout + self.ended.stderr)
        return self.ended.stdout

    def apply(self, text, *arguments, **options):
        return self.tenure("schedule", "apply", "-f", "-", *arguments, stdin=text, **options)

    def writes(self):
        return [request for request in self.state.requests if request[0] in ("PUT", "DELETE")]


class Reading(Client):
    def test_a_list_has_what_people_look_for(self):
        self.state.put("nightly-report", {"cron": "30 2 * * *", "timezone": "Europe/Berlin"})
        self.state.put("tick", {"every": "1m30s"}, state="paused")
        self.assertEqual(self.tenure("schedule", "list"),
                         "NAME            WHEN                      STATE   NEXT\n"
                         "nightly-report  30 2 * * * Europe/Berlin  active  2026-11-25T01:30:00Z\n"
                         "tick            every 1m30s               paused  2026-11-25T01:30:00Z\n")

    def test_a_list_follows_the_cursor_to_the_end(self):
        self.server.server.page_size = 7
        for number in range(23):
            self.state.put(f"job-{number:02}", {"every": "1m"})
        listed = json.loads(self.tenure("schedule", "list", "--format", "json"))["schedules"]
        self.assertEqual([each["name"] for each in listed], [f"job-{number:02}" for number in range(23)])

    def test_a_list_can_be_narrowed(self):
        self.state.put("a", {"every": "1m", "labels": {"team": "ops & co"}})
        self.state.put("b", {"every": "1m"}, state="paused")
        self.assertIn("a ", self.tenure("schedule", "list", "--label", "team=ops & co"))
        self.assertNotIn("\nb ", self.ended.stdout)
        self.assertIn("\nb ", self.tenure("schedule", "list", "--state", "paused"))
        self.assertEqual(self.tenure("schedule", "list", "--prefix", "x"), "no schedules\n")

    def test_get_shows_one_and_its_pause(self):
        self.state.put("tick", {"every": "1m30s", "data": {"n": 1}}, state="paused",
                       paused={"by": "alice", "why": "holiday", "since": "2026-11-24T14:00:00.000000Z"})
        self.assertEqual(self.tenure("schedule", "get", "tick"),
                         "tick\n"
                         "  every       1m30s\n"
                         "  data        {\"n\":1}\n"
                         "  state       paused\n"
                         "  paused      by alice, since 2026-11-24T14:00:00Z: holiday\n"
                         "  next        2026-11-25T01:30:00Z\n"
                         "  edition     1.1, since 2026-11-24T14:00:00Z\n")
        self.assertEqual(json.loads(self.tenure("schedule", "get", "tick", "--format", "json"))["data"], {"n": 1})

    def test_next_prints_local_times_beside_utc(self):
        self.state.put("tick", {"every": "1m"})
        self.assertEqual(self.tenure("schedule", "next", "tick", "--count", "2"),
                         "2026-11-25T02:30:00+01:00  2026-11-25T01:30:00Z\n"
                         "2026-11-26T02:30:00+01:00  2026-11-26T01:30:00Z\n")
        self.assertTrue(self.tenure("schedule", "next", "tick").endswith("and none after that\n"))
        self.assertIn("/next?count=10&from=2026-03-28T00%3A00%3A00Z", self.asked("--from", "2026-03-28T00:00:00Z"))

    def asked(self, *arguments):
        self.tenure("schedule", "next", "tick", *arguments)
        return self.state.requests[-1][1]

    def test_fires_are_what_became_of_slots(self):
        self.state.put("tick", {"every": "1m"})
        fired = {"seq": 9, "schedule": "tick", "uid": 1, "version": 1, "outcome": "fired", "at": "2026-11-24T01:30:00.012345Z", "slots": 1,
                 "from": "2026-11-24T01:30:00.000000Z", "to": "2026-11-24T01:31:00.000000Z",
                 "event": {"key": "1/1795483800000000/0", "run": "0", "slot": "2026-11-24T01:30:00.000000Z"}}
        missed = {"seq": 8, "schedule": "other", "uid": 2, "version": 1, "outcome": "missed",
                  "at": "2026-11-24T01:29:00.000000Z", "slots": 30, "from": "2026-11-24T00:30:00.000000Z",
                  "to": "2026-11-24T01:00:00.000000Z"}
        self.state.fires = [fired, missed, {**missed, "seq": 7, "slots": 1}]
        self.assertEqual(self.tenure("schedule", "fires"),
                         "AT                           NAME   OUTCOME  SLOT\n"
                         "2026-11-24T01:30:00.012345Z  tick   fired    2026-11-24T01:30:00Z\n"
                         "2026-11-24T01:29:00Z         other  missed   30 from 2026-11-24T00:30:00Z to 2026-11-24T01:00:00Z\n"
                         "2026-11-24T01:29:00Z         other  missed   2026-11-24T00:30:00Z\n")
        self.assertEqual(len(self.tenure("schedule", "fires", "tick").splitlines()), 2)
        self.assertEqual(self.tenure("schedule", "fires", "tick", "--outcome", "missed"), "nothing\n")
        self.assertEqual(len(self.tenure("schedule", "fires", "--count", "1").splitlines()), 2)
        self.assertEqual(json.loads(self.tenure("schedule", "fires", "--format", "json"))["fires"], self.state.fires)
        self.server.server.page_size = 1  # the server looks at a row, says that there is more, and finds nothing
        self.assertEqual(len(self.tenure("schedule", "fires", "--outcome", "missed").splitlines()), 3)
        self.assertEqual(len(self.tenure("schedule", "fires", "--outcome", "missed", "--count", "1").splitlines()), 2)

    def test_what_a_server_sends_does_not_act_on_the_terminal(self):
        self.state.put("tick", {"cron": "\x1b[31m", "description": "\x1b]0;title\x07"})
        self.assertNotIn("\x1b", self.tenure("schedule", "list"))
        self.assertNotIn("\x1b", self.tenure("schedule", "get", "tick"))

    def test_the_leader(self):
        self.assertEqual(self.tenure("leader"),
                         "node 7 leads (the instance that was asked), epoch 12, its lease ends in 12.1s\n")
        self.state.leaders["hold"] = {"since": "2026-11-24T14:00:00.000000Z", "jump": "3s"}
        self.assertIn("firing is held since 2026-11-24T14:00:00Z: the store's clock jumped by 3s",
                      self.tenure("leader"))
        self.state.leaders["leaders"] = [{"resource": 0, "led": False, "epoch": 12, "is_this": False}]
        self.assertIn("nobody leads, last epoch 12\n", self.tenure("leader", code=1))
        self.state.leaders["leaders"] = []
        self.assertIn("nobody leads\n", self.tenure("leader", code=1))


class Applying(Client):
    def test_creates_what_there_is_not_and_then_changes_nothing(self):
        self.assertEqual(self.apply(TWO).splitlines()[0], "+ nightly-report created")
        self.assertTrue(self.ended.stdout.endswith("2 created\n"))
        self.assertEqual(self.state.schedules["nightly-report"]["data"], {"format": "pdf", "pages": [1, 2]})
        self.assertEqual([request[2]["If-None-Match"] for request in self.writes()], ["*", "*"])
        # As the server prints them.
        self.state.schedules["tick"].update(every="1m30s", start="2026-01-01T00:00:00.000000Z")
        self.assertEqual(self.apply(TWO), "2 unchanged\n")
        self.assertEqual(len(self.writes()), 2)

    def test_shows_how_it_differs_and_puts_with_the_etag_that_it_read(self):
        self.state.put("tick", {"every": "1m", "labels": {"a": "b"}, "grace": "5s"})
        self.assertEqual(self.apply('name = "tick"\nevery = "2m"\nlabels = { a = "b" }\ndescription = "x"\n'),
                         "~ tick changed\n"
                         '    description: none -> "x"\n'
                         '    every: "1m" -> "2m"\n'
                         '    grace: "5s" -> none\n'
                         "1 changed\n")
        self.assertEqual(self.writes()[0][2]["If-Match"], '"1.1"')

    def test_what_is_written_in_another_way_is_no_difference(self):
        self.state.put("a", {"every": "1m30s", "start": "2026-03-28T00:00:00.000000Z"})
        self.state.put("b", {"at": ["2026-03-28T00:00:00.500000Z"], "labels": {"x": "1", "y": "2"}})
        self.assertEqual(self.apply(json.dumps([
            {"name": "a", "every": "90s", "start": "2026-03-28T01:00:00+01:00", "jitter": "0s", "grace": "60s",
             "overlap": "allow", "timezone": "UTC", "max_catchup": 100, "status": {"uid": 99}},
            {"name": "b", "at": ["2026-03-28T00:00:00.5Z"], "labels": {"y": "2", "x": "1"}}])), "2 unchanged\n")

    def test_somebody_else_s_change_is_not_overwritten(self):
        self.state.put("tick", {"every": "1m"})
        self.state.before_put = lambda: self.state.put("tick", {"every": "5m"})
        self.apply('name = "tick"\nevery = "2m"\n', code=1)
        self.assertEqual(self.ended.stderr, "error: tick: The schedule is not as expected: it has been changed since "
                                            "it was read\n  somebody else changed it just now: apply again\n")
        self.assertEqual(self.state.schedules["tick"]["every"], "5m")

    def test_a_dry_run_changes_nothing_and_still_has_the_server_judge(self):
        self.state.put("tick", {"every": "1m"})
        self.assertEqual(self.apply(TWO, "--dry-run"),
                         '+ nightly-report would be created\n'
                         '    cron: none -> "30 2 * * *"\n'
                         '    data: none -> {"format":"pdf","pages":[1,2]}\n'
                         '    labels: none -> {"team":"ops"}\n'
                         '    timezone: none -> "Europe/Berlin"\n'
                         '~ tick would be changed\n'
                         '    every: "1m" -> "1m30s"\n'
                         '    start: none -> "2026-01-01T00:00:00.000000Z"\n'
                         "1 would be created, 1 would be changed\n")
        self.assertEqual(self.writes(), [])
        self.apply('[[schedule]]\nname = "x"\ncron = "30 25 * * *"\n' + TWO, "--dry-run", code=65)
        self.assertIn("hour 25 is out of range", self.ended.stderr)
        self.assertTrue(self.ended.stdout.endswith("1 would be created, 1 would be changed, 1 failed\n"))

    def test_one_that_is_wrong_does_not_keep_back_the_others(self):
        self.apply(json.dumps({"schedules": [{"name": "bad", "cron": "30 25 * * *", "evry": 1},
                                             {"name": "good", "every": "1m"}]}), code=65)
        self.assertEqual(self.ended.stderr,
                         "error: bad: The request is not valid: 2 things are wrong with the schedule\n"
                         "  /evry: unknown key `evry`\n"
                         "  /cron: hour 25 is out of range\n"
                         "    30 25 * * *\n"
                         "       ^^ 0 to 23\n")
        self.assertTrue(self.ended.stdout.endswith("1 created, 1 failed\n"), self.ended.stdout)
        self.assertIn("good", self.state.schedules)

    def test_json_says_the_same_for_programs(self):
        self.state.put("tick", {"every": "1m"})
        said = json.loads(self.apply(TWO, "--format", "json"))
        self.assertEqual([(each["name"], each["result"], each["etag"]) for each in said["schedules"]],
                         [("nightly-report", "created", '"2.1"'), ("tick", "changed", '"1.2"')])

    def test_a_pause_stays(self):
        self.state.put("tick", {"every": "1m"}, state="paused", paused={"by": "alice", "why": "", "since": ""})
        self.apply('name = "tick"\nevery = "2m"\n')
        self.assertEqual(self.state.schedules["tick"]["status"]["state"], "paused")

    def test_files_that_cannot_be_used_are_refused_with_their_place(self):
        self.apply("name = \n", code=65)
        self.assertIn("--> standard input:1:", self.ended.stderr)
        self.apply('{"name": "x",}', code=65)
        self.assertIn("--> standard input:1:14", self.ended.stderr)
        self.apply('every = "1m"\n', code=65)
        self.assertEqual(self.ended.stderr, "error: standard input: schedule 1 has no name\n")
        self.apply('[{"name": "a", "every": "1m"}, {"name": "a", "every": "2m"}, 7]', code=65)
        self.assertEqual(self.ended.stderr, 'error: standard input: schedule "a" is there twice\n'
                                            "error: standard input: schedule 3 has no name\n")
        self.apply("[]", code=65)
        self.tenure("schedule", "apply", "-f", "nowhere.toml", code=74)
        self.assertIn("cannot read nowhere.toml", self.ended.stderr)
        self.assertEqual(self.state.requests, [])

    def test_the_ending_says_what_a_file_is(self):
        (self.folder / "a.toml").write_text('[[schedule]]\nname = "a"\nevery = "1m"\n')
        (self.folder / "b.json").write_text('{"name": "b", "every": "1m"}')
        self.tenure("schedule", "apply", "-f", "a.toml")
        self.tenure("schedule", "apply", "-f", "b.json")
        self.assertEqual(sorted(self.state.schedules), ["a", "b"])


class Acting(Client):
    def test_pause_resume_trigger_and_delete(self):
        self.state.put("tick", {"every": "1m"})
        self.assertEqual(self.tenure("schedule", "pause", "tick", "--why", "holiday"), "tick is paused\n")
        self.assertEqual(self.state.schedules["tick"]["status"]["paused"]["why"], "holiday")
        self.assertEqual(self.tenure("schedule", "resume", "tick"), "tick runs again\n")
        self.assertEqual(self.tenure("schedule", "trigger", "tick", "--idempotency-key", "k"),
                         "tick is to run once: event 2ed6657d-e927-568b-95e1-000000000001\n")
        self.assertEqual(self.tenure("schedule", "trigger", "tick", "--idempotency-key", "k"),
                         "tick is to run once: event 2ed6657d-e927-568b-95e1-000000000001\n")
        self.assertEqual(self.tenure("schedule", "delete", "tick"), "tick deleted\n")
        self.assertEqual(self.state.schedules, {})

    def test_backfill(self):
        self.state.put("tick", {"every": "1h"})
        times = ("--from", "2026-11-20T01:30:00Z", "--to", "2026-11-22T00:00:00Z")
        self.assertEqual(self.tenure("schedule", "backfill", "tick", *times, "--dry-run"),
                         "2026-11-20T01:30:00Z\n2026-11-21T01:30:00Z\ntick would run 2 times\n")
        self.assertEqual(self.tenure("schedule", "backfill", "tick", *times, "--idempotency-key", "k"),
                         "2026-11-20T01:30:00Z\n2026-11-21T01:30:00Z\ntick is to run 2 times: run 9\n")
        self.assertEqual(self.state.requests[-1][2]["Idempotency-Key"], "k")
        self.assertEqual(json.loads(self.state.requests[-1][3]),
                         {"from": "2026-11-20T01:30:00Z", "to": "2026-11-22T00:00:00Z"})
        self.assertEqual(self.tenure("schedule", "backfill", "tick", "--slot", "2026-11-20T01:00:00Z"),
                         "2026-11-20T01:00:00Z\ntick is to run once: run 9\n")
        self.assertEqual(json.loads(self.state.requests[-1][3]), {"slots": ["2026-11-20T01:00:00Z"]})

    def test_several_at_once_and_one_of_them_is_not_there(self):
        for name in ("a", "c"):
            self.state.put(name, {"every": "1m"})
        self.assertEqual(self.tenure("schedule", "pause", "a", "b", "c", code=1), "a is paused\nc is paused\n")
        self.assertEqual(self.ended.stderr, "error: b: There is no schedule `b`\n")

    def test_a_name_is_no_path(self):
        self.tenure("schedule", "get", "../leaders", code=1)
        self.assertEqual(self.state.requests[-1][1], "/v1/schedules/..%2Fleaders")


class DeadEvents(Client):
    def die(self, *schedules, **more):
        self.state.dead += [{"id": f"2ed6657d-e927-568b-95e1-{i:012}", "key": f"{i}/1795483800000000/0", "schedule": name,
                             "seq": i, "uid": i, "version": 1, "run": "0", "slot": "2026-11-24T01:30:00.000000Z",
                             "fired": "2026-11-24T01:30:00.004127Z",
                             "attempts": 10, "since": "2026-11-24T01:40:00.000000Z", "why": "the destination answered 500",
                             **more} for i, name in enumerate(schedules, len(self.state.dead) + 1)]

    def test_are_listed_with_what_it_takes_to_judge_them(self):
        self.assertEqual(self.tenure("event", "dead"), "no dead events\n")
        self.die("mail", "\x1b[31m")
        self.assertEqual(self.tenure("event", "dead").splitlines()[:2], [
            "SINCE                 SCHEDULE  KEY                   ATTEMPTS  WHY",
            "2026-11-24T01:40:00Z  mail      1/1795483800000000/0  10        the destination answered 500"])
        self.assertNotIn("\x1b", self.ended.stdout)
        self.assertEqual(len(self.tenure("event", "dead", "--count", "1").splitlines()), 2)
        self.assertEqual(json.loads(self.tenure("event", "dead", "--format", "json"))["events"], self.state.dead)
        self.assertEqual(self.tenure("event", "dead", "--discarded"), "no discarded events\n")
        self.die("gone", discarded={"by": "ops/ann", "at": "2026-11-24T02:00:00.000000Z"})
        self.assertIn("the destination answered 500 (discarded by ops/ann)\n", self.tenure("event", "dead", "--discarded"))

    def test_are_replayed_and_discarded_by_their_keys(self):
        self.die("a", "b", "c")
        keys = [each["key"] for each in self.state.dead]
        self.assertEqual(self.tenure("event", "replay", keys[0]), "1 replayed\n")
        self.assertEqual(self.tenure("event", "replay", *keys[:2], keys[1]), "1 of 2 replayed; the others are not dead\n")
        self.assertEqual(self.tenure("event", "discard", keys[2], "--format", "json"), '{\n  "discarded": 1\n}\n')
        self.assertEqual(self.state.dead, [])

    def test_all_that_are_dead_are_taken_page_by_page(self):
        self.server.server.page_size = 7
        self.die(*["a", "b"] * 1500)
        self.assertEqual(len(self.tenure("event", "dead", "--schedule", "b", "--count", "2000").splitlines()), 1501)
        self.assertEqual(self.tenure("event", "replay", "--all", "--schedule", "b"), "1500 replayed\n")
        self.assertEqual({each["schedule"] for each in self.state.dead}, {"a"})
        self.state.refuses_key = self.state.dead[1200]["key"]
        self.tenure("event", "discard", "--all", code=1)
        self.assertEqual(self.ended.stderr, "error: Not this one\n  1000 were discarded before that\n")
        self.state.refuses_key = None
        self.assertEqual(self.tenure("event", "discard", "--all"), "500 discarded\n")
        self.assertEqual(self.tenure("event", "discard", "--all"), "0 discarded\n")


class OfThePage(Client):
    """docs/client.md: its commands print what it shows."""

    def test_commands_print_what_is_shown(self):
        page = (pathlib.Path(__file__).parents[3] / "docs/client.md").read_text()
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        (self.folder / "schedules.toml").write_text(next(text for kind, text in blocks if kind == "toml"))
        (self.folder / "tenure").symlink_to(TENURE)
        shown = 0
        for (kind, commands), (_, output) in zip(blocks, blocks[1:]):
            if kind != "sh":
                continue
            ended = subprocess.run(["bash", "-euc", commands], capture_output=True, text=True, check=False, cwd=self.folder,
                                   env={"PATH": f"{self.folder}:{os.environ['PATH']}", "TENURE_SERVER": self.server.url})
            self.assertEqual(ended.stdout + ended.stderr, output, commands)
            for schedule in self.state.schedules.values():  # as tenured prints it
                if schedule.get("every") == "90s":
                    schedule["every"] = "1m30s"
            shown += 1
        self.assertEqual(shown, 4)


class Failing(Client):
    def test_a_server_that_is_not_there(self):
        self.server.close()
        self.tenure("leader", code=74)
        self.assertIn(f"error: cannot reach {self.server.url}: ", self.ended.stderr)
        self.assertIn("is `tenured` running there? --server or TENURE_SERVER says where it is", self.ended.stderr)
        self.tenure("schedule", "list", "--server", "http://127.0.0.1:1", code=74)
        self.assertIn("cannot reach http://127.0.0.1:1: ", self.ended.stderr)
        self.server = FakeTenured()

    def test_without_permission(self):
        self.state.token = "secret"
        self.tenure("leader", code=1)
        self.assertEqual(self.ended.stderr,
                         "error: A token is needed\n  TENURE_TOKEN or --token-file gives the token\n")
        self.tenure("leader", code=1, TENURE_TOKEN="wrong")
        self.assertEqual(self.ended.stderr,
                         "error: The token is not known\n  the token is from TENURE_TOKEN or --token-file\n")
        self.tenure("leader", TENURE_TOKEN="secret")
        (self.folder / "token").write_text("secret\n")
        self.tenure("leader", "--token-file", "token", TENURE_TOKEN="wrong")

    def test_arguments_that_make_no_sense(self):
        for arguments in (["schedule"], ["schedule", "lst"], ["schedule", "get"], ["schedule", "apply"],
                          ["schedule", "next", "a", "--count", "0"], ["schedule", "list", "--sate", "x"],
                          ["schedule", "backfill", "a"], ["schedule", "backfill", "a", "--from", "2026-11-20T00:00:00Z"],
                          ["schedule", "backfill", "a", "--from", "x", "--to", "y", "--slot", "z"], ["event"],
                          ["event", "replay"], ["event", "replay", "1/2/0", "--all"], ["event", "dead", "--count", "0"],
                          ["event", "discard", "1/2/0", "--schedule", "a"],
                          ["leader", "--server", "localhost"], ["leader", "--server", "ftp://x"],
                          ["leader", "--server", "http://me:pass@x"], ["leader", "--format", "xml"],
                          ["leader", "--token-file", "nowhere"]):
            self.tenure(*arguments, code=64)
        self.tenure("schedule", "lst", code=64)
        self.assertIn("did you mean `list`?", self.ended.stderr)
        self.tenure("schedule", "list", "--sate", "x", code=64)
        self.assertIn("did you mean `--state`?", self.ended.stderr)
        self.tenure("leader", code=64, TENURE_TOKEN="with space")
        self.assertEqual(self.state.requests, [])

    def test_help_is_of_the_command_that_was_named(self):
        self.assertIn("-f,--file", self.tenure("schedule", "apply", "--help"))
        self.assertIn("apply", self.tenure("schedule", "--help"))

    def test_proxies_of_the_environment_get_nothing(self):
        proxy = FakeTenured()
        self.tenure("leader", http_proxy=proxy.url, ALL_PROXY=proxy.url)
        self.assertEqual(proxy.state.requests, [])
        proxy.close()


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
