"""Who may do what."""

import contextlib
import hashlib
import signal
import tempfile
import unittest

from daemon import POSTGRES, Daemon, eventually, fresh_store, read_until


def token(name, scopes, prefix="", more=""):
    return f"""
[[token]]
name = "{name}"
sha256 = "{hashlib.sha256((name + "-secret").encode()).hexdigest()}"
scopes = {scopes}
prefix = "{prefix}"
{more}
"""


TOKENS = (token("reader", ["read"]) + token("writer", ["write"]) + token("admin", ["admin"]) +
          token("mine", ["write"], "mine-") + token("my-admin", ["admin"], "mine-") +
          token("few", ["write"], "few-", "max_schedules = 2\nmax_fires_per_second = 5"))
RANKS = {"none": 0, "read": 1, "write": 2, "admin": 3}
CONFIG = """
[http]
hosts = ["tenure.example.org"]
loopback_needs_token = false
"""


class AccessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.daemon = Daemon(fresh_store(cls.folder.name), config=CONFIG + TOKENS).wait_for_port()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.kill()
        cls.folder.cleanup()

    def status(self, method, path, body=None, host=None, **headers):
        answer = self.daemon.ask(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()},
                                 host=host)
        return answer.status

    def test_a_host_that_is_not_ours_is_refused(self):
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:8420", "[::1]:8420", "tenure.example.org"):
            self.assertEqual(self.status("GET", "/v1/schedules", host=host), 200, host)
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "tenure.example.org.evil",
                     "localhost:8420.evil.example", "[::1]:1.evil.example", "[::1].evil.example"):
            self.assertEqual(self.status("GET", "/v1/schedules", host=host), 421, host)

    def test_a_page_of_another_origin_changes_nothing(self):
        body = {"every": "1h"}
        for origin in ("http://evil.example", "null", f"http://localhost:{self.daemon.port + 1}"):
            self.assertEqual(self.status("PUT", "/v1/schedules/o", body, If_Match="*", Origin=origin), 403, origin)
        self.assertEqual(self.status("POST", "/v1/schedules/o/trigger", Sec_Fetch_Site="cross-site"), 403)
        self.assertEqual(self.status("PUT", "/v1/schedules/o", body, If_None_Match="*",
                                     Origin=f"http://127.0.0.1:{self.daemon.port}"), 201)

    def test_a_body_is_json(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            self.assertEqual(self.status("PUT", "/v1/schedules/o", {"every": "1h"}, Content_Type=kind), 415, kind)
        for kind in ("application/json; charset=utf-8", "Application/JSON"):
            self.assertEqual(self.status("PUT", "/v1/schedules/o", {"every": "1h"}, Content_Type=kind), 428, kind)

    def test_who_does_not_come_from_this_machine_needs_a_token(self):
        from_elsewhere = {"X_Forwarded_For": "203.0.113.9"}
        self.assertEqual(self.status("GET", "/v1/schedules"), 200, "loopback")
        for headers in (from_elsewhere, {"X_Forwarded_Port": "443"}, {"Forwarded": "for=203.0.113.9"}, {"Via": "1.1 proxy"},
                        {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer "}):
            answer = self.daemon.ask("GET", "/v1/schedules", headers={k.replace("_", "-"): v for k, v in headers.items()})
            self.assertEqual((answer.status, "www-authenticate" in answer.headers), (401, True), headers)
        self.assertEqual(self.status("GET", "/healthz", **from_elsewhere), 200, "health asks nobody")

    def test_a_token_may_do_what_its_scopes_say(self):
        self.daemon.ask("PUT", "/v1/schedules/theirs", {"every": "1h"}, {"If-None-Match": "*"})
        self.daemon.ask("PUT", "/v1/schedules/mine-1", {"every": "1h"}, {"If-None-Match": "*"})
        asks = {
            "list": lambda headers: self.status("GET", "/v1/schedules", **headers),
            "get": lambda headers: self.status("GET", "/v1/schedules/theirs", **headers),
            "put": lambda headers: self.status("PUT", "/v1/schedules/theirs", {"every": "2h"}, If_Match="*", **headers),
            "pause": lambda headers: self.status("POST", "/v1/schedules/theirs/pause", **headers),
            "put mine": lambda headers: self.status("PUT", "/v1/schedules/mine-1", {"every": "2h"}, If_Match="*", **headers),
            "ack": lambda headers: self.status("POST", "/v1/events:ack", {"keys": []}, **headers),
        }
        may = {"reader": {"list": 200, "get": 200, "put": 403, "pause": 403, "put mine": 403, "ack": 403},
               "writer": {"list": 200, "get": 200, "put": 200, "pause": 200, "put mine": 200, "ack": 204},
               "mine": {"list": 200, "get": 403, "put": 403, "pause": 403, "put mine": 200, "ack": 204}}
        for name, wanted in may.items():
            got = {what: ask({"Authorization": f"Bearer {name}-secret"}) for what, ask in asks.items()}
            self.assertEqual(got, wanted, name)
        mine = self.daemon.get("/v1/schedules", Authorization="Bearer mine-secret").json["schedules"]
        self.assertEqual([one["name"] for one in mine], ["mine-1"])
        bulk = self.daemon.ask("POST", "/v1/schedules:bulk", {"owner": "a=b", "prune": True, "schedules": [
            {"name": "theirs", "every": "1h"}, {"name": "mine-2", "every": "1h"}]},
            {"Authorization": "Bearer mine-secret"}).json["results"]
        self.assertEqual([one["result"] for one in bulk], ["failed", "created"])
        changes = self.daemon.get("/v1/changes?limit=1000", Authorization="Bearer mine-secret").json["changes"]
        self.assertEqual({one["name"] for one in changes}, {"mine-1", "mine-2"})
        self.assertEqual(changes[-1]["by"], "mine")
        event = self.daemon.ask("POST", "/v1/schedules/theirs/trigger").json["event"]
        for path, name in (("/v1/events:ack", "mine"), ("/v1/events:ack", "my-admin"), ("/v1/events:replay", "my-admin"),
                           ("/v1/events:discard", "my-admin")):
            refused = self.daemon.ask("POST", path, {"keys": [event["key"]]}, {"Authorization": f"Bearer {name}-secret"})
            self.assertEqual((refused.status, b"theirs" in refused.body), (403, False), refused)
        shown = self.daemon.get("/v1/events?limit=1000", Authorization="Bearer mine-secret").json["events"]
        self.assertEqual([one["schedule"] for one in shown], [])

    def test_a_token_with_a_prefix_claims_its_topics(self):
        mine = {"Authorization": "Bearer mine-secret"}
        self.daemon.ask("PUT", "/v1/schedules/mine-work", {"every": "1000h", "topic": "mine-work"},
                        {"If-None-Match": "*", **mine})
        self.assertEqual(self.daemon.ask("POST", "/v1/schedules/mine-work/trigger", headers=mine).status, 202)
        for topic in ("", "mine", "theirs"):
            self.assertEqual(self.status("POST", "/v1/executions:claim", {"topic": topic}, **mine), 403, topic)
        claimed = self.daemon.ask("POST", "/v1/executions:claim", {"topic": "mine-work"}, mine).json["executions"]
        self.assertEqual([one["event"]["schedule"] for one in claimed], ["mine-work"])
        for verb in ("heartbeat", "complete"):
            self.assertEqual(self.status("POST", f"/v1/executions/{claimed[0]['id']}/{verb}", **mine), 200, verb)

    def test_a_token_has_no_more_than_its_quota(self):
        few = {"Authorization": "Bearer few-secret"}

        def put(name, body, **condition):
            return self.daemon.ask("PUT", f"/v1/schedules/few-{name}", body, {**(condition or {"If-None-Match": "*"}), **few})

        fast = put("fast", {"every": "1ms"})
        self.assertEqual((fast.status, fast.json["type"]), (429, "urn:tenure:quota"), fast)
        self.assertIn("`max_fires_per_second` of the token `few` is 5, and with this schedule it would have 1000 fires "
                      "a second", fast.json["detail"])
        self.assertIn("retry-after", fast.headers)
        self.assertEqual(put("a", {"every": "250ms"}).status, 201)
        self.assertEqual(put("b", {"every": "500ms"}).status, 429, "4 and 2 are more than 5")
        self.assertEqual(put("b", {"cron": "* * * * *"}).status, 201)
        self.assertEqual(put("a", {"every": "200ms"}, **{"If-Match": "*"}).status, 429, "5 and a little")
        self.assertEqual(put("a", {"every": "1s"}, **{"If-Match": "*"}).status, 200, "an edit that needs less")
        self.assertEqual(put("c", {"every": "1h"}).status, 429, "two schedules")
        bulk = self.daemon.ask("POST", "/v1/schedules:bulk", {"schedules": [
            {"name": "few-a", "every": "1ms"}, {"name": "few-a2", "every": "1h"}, {"name": "few-b", "every": "1h"}]}, few)
        self.assertEqual([(one["result"], one.get("problem", {}).get("status")) for one in bulk.json["results"]],
                         [("failed", 429), ("failed", 429), ("updated", None)])
        slots = {"slots": [f"2020-01-01T00:00:{i // 20:02d}.{i % 20:02d}Z" for i in range(999)]}
        self.assertEqual(self.daemon.ask("POST", "/v1/schedules/few-a/backfill", slots, few).status, 202)
        runs = [self.daemon.ask("POST", "/v1/schedules/few-a/trigger", headers=few).status for _ in range(100)]
        self.assertEqual(set(runs), {202, 429}, "1,000 at once, and then 5 a second")
        metrics = self.daemon.get("/metrics").body.decode()
        for quota in ("max_fires_per_second", "max_schedules", "runs"):
            self.assertRegex(metrics, rf'tenure_quota_refusals_total{{[^}}]*quota="{quota}"[^}}]*}} [1-9]')
        self.assertEqual(self.status("PUT", "/v1/schedules/of-all", {"every": "1h"},
                                     If_None_Match="*"), 201, "others may")

    def test_each_route_asks_for_its_scope(self):
        routes = [(method.upper(), path, operation["x-scope"])
                  for path, methods in self.daemon.get("/openapi.json").json["paths"].items()
                  for method, operation in methods.items()]
        self.assertEqual({scope for _, _, scope in routes}, set(RANKS), "no scope is there for nothing")
        for method, path, scope in routes:
            where = path.replace("{name}", "nobody").replace("{id}", "1.2.3.4.5")
            self.assertEqual(self.status(method, where, X_Forwarded_For="203.0.113.9") == 401, scope != "none", path)
            for name, rank in (("reader", 1), ("writer", 2), ("admin", 3)):
                status = self.status(method, where, Authorization=f"Bearer {name}-secret")
                self.assertEqual(status in (401, 403), rank < RANKS[scope], (name, method, path, status))

    @unittest.skipIf(POSTGRES, "it asks no store")
    def test_nothing_is_framed_guessed_or_kept(self):
        for path in ("/healthz", "/v1/schedules", "/nowhere"):
            headers = self.daemon.get(path).headers
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertNotIn("set-cookie", headers)
            self.assertNotIn("access-control-allow-origin", headers)


class ReloadTest(unittest.TestCase):
    def test_a_hangup_reads_the_tokens_again_and_a_bad_file_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            with Daemon(fresh_store(folder), config=token("old", ["read"])) as daemon:
                def may(name):
                    return daemon.get("/v1/schedules", Authorization=f"Bearer {name}-secret").status == 200

                self.assertTrue(may("old"))
                daemon.write_config("[[token]]\nnme = 1\n")
                daemon.process.send_signal(signal.SIGHUP)
                eventually(lambda: any("what was read before stays" in line for line in daemon.lines))
                said = [line for line in daemon.lines if "unknown key `nme`" in line]
                self.assertEqual(len(said), 1, daemon.lines)
                self.assertRegex(said[0], r"Z error: unknown key `nme`.* where=\S*tenured.toml:2:1 hint=")
                self.assertTrue(may("old"))
                self.assertEqual(daemon.get("/v1/schedules").status, 401, "who gives out tokens wants them")
                daemon.write_config(token("new", ["read"]))
                daemon.process.send_signal(signal.SIGHUP)
                eventually(lambda: may("new"))
                self.assertFalse(may("old"))

    def test_a_hangup_is_for_streams_that_are_open_too(self):
        def bearer(name):
            return {"Authorization": f"Bearer {name}-secret"}

        ops = token("ops", ["admin"])
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            daemon = stack.enter_context(Daemon(fresh_store(folder), config=ops + token("gone", ["read"]) +
                                                token("narrowed", ["read"])))
            eventually(daemon.leads)

            def make(name):
                made = daemon.ask("PUT", f"/v1/schedules/{name}", {"every": "1000h"},
                                  {"If-None-Match": "*", **bearer("ops")})
                self.assertEqual(made.status, 201, made)

            def run(name):
                done = daemon.ask("POST", f"/v1/schedules/{name}/trigger", headers=bearer("ops"))
                self.assertEqual(done.status, 202, done)

            def follow(name, path):
                connection = stack.enter_context(daemon.stream(path, **bearer(name)))
                self.assertIn(b" 200 OK", read_until(connection, b"event: begin"))
                return connection

            make("mine-1")
            make("other-1")
            gone = follow("gone", "/v1/fires")
            gone_changes = follow("gone", "/v1/changes")
            narrowed_out = follow("narrowed", "/v1/schedules/mine-1/fires")
            kept = follow("ops", "/v1/fires")
            narrowed = follow("narrowed", "/v1/fires")
            narrowed_changes = follow("narrowed", "/v1/changes")
            run("mine-1")
            for connection in (gone, narrowed_out, kept, narrowed):
                self.assertIn(b'"mine-1"', read_until(connection, b"event: fire"))

            daemon.write_config(ops + token("narrowed", ["read"], "other-"))
            daemon.process.send_signal(signal.SIGHUP)
            eventually(lambda: daemon.get("/v1/fires", **bearer("gone")).status == 401)
            for name in ("mine-1", "other-1"):
                run(name)
            for name in ("mine-2", "other-2"):
                make(name)
            for connection in (gone, gone_changes, narrowed_out):
                self.assertEqual(connection.recv(65536), b"", "it ends, and says nothing more")
            self.assertEqual(daemon.get("/v1/schedules/mine-1/fires", **bearer("narrowed")).status, 403)
            self.assertIn(b'"mine-1"', read_until(kept, b"event: fire", 2))
            self.assertNotIn(b"mine-1", read_until(narrowed, b'"other-1"'))
            self.assertNotIn(b"mine-2", read_until(narrowed_changes, b'"other-2"'))

    @unittest.skipIf(POSTGRES, "it asks no store")
    def test_a_proxy_that_does_not_say_so_is_nobody_as_soon_as_others_are_expected(self):
        for config, status in (("", 200), (token("t", ["read"]), 401), ('[http]\nhosts = ["tenure.example.org"]\n', 401),
                               ('[http]\nhosts = ["localhost", "127.0.0.2"]\n', 200),
                               ("[http]\nloopback_needs_token = true\n", 401),
                               ("[http]\nloopback_needs_token = false\n" + token("t", ["read"]), 200)):
            with tempfile.TemporaryDirectory() as folder, Daemon(fresh_store(folder), config=config) as daemon:
                # As nginx asks by itself: no field of a proxy, and the name that its configuration has.
                self.assertEqual(daemon.ask("GET", "/v1/schedules", host="127.0.0.1:8420").status, status, config)
                if "[[token]]" in config:
                    self.assertEqual(daemon.get("/v1/schedules", Authorization="Bearer t-secret").status, 200)
                self.assertIn(daemon.get("/readyz").status, (200, 503))


if __name__ == "__main__":
    unittest.main()
