"""A lease in SQL: a row that one instance holds until it expires. Put your own statement and your own loop here."""

from tenure import StoreError

name = "lease"
summary = "a row taken on the database's clock, and believed on this process's own"

parameters = {
    "lease_duration": {"default": "10s", "min": "1ms", "doc": "for how long the row is taken"},
    "renew_period": {"default": "3s", "min": "1ms", "doc": "sleep between two attempts"},
    "request_timeout": {"default": "2s", "min": "1ms", "doc": "how long an attempt may hang"},
}

schema = """
    CREATE TABLE lease (
      name text PRIMARY KEY,
      holder text NOT NULL,
      expires_at timestamptz NOT NULL
    )
"""

TAKE = """
    INSERT INTO lease AS l (name, holder, expires_at)
    VALUES ('jobs', $1, now() + $2::interval)
    ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE l.holder = excluded.holder OR l.expires_at < now()
    RETURNING expires_at
"""


async def node(t):
    while True:
        try:
            rows = await t.sql(TAKE, t.identity, t.p.lease_duration, timeout=t.p.request_timeout)
        except StoreError:
            t.step_down("the attempt failed")
        else:
            if rows.count == 0:
                t.step_down("another holds the row")
            else:
                # The database's time, taken for this machine's: they need not agree.
                t.believe(until_wall=t.as_wall(rows[0].expires_at))
        await t.sleep(t.p.renew_period)
