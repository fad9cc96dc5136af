"""What /openapi.json says is so: answers have its shapes, and bodies that are drawn from it, right and wrong ones, are
answered, whatever they hold.
"""

import random
import tempfile
import unittest

from daemon import Daemon, eventually, fresh_store
from schemas import Schemas


class OpenApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.daemon = Daemon(fresh_store(cls.folder.name)).wait_for_port()
        eventually(cls.daemon.leads)
        cls.document = cls.daemon.get("/openapi.json").json
        cls.schemas = Schemas(cls.document)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.kill()
        cls.folder.cleanup()

    def check(self, method, path, answer):
        """The answer is one that the document describes."""
        described = self.schemas.described(method, path, answer.status)
        kind = answer.headers.get("content-type", "").split(";")[0]
        self.assertLess(answer.status, 500, (method, path, answer))
        if not answer.body:
            self.assertNotIn("content", described, (method, path, answer))
            return
        self.assertIn(kind, described["content"], (method, path, answer))
        if kind.endswith("json"):
            self.assertEqual(list(self.schemas.problems(described["content"][kind]["schema"], answer.json)), [], (method, path))

    def test_answers_have_the_shapes_that_are_described(self):
        self.daemon.create("shape", {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "data": {"a": 1},
                                     "labels": {"a": "b"}, "topic": "t", "jitter": "5s"})
        self.daemon.ask("POST", "/v1/schedules/shape/pause", {"why": "x"})
        self.daemon.ask("POST", "/v1/schedules/shape/trigger")
        for path, methods in self.document["paths"].items():
            if "get" in methods and path != "/openapi.json":
                self.check("get", path, self.daemon.get(path.replace("{name}", "shape")))
                self.check("get", path, self.daemon.get(path.replace("{name}", "nobody") + "?odd=1"))

    def test_whatever_a_body_holds_it_is_answered(self):
        chance = random.Random(20261124)
        self.daemon.create("drawn", {"every": "1h", "topic": "worked on"})
        self.daemon.ask("POST", "/v1/schedules/drawn/trigger")
        execution = eventually(lambda: self.daemon.ask("POST", "/v1/executions:claim",
                                                       {"topic": "worked on", "duration": "1h"}).json["executions"])[0]
        statuses = {}
        bodies = [(path, method, operation) for path, methods in self.document["paths"].items()
                  for method, operation in methods.items() if "requestBody" in operation]
        self.assertGreater(len(bodies), 6)
        for i in range(600):
            path, method, operation = bodies[i % len(bodies)]
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            body = self.schemas.draw(schema, chance)
            if method == "put" and chance.random() < 0.5:  # by chance alone hardly one is right
                body = {"every": "1h", "data": body, "topic": "drawn"}
            if path.endswith("backfill") and chance.random() < 0.2:
                body = {"slots": ["2026-01-01T00:00:00Z"], "dry_run": chance.random() < 0.5}
            headers = {"If-Match": "*"} if method == "put" else {}
            where = path.replace("{name}", "drawn").replace("{id}", execution["id"])
            answer = self.daemon.ask(method.upper(), where, body, headers)
            self.check(method, path, answer)
            statuses.setdefault((method, path), set()).add(answer.status // 100)
        for where, seen in statuses.items():
            self.assertIn(4, seen, f"{where}: no wrong body was drawn")
            self.assertIn(2, seen, f"{where}: no right body was drawn")
        self.assertEqual(self.daemon.get("/v1/schedules/drawn").status, 200)

    def test_parameters_are_those_that_are_described(self):
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                described = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
                where = path.replace("{name}", "nobody").replace("{id}", "1.2.3.4.5")
                if operation["x-scope"] == "none":
                    self.assertEqual(described, set(), path)
                    continue
                # What a handler takes, it says as soon as it is given something else.
                errors = self.daemon.ask(method.upper(), where + "?zzzzzzzz=1").json["errors"]
                self.assertEqual([one["pointer"] for one in errors], ["zzzzzzzz"], (method, path))
                hint = errors[0].get("hint", "").removeprefix("one of ").removeprefix("it can only be ")
                taken = {name.strip("`") for name in hint.split(", ") if name}
                self.assertEqual(taken, described, (method, path))


if __name__ == "__main__":
    unittest.main()
