"""A server with the API of docs/daemon.md, as far as the client and the page need it, whose state a test can set.

It is strict about what clients send (content type, ETags, tokens), and about what it answers: what the API's own
document does not describe is no answer of tenured, and fails.
"""
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import urllib.parse

SOURCES = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCES / "tests/daemon"))
from schemas import Schemas  # noqa: E402

PRINT_OPENAPI = os.environ.get("PRINT_OPENAPI", SOURCES / "build/release/bin/print_openapi")
DOCUMENT = json.loads(subprocess.run([PRINT_OPENAPI], stdout=subprocess.PIPE, check=True).stdout)

CSP = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
PAGE = {"/": ("index.html", "text/html; charset=utf-8"), "/app.css": ("app.css", "text/css; charset=utf-8"),
        "/app.js": ("app.js", "text/javascript; charset=utf-8")}
KNOWN = {"name", "status", "every", "cron", "once", "at", "timezone", "dst_gap", "dst_overlap", "start", "end", "jitter",
         "jitter_per", "jitter_seed", "misfire", "fire_once", "grace", "catchup_window", "max_catchup", "overlap",
         "topic", "type", "data", "labels", "description", "destination", "strict_order", "attempts", "back_off",
         "back_off_max"}


class Problem(Exception):
    def __init__(self, status, kind, title, **more):
        super().__init__(title)
        self.status, self.body = status, {"type": f"urn:tenure:{kind}", "title": title, "status": status, **more}


class State:
    """What the server has. Tests change it under `lock`."""

    def __init__(self):
        self.lock = threading.RLock()
        self.schedules, self.uid, self.token, self.requests = {}, 0, None, []
        self.events, self.dead, self.fires, self.runs = [], [], [], {}
        self.wrong = []  # answers that tenured does not give
        self.ready, self.before_put, self.refuses_key = {"ready": True, "reasons": []}, None, None
        self.leaders = {"leaders": [{"resource": 0, "led": True, "node": 7, "life": 1, "epoch": 12,
                                     "expires_in": "12.1s", "is_this": True}],
                        "this": {"node": 7, "role": "leader", "epoch": 12, "belief_left": "9.8s"},
                        "hold": None, "caller": {"actor": "local", "scopes": ["read", "write", "admin"]}}

    def put(self, name, definition, **status):
        """Creates or changes one, whatever anybody has seen of it."""
        with self.lock:
            old = self.schedules.get(name)
            if old is None:
                self.uid += 1
            uid, version = (old["status"]["uid"], old["status"]["version"] + 1) if old else (self.uid, 1)
            body = {key: value for key, value in definition.items() if key not in ("name", "status")}
            self.schedules[name] = {"name": name, **body, "status": {
                "uid": uid, "version": version, "since": "2026-11-24T14:00:00.000000Z", "state": "active",
                "next": "2026-11-25T01:30:00.000000Z", **status}}
            return self.schedules[name]


def etag(schedule):
    return f'"{schedule["status"]["uid"]}.{schedule["status"]["version"]}"'


