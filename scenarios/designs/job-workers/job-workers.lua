-- A table of jobs with several workers and no leader: each takes a job that nobody else has, in a transaction that
-- stays open while it works. It runs on Postgres alone.
--
-- No single source: SELECT … FOR UPDATE SKIP LOCKED is how queues on Postgres are made since its version 9.5. `take`
-- says how a worker reads the next job.
--   skip    FOR UPDATE SKIP LOCKED: it leaves out what another one has
--   wait    FOR UPDATE: it waits for the worker that has the first job
--   plain   without a lock: two can have the same job
return {
  name = "job-workers",
  summary = "workers that take jobs from a table, each its own",
  role = "both",

  parameters = {
    poll_period = { default = "1s", min = "1ms", doc = "from one look at the jobs to the next, when none was due" },
    request_timeout = { default = "30s", min = "1ms", doc = "how long a statement may hang before it has failed" },
    take = { default = "skip", choices = { "skip", "wait", "plain" }, doc = "how the next job is read" },
  },

  schema = [[
    CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, period interval, active boolean NOT NULL);
    CREATE INDEX ON jobs (next_run);
  ]],

  put_schedule = function(s)
    return { [[
      INSERT INTO jobs (id, next_run, period, active) VALUES ($1, $2, $3, $4)
      ON CONFLICT (id) DO UPDATE
      SET next_run = excluded.next_run, period = excluded.period, active = excluded.active
    ]], s.id, s.first, s.period, not s.paused }
  end,
  delete_schedule = function(s)
    return { "DELETE FROM jobs WHERE id = $1", s.id }
  end,

  claims = {
    ["never-early"] = { "no-store-step" },
  },

  node = function(t)
    local lock = { skip = " FOR UPDATE SKIP LOCKED", wait = " FOR UPDATE", plain = "" }
    local due = "SELECT id, next_run FROM jobs WHERE next_run <= now() AND active ORDER BY next_run, id LIMIT 1"
    local function ask(text, ...) return t.sql{text, ..., timeout = t.p.request_timeout} end

    -- Whether there was a job, and it is done.
    local function one_job()
      if not ask("BEGIN") then return false end
      local jobs = ask(due .. lock[t.p.take])
      local done = false
      if jobs and #jobs == 1 then
        local job = jobs[1]
        done = t.run{schedule = job.id, slot = job.next_run} == "done"
        if done then ask("UPDATE jobs SET next_run = next_run + period WHERE id = $1", job.id) end
      end
      if not ask(done and "COMMIT" or "ROLLBACK") then return false end
      return done
    end

    t.believe{open = true}  -- each may work
    while true do
      if not one_job() then t.sleep(t.p.poll_period) end
    end
  end,
}
