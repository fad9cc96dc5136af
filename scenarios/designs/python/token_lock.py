"""A lock with fencing tokens: a row, whose number grows each time the lock changes hands.

Belief runs on this process's monotonic clock, from before the request was sent: so it ends before the row does, as long
as that clock runs. Whoever is shown the token can refuse an older one.
"""

import asyncio

import tenure

name = "token-lock"
summary = "a row with a fencing token, believed on the monotonic clock, in SQL"
tokens = True

parameters = {
    "lease": {"default": "10s", "min": "1ms", "doc": "for how long the row is taken"},
    "margin": {"default": "1s", "doc": "by how much belief ends before that"},
    "period": {"default": "3s", "min": "1ms", "doc": "between two attempts"},
    "request_timeout": {"default": "2s", "min": "1ms", "doc": "how long an attempt may hang"},
}

schema = """
    CREATE TABLE lock (
      name text PRIMARY KEY,
      holder text NOT NULL,
      token bigint NOT NULL,
      expires_at timestamptz NOT NULL
    )
"""

claims = {
    "one-believer": {"assumes": ["rate-bound", "no-store-step", "no-lost-commits", "no-mono-freeze"], "passes": True},
    "acts-within-belief": [],
    "epochs-increase": ["no-lost-commits"],
    "leader-elected": ["no-store-step", "prompt-at-rest"],
}

TAKE = """
    INSERT INTO lock AS l (name, holder, token, expires_at)
    VALUES ('jobs', $1, 1, now() + $2::interval)
    ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, token = l.token + 1, expires_at = excluded.expires_at
    WHERE l.expires_at <= now()
    RETURNING token
"""
RENEW = """
    UPDATE lock SET expires_at = now() + $2::interval
    WHERE name = 'jobs' AND holder = $1 AND token = $3 AND expires_at > now()
    RETURNING token
"""
RELEASE = "UPDATE lock SET expires_at = now() WHERE name = 'jobs' AND holder = $1 AND token = $2"


class Lock:
    def __init__(self, t):
        self.t = t
        self.token = None

    async def attempt(self):
        t, sent = self.t, self.t.mono()
        if self.token is None:
            rows = await t.sql(TAKE, t.identity, t.p.lease, timeout=t.p.request_timeout)
        else:
            rows = await t.sql(RENEW, t.identity, t.p.lease, self.token, timeout=t.p.request_timeout)
        if rows.count == 0:
            self.token = None
            t.step_down("the lock is somebody else's")
            return
        self.token = rows[0].token
        until = sent + t.p.lease - t.p.margin
        if until > t.mono():
            t.believe(until_mono=until, token=self.token)

    async def keep(self):
        while True:
            try:
                await self.attempt()
            except tenure.StoreError as error:
                self.t.log(f"the attempt failed: {error.kind}")  # belief ends by itself
            await asyncio.sleep(self.t.p.period.seconds)

    async def release(self):
        if self.token is not None:
            self.t.step_down("asked to stop")
            await self.t.sql(RELEASE, self.t.identity, self.token, timeout=self.t.p.request_timeout)


async def node(t):
    lock = Lock(t)
    keeping = t.spawn(lock.keep)

    async def stop():
        keeping.cancel()
        try:
            await lock.release()
        except tenure.StoreError:
            pass  # the row runs out

    t.on_stop(stop)