def judge(schedule):
    errors = [{"pointer": "/" + key, "message": f"unknown key `{key}`"} for key in schedule if key not in KNOWN]
    if schedule.get("cron") == "30 25 * * *":
        errors.append({"pointer": "/cron", "message": "hour 25 is out of range", "hint": "0 to 23", "column": 4,
                       "length": 2, "text": "30 25 * * *", "caret": "30 25 * * *\n   ^^ 0 to 23"})
    if not any(key in schedule for key in ("every", "cron", "once", "at")):
        errors.append({"pointer": "", "message": "it needs one of every, cron, once, at"})
    if errors:
        raise Problem(400, "invalid", "The request is not valid",
                      detail=f"{len(errors)} things are wrong with the schedule", errors=errors)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        state = self.server.state
        if self.server.closed:  # of connections that are kept, too
            self.close_connection = True
            return None
        length = int(self.headers.get("content-length", 0))
        raw = self.rfile.read(length)
        url = urllib.parse.urlsplit(self.path)
        with state.lock:
            state.requests.append((self.command, self.path, dict(self.headers), raw.decode()))
            try:
                if url.path in PAGE and self.server.page:
                    return self.send_page(*PAGE[url.path])
                self.check(raw)
                status, body, tag = self.route(url.path, urllib.parse.parse_qs(url.query),
                                               json.loads(raw) if raw else {})
            except Problem as problem:
                return self.send(problem.status, problem.body, kind="application/problem+json")
            return self.send(status, body, tag)

    do_PUT = do_POST = do_DELETE = do_GET

    def check(self, raw):
        state = self.server.state
        if raw and self.headers.get("content-type") != "application/json":
            raise Problem(415, "unsupported-media-type", "The body is no JSON")
        if not self.path.startswith("/v1/") or state.token is None:
            return
        given = self.headers.get("authorization")
        if given is None:
            raise Problem(401, "unauthorized", "A token is needed")
        if given != f"Bearer {state.token}":
            raise Problem(401, "unauthorized", "The token is not known")

    def route(self, path, query, body):
        state, method = self.server.state, self.command
        one = {key: values[0] for key, values in query.items()}
        if (method, path) == ("GET", "/v1/schedules"):
            return self.list(query, one)
        if (method, path) == ("POST", "/v1/schedules:bulk"):
            return self.bulk(body)
        if (method, path) == ("GET", "/v1/leaders"):
            return 200, state.leaders, None
        if (method, path) == ("GET", "/readyz"):
            return (200 if state.ready["ready"] else 503), {"warnings": [], **state.ready}, None
        if (method, path) == ("GET", "/v1/events"):
            events = [each for each in state.events if ("destination" in each) == (one.get("kind") == "push")]
            return 200, {"events": events[:int(one.get("limit", 100))], "next": "0", "more": False}, None
        if (method, path) == ("GET", "/v1/events/dead"):
            return self.dead(one)
        if (method, path) == ("GET", "/v1/fires"):
            return self.fires(one, state.fires)
        if (method, path) == ("POST", "/v1/events:replay"):
            return 200, {"replayed": self.take_dead(body["keys"])}, None
        if (method, path) == ("POST", "/v1/events:discard"):
            return 200, {"discarded": self.take_dead(body["keys"])}, None
        found = re.fullmatch(r"/v1/schedules/([^/]+)(?:/(\w+))?", path)
        if not found:
            raise Problem(404, "not-found", "There is no such path")
        return self.named(urllib.parse.unquote(found[1]), found[2], one, body)

    def list(self, query, one):
        state = self.server.state
        names = sorted(name for name in state.schedules if name.startswith(one.get("prefix", "")))
        for label in query.get("label", []):
            key, _, value = label.partition("=")
            names = [name for name in names if state.schedules[name].get("labels", {}).get(key) == value]
        if "state" in one:
            names = [name for name in names if state.schedules[name]["status"]["state"] == one["state"]]
        if one.get("order") == "next":
            names.sort(key=lambda name: state.schedules[name]["status"].get("next", "~"))
        start, size = int(one.get("cursor", 0)), min(int(one.get("limit", 100)), self.server.page_size)
        page = [{key: value for key, value in state.schedules[name].items() if key != "data"}
                for name in names[start:start + size]]
        answer = {"schedules": page}
        if start + size < len(names):
            answer["cursor"] = str(start + size)
        return 200, answer, None

    def take_dead(self, keys):
        if len(keys) > 1000:
            raise Problem(400, "invalid", "Too many keys")
        state = self.server.state
        if state.refuses_key in keys:
            raise Problem(403, "forbidden", "Not this one")
        before = len(state.dead)
        state.dead = [each for each in state.dead if each["key"] not in keys]
        return before - len(state.dead)

    def dead(self, one):
        wanted = one.get("discarded") == "true"
        after = int(one.get("after", 0))
        left = [each for each in self.server.state.dead if ("discarded" in each) == wanted][after:]
        page = left[:min(int(one.get("limit", 100)), self.server.page_size)]
        return 200, {"events": page, "next": str(after + len(page)), "more": len(page) < len(left)}, None

    def fires(self, one, fires):
        """Newest first. As the server does, it looks at so many rows and no more, whatever is asked for."""
        after = int(one.get("after", 0))
        left = [fire for fire in fires if after == 0 or fire["seq"] < after]
        looked_at = left[:self.server.page_size]
        wanted = [fire for fire in looked_at if one.get("outcome") in (None, fire["outcome"])][:int(one.get("limit", 100))]
        last = wanted[-1] if len(wanted) == int(one.get("limit", 100)) else looked_at[-1] if looked_at else {"seq": after}
        more = bool(left) and left[-1]["seq"] != last["seq"]
        return 200, {"fires": wanted, "next": str(last["seq"]), "more": more, "forgotten": "0", "position": "1.0"}, None

    def bulk(self, body):
        results = []
        for schedule in body["schedules"]:
            try:
                judge(schedule)
                results.append({"name": schedule["name"], "result": "updated"})
            except Problem as problem:
                results.append({"name": schedule["name"], "result": "failed", "problem": problem.body})
        assert body["dry_run"], "clients put one by one"
        return 200, {"dry_run": True, "results": results}, None

    def named(self, name, verb, one, body):
        state, method = self.server.state, self.command
        if method == "PUT":
            return self.put(name, body)
        schedule = state.schedules.get(name)
        if schedule is None:
            raise Problem(404, "not-found", f"There is no schedule `{name}`")
        if verb is None and method == "GET":
            return 200, schedule, etag(schedule)
        if verb is None and method == "DELETE":
            if self.headers.get("if-match") is None:
                raise Problem(428, "precondition-required", "If-Match is missing")
            if self.headers["if-match"] != etag(schedule):
                raise Problem(412, "precondition-failed", "The schedule is not as expected", etag=etag(schedule))
            del state.schedules[name]
            return 204, None, None
        if verb == "fires":
            return self.fires(one, [fire for fire in state.fires if fire["schedule"] == name])
        if verb == "next":
            slots = [{"slot": f"2026-11-{25 + i}T01:30:00.000000Z", "local": f"2026-11-{25 + i}T02:30:00+01:00",
                      "due": f"2026-11-{25 + i}T01:30:00.000000Z"} for i in range(min(int(one.get("count", 10)), 3))]
            return 200, {"slots": slots, "end": len(slots) == 3}, None
        if verb in ("pause", "resume"):
            status = {"state": "paused", "paused": {"by": "local", "why": body.get("why", ""),
                                                    "since": "2026-11-24T14:00:00.000000Z"}} if verb == "pause" else {}
            changed = state.put(name, schedule, **status)
            return 200, changed, etag(changed)
        if verb == "backfill":
            slots = body.get("slots") or [body["from"], "2026-11-21T01:30:00.000000Z"]
            answer = {"slots": slots, "dry_run": body.get("dry_run", False)}
            return (200, answer, None) if answer["dry_run"] else (202, {**answer, "run": "9"}, None)
        if verb == "trigger":
            key = self.headers.get("idempotency-key")
            run = state.runs.setdefault(key, len(state.runs) + 1) if key else len(state.runs) + 1
            state.runs.setdefault(object(), run)
            return 202, {"event": {"id": f"2ed6657d-e927-568b-95e1-{run:012}", "key": f"7/0/{run}", "run": str(run),
                                   "slot": "2026-11-24T14:00:00.000000Z"}}, None
        raise Problem(404, "not-found", "There is no such path")

    def put(self, name, body):
        state = self.server.state
        if state.before_put:
            state.before_put()
        judge(body)
        now = state.schedules.get(name)
        creates, expected = self.headers.get("if-none-match") == "*", self.headers.get("if-match")
        if not creates and expected is None:
            raise Problem(428, "precondition-required", "If-Match or If-None-Match is missing")
        if (creates and now) or (expected and (now is None or etag(now) != expected)):
            raise Problem(412, "precondition-failed", "The schedule is not as expected",
                          detail="it has been changed since it was read")
        paused = {key: now["status"][key] for key in ("state", "paused") if key in now["status"]} if now else {}
        schedule = state.put(name, body, **paused)
        return (201 if creates else 200), schedule, etag(schedule)

    def send_page(self, name, kind):
        content = (pathlib.Path(self.server.page) / name).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", CSP)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def problems(self, status, body, kind):
        """What is wrong with an answer of the API."""
        path = urllib.parse.urlsplit(self.path).path
        for described in DOCUMENT["paths"]:
            if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(described)), path):
                content = Schemas(DOCUMENT).described(self.command.lower(), described, status).get("content", {})
                return list(Schemas(DOCUMENT).problems(content[kind]["schema"], body)) if kind in content else []
        return []

    def send(self, status, body, tag=None, kind="application/json"):
        if problems := self.problems(status, body, kind):
            self.server.state.wrong.append((self.command, self.path, problems))
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", kind)
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class FakeTenured:
    """The server, on a thread of its own, until it is closed."""

    def __init__(self, page=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.state = self.state = State()
        self.server.page, self.server.page_size, self.server.closed = page, 1000, False
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.closed = True
        self.server.shutdown()
        self.server.server_close()
        assert not self.state.wrong, self.state.wrong
