"""The lease of the article, as ../article-lease/article-lease.lua has it, in asyncio.

What is kept is its mistake: `t.as_wall` takes the database's time for one of this machine's wall clock.
"""

import asyncio

import tenure

name = "article-lease"
summary = "a row taken on the database's clock and believed on the process's, in SQL"

parameters = {
    "lock_duration": {"default": "5s", "min": "1ms", "doc": "for how long the row is taken"},
    "poll_period": {"default": "3s", "min": "1ms", "doc": "sleep between the end of one attempt and the next one"},
    "request_timeout": {"default": "10s", "min": "1ms", "doc": "how long an attempt may hang until it has failed"},
}

schema = """
    CREATE TABLE leader_lock (
      resource text PRIMARY KEY,
      holder_id text NOT NULL,
      expires_at timestamptz NOT NULL
    )
"""

claims = {
    "one-believer": {"assumes": ["wall-in-step", "rates-equal", "no-store-step", "no-lost-commits"], "passes": True},
    "acts-within-belief": [],
    "leader-elected": ["wall-in-step", "no-store-step", "prompt-at-rest"],
}

TAKE = """
    INSERT INTO leader_lock AS l (resource, holder_id, expires_at)
    VALUES ('scheduler', $1, now() + $2::interval)
    ON CONFLICT (resource) DO UPDATE
    SET holder_id = excluded.holder_id, expires_at = excluded.expires_at
    WHERE l.holder_id = excluded.holder_id OR l.expires_at < now()
    RETURNING expires_at
"""


async def node(t):
    while True:
        try:
            rows = await t.sql(TAKE, t.identity, t.p.lock_duration, timeout=t.p.request_timeout)
        except tenure.StoreError:
            t.step_down("the attempt failed")
        else:
            if rows.count == 0:
                t.step_down("no row came back")
            else:
                t.believe(until_wall=t.as_wall(rows[0].expires_at))
        await asyncio.sleep(t.p.poll_period.seconds)
