-- A table of jobs without a leader, and without a lock that stays open: each instance claims what is due by
-- an update. job-workers.lua is the same with SKIP LOCKED.
--
-- No single source: articles name both as what to have in place of a leader. `claim` says which:
--   version   optimistic locking: next_run moves on if it is still what was read; who moved it does the work
--   lock      a lock for each job, a holder and an end in its row; next_run moves on after the work
return {
  name = "job-claims",
  summary = "instances without a leader, which claim each job that is due by an update of its row",
  role = "both",

  parameters = {
    claim = { default = "version", choices = { "version", "lock" }, doc = "how a job is claimed" },
    poll_period = { default = "1s", min = "1ms", doc = "from one look at the jobs to the next" },
    lock_duration = { default = "15s", min = "1ms", doc = "for how long a job is locked" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long a statement may hang" },
  },

  schema = [[
    CREATE TABLE jobs (
      id bigint PRIMARY KEY, next_run timestamptz, period interval, active boolean NOT NULL,
      locked_by text, locked_until timestamptz
    );
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
    local function changed(text, ...)
      local statement = { text, ... }
      statement.timeout = t.p.request_timeout
      local rows = t.sql(statement)
      return rows and rows.count == 1
    end

    local function run(job) return t.run{schedule = job.id, slot = job.next_run} == "done" end
    local due_now = "SELECT id, next_run FROM jobs WHERE next_run <= now() AND active ORDER BY next_run, id"
    local move = "UPDATE jobs SET next_run = next_run + period WHERE id = $1 AND next_run = $2"
    local lock = [[
      UPDATE jobs SET locked_by = $3, locked_until = now() + $4::interval
      WHERE id = $1 AND next_run = $2 AND (locked_until IS NULL OR locked_until < now())
    ]]
    local free = [[
      UPDATE jobs SET next_run = next_run + period, locked_until = NULL
      WHERE id = $1 AND next_run = $2 AND locked_by = $3
    ]]

    t.believe{open = true} -- each may work
    t.every(t.p.poll_period, function()
      local due = t.sql{due_now, timeout = t.p.request_timeout}
      for _, job in ipairs(due or {}) do
        if t.p.claim == "version" then
          if changed(move, job.id, job.next_run) then run(job) end
        elseif changed(lock, job.id, job.next_run, t.identity, t.p.lock_duration) and run(job) then
          changed(free, job.id, job.next_run, t.identity)
        end
      end
    end)
  end,
}
