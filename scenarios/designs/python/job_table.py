"""A table of jobs that the leader polls, as many have written one: ../job-table/job-table.lua in asyncio.

What is due is run, and next_run moves on by the period: before the work, if the table still has what was read, or after
it.
"""

import tenure

name = "job-table"
summary = "polls a table of jobs, runs what is due, and moves next_run on"
role = "scheduler"

parameters = {
    "poll_period": {"default": "1s", "min": "1ms", "doc": "from one look at the jobs to the next"},
    "request_timeout": {"default": "5s", "min": "1ms", "doc": "how long a statement may hang"},
    "update": {"default": "after", "choices": ["before", "after"], "doc": "when next_run moves"},
}

schema = """
    CREATE TABLE jobs (
      id bigint PRIMARY KEY, next_run timestamptz, period interval, active boolean NOT NULL
    );
    CREATE INDEX ON jobs (next_run);
"""

claims = {"never-early": ["no-store-step"]}

DUE = "SELECT id, next_run FROM jobs WHERE next_run <= now() AND active ORDER BY next_run, id LIMIT 100"
MOVE = "UPDATE jobs SET next_run = next_run + period WHERE id = $1 AND next_run = $2"


def put_schedule(s):
    return (
        """
        INSERT INTO jobs (id, next_run, period, active) VALUES ($1, $2, $3, $4)
        ON CONFLICT (id) DO UPDATE
        SET next_run = excluded.next_run, period = excluded.period, active = excluded.active
        """,
        s.id, s.first, s.period, not s.paused,
    )


def delete_schedule(s):
    return ("DELETE FROM jobs WHERE id = $1", s.id)


async def node(t):
    async def rows(*statement):
        try:
            return await t.sql(*statement, timeout=t.p.request_timeout)
        except tenure.StoreError:
            return []  # another poll will see

    async def move(job):
        return getattr(await rows(MOVE, job.id, job.next_run), "count", 0) == 1

    async def work(job):
        if not t.leads():
            return
        if t.p.update == "before" and not (await move(job) and t.leads()):
            return
        await t.run(schedule=job.id, slot=job.next_run)
        if t.p.update == "after":
            await move(job)

    async def poll():
        if t.leads():
            for job in await rows(DUE):
                await work(job)

    await t.every(t.p.poll_period, poll)
